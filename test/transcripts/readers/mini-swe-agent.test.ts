import { describe, expect, it } from 'vitest';
import { readAny } from '../../helpers/recordings/read-any.js';
import { recordedTotals } from '../../helpers/recordings/recorded-totals.js';
import { callsOf, type Fields, firstThread, messagesOf, warningCodes } from '../../helpers/session.js';

const START = Date.UTC(2026, 0, 2) / 1_000;

function answer(id: string, seconds: number, usage: Fields | null, fields: Fields = {}): Fields {
  const response = { id, created: START + seconds, model: 'model-x', ...(usage === null ? {} : { usage }) };
  return {
    role: 'assistant',
    content: 'ls',
    extra: { response, timestamp: START + seconds + 0.5 },
    ...fields,
  };
}

function read(messages: readonly Fields[], fields: Fields = {}) {
  const trajectory = {
    info: {
      mini_version: '2.0.1',
      model_stats: { api_calls: 2 },
      config: { model: { model_name: 'p/model-x' } },
    },
    messages,
    trajectory_format: 'mini-swe-agent-1.1',
    ...fields,
  };
  return readAny(Buffer.from(JSON.stringify(trajectory, null, 2)), { id: 'run.traj' });
}

const OPENING = [
  { role: 'system', content: 'You work in a shell.' },
  { role: 'user', content: 'fix it' },
];

describe('mini-swe-agent trajectories', () => {
  it('takes the cached tokens out of the prompt, and what was written too', () => {
    const usage = {
      prompt_tokens: 1_000,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 600 },
      cache_creation_input_tokens: 300,
    };
    const transcript = read([...OPENING, answer('r1', 2, usage)]);
    expect(transcript).toMatchObject({ source: 'mini-swe-agent', agentVersion: '2.0.1' });
    expect(callsOf(firstThread(transcript))[0]!.usage).toEqual({
      input: 100,
      cacheRead: 600,
      cacheWrite5m: 300,
      cacheWrite1h: 0,
      output: 20,
    });
    expect(transcript.carries).toContain('cache-writes');
  });

  it('leaves the prompt as it is where more was read than it is long', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 20, cache_read_input_tokens: 900 };
    const transcript = read([...OPENING, answer('r1', 2, usage)]);
    expect(recordedTotals(transcript).usage).toMatchObject({ input: 10, cacheRead: 900 });
    expect(transcript.carries).not.toContain('cache-writes');
  });

  it('times responses by the client, and observations between them', () => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 20 };
    const thread = firstThread(
      read([
        ...OPENING,
        answer('r1', 2, usage),
        { role: 'user', content: '<output>a.ts</output>', extra: { timestamp: START + 4 } },
        answer('r2', 6, usage),
      ]),
    );
    const [first, second] = callsOf(thread);
    expect(second!.startMs - first!.endMs).toBe(1_500);
    expect(second!.endMs - second!.startMs).toBe(2_500);
    expect(messagesOf(thread).map(({ origin }) => origin)).toEqual(['human', 'meta']);
  });

  it('pairs tools with their results', () => {
    const call = { id: 't1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } };
    const thread = firstThread(
      read([
        ...OPENING,
        answer('r1', 2, { prompt_tokens: 9, completion_tokens: 2 }, { content: null, tool_calls: [call] }),
        { role: 'tool', tool_call_id: 't1', content: 'a.ts', extra: { timestamp: START + 4 } },
        answer('r2', 6, { prompt_tokens: 19, completion_tokens: 2 }),
      ]),
    );
    expect(callsOf(thread)[0]!.response.blocks).toMatchObject([
      { kind: 'tool_use', tool: 'bash', toolUseId: 't1' },
    ]);
    expect(messagesOf(thread).at(-1)!.blocks).toMatchObject([{ kind: 'tool_result', toolUseId: 't1' }]);
  });

  it('counts a response once, and says where usage is missing', () => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 20 };
    const transcript = read([
      ...OPENING,
      answer('r1', 2, usage),
      answer('r1', 2, usage),
      answer('r2', 6, null),
    ]);
    expect(recordedTotals(transcript)).toMatchObject({ calls: 2, usage: { input: 1_000, output: 20 } });
    expect(warningCodes(transcript)).toContain('no-usage');
  });
});
