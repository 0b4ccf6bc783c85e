import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadTranscript } from '../../../src/transcripts/files/transcripts.js';
import { readAny } from '../../helpers/recordings/read-any.js';
import { recordedTotals } from '../../helpers/recordings/recorded-totals.js';
import {
  callsOf,
  eventsOf,
  type Fields,
  firstThread,
  jsonl,
  messagesOf,
  warningCodes,
} from '../../helpers/session.js';

const time = (seconds: number): string => `2026-01-02T00:00:${String(seconds).padStart(2, '0')}.000000`;

function usage(response_id: string, prompt: number, read: number, write: number, completion: number): Fields {
  return {
    model: 'model-x',
    prompt_tokens: prompt,
    completion_tokens: completion,
    cache_read_tokens: read,
    cache_write_tokens: write,
    response_id,
  };
}

function state(usages: readonly Fields[], latencies: readonly Fields[] = []): Fields {
  const agent = { model_name: 'model-x', token_usages: usages, response_latencies: latencies };
  return { id: 'c', stats: { usage_to_metrics: { agent } } };
}

const asked: Fields = {
  kind: 'MessageEvent',
  id: 'e1',
  timestamp: time(0),
  source: 'user',
  llm_message: { role: 'user', content: [{ type: 'text', text: 'fix it' }] },
};

function action(id: string, seconds: number, response: string, tool: string): Fields {
  return {
    kind: 'ActionEvent',
    id,
    timestamp: time(seconds),
    source: 'agent',
    thought: [{ type: 'text', text: 'let me see' }],
    tool_name: 'terminal',
    tool_call_id: tool,
    tool_call: { id: tool, name: 'terminal', arguments: '{"command":"ls"}' },
    llm_response_id: response,
  };
}

function observation(id: string, seconds: number, tool: string): Fields {
  const content = [{ type: 'text', text: 'a.ts' }];
  return {
    kind: 'ObservationEvent',
    id,
    timestamp: time(seconds),
    source: 'environment',
    tool_name: 'terminal',
    tool_call_id: tool,
    observation: { content },
  };
}

const EVENTS = [
  asked,
  action('e2', 4, 'r1', 't1'),
  action('e3', 4, 'r1', 't2'),
  observation('e4', 6, 't1'),
  observation('e5', 7, 't2'),
  action('e6', 9, 'r2', 't3'),
];

function read(base: Fields, events: readonly Fields[]) {
  return readAny(Buffer.from(JSON.stringify({ ...base, events })), { id: 'run' });
}

describe('OpenHands conversations', () => {
  it('takes the events of one response for one call, without what was cached', () => {
    const latencies = [{ model: 'model-x', latency: 1.5, response_id: 'r1' }];
    const transcript = read(
      state([usage('r1', 1_000, 0, 900, 40), usage('r2', 1_200, 900, 200, 30)], latencies),
      EVENTS,
    );
    expect(warningCodes(transcript)).not.toContain('calls-without-event');
    const calls = callsOf(firstThread(transcript));
    expect(calls.map(({ usage: billed }) => billed)).toEqual([
      { input: 100, cacheRead: 0, cacheWrite5m: 900, cacheWrite1h: 0, output: 40 },
      { input: 100, cacheRead: 900, cacheWrite5m: 200, cacheWrite1h: 0, output: 30 },
    ]);
    expect(calls[0]!.response.blocks.filter(({ kind }) => kind === 'tool_use')).toHaveLength(2);
    expect(calls[0]).toMatchObject({ startMs: 2_500, endMs: 4_000, model: 'model-x' });
    expect(calls[1]).toMatchObject({ startMs: 7_000, endMs: 9_000 });
    expect(messagesOf(firstThread(transcript)).map(({ origin }) => origin)).toEqual([
      'human',
      'tool',
      'tool',
    ]);
  });

  it.each([1e300, 1e20])('ignores a latency of %d s: the session begins with its first event', (latency) => {
    const [, ...later] = EVENTS;
    const usages = [usage('r1', 1_000, 0, 900, 40), usage('r2', 1_200, 900, 200, 30)];
    const transcript = read(state(usages, [{ model: 'model-x', latency, response_id: 'r1' }]), later);
    expect(transcript.startedAtMs).toBe(Date.UTC(2026, 0, 2, 0, 0, 4));
    expect(callsOf(firstThread(transcript)).map(({ endMs }) => endMs)).toEqual([0, 5_000]);
  });

  it('takes the prompt as it is where more was read than it is long', () => {
    const transcript = read(state([usage('r1', 10, 0, 0, 40), usage('r2', 20, 900, 0, 30)]), EVENTS);
    expect(recordedTotals(transcript).usage).toMatchObject({ input: 30, cacheRead: 900 });
  });

  it('reads a condensation: what is forgotten, what stays, and its request beside the conversation', () => {
    const condensation = {
      kind: 'Condensation',
      id: 'e7',
      timestamp: time(12),
      forgotten_event_ids: ['e2', 'e3', 'e4', 'e5'],
      summary: 'so far',
      llm_response_id: 'r9',
    };
    const usages = [
      usage('r1', 1_000, 0, 0, 40),
      usage('r2', 1_200, 900, 0, 30),
      usage('r9', 1_300, 0, 0, 90),
    ];
    const transcript = read(state(usages), [...EVENTS, condensation]);
    const [main, beside] = transcript.threads;
    expect(eventsOf(main!)).toMatchObject([
      { kind: 'recorded-compaction', keptIds: ['e1', 'response-r2'], summary: { origin: 'summary' } },
    ]);
    expect(callsOf(beside!)[0]!.usage).toMatchObject({ input: 1_300, output: 90 });
  });

  it('reads events one a line that carry the counts, each once, without the half-written last one', () => {
    const counted = { ...EVENTS[1]!, llm_metrics: { token_usages: [usage('r1', 1_000, 0, 0, 40)] } };
    const lines = jsonl([asked, counted, counted, EVENTS[2]!]);
    const transcript = readAny(Buffer.concat([lines, Buffer.from('{"kind":"Obs')]), { id: 'run' });
    expect(recordedTotals(transcript)).toMatchObject({ calls: 1, usage: { input: 1_000, output: 40 } });
    expect(warningCodes(transcript)).toContain('truncated-file');
  });

  it('says which requests have no event and which events no usage', () => {
    const transcript = read(state([usage('r1', 1_000, 0, 0, 40), usage('r7', 500, 0, 0, 4)]), EVENTS);
    expect(warningCodes(transcript)).toEqual(expect.arrayContaining(['calls-without-event', 'no-usage']));
    expect(callsOf(firstThread(transcript))[1]!.usage).toBeNull();
  });

  it('brings the state and the events of a folder together', () => {
    const home = mkdtempSync(join(tmpdir(), 'ccbench-openhands-'));
    try {
      mkdirSync(join(home, 'events'));
      writeFileSync(join(home, 'base_state.json'), JSON.stringify(state([usage('r1', 1_000, 0, 0, 40)])));
      EVENTS.slice(0, 5).forEach((event, i) => {
        writeFileSync(join(home, 'events', `event-0000${i}-${String(event.id)}.json`), JSON.stringify(event));
      });
      const { format, transcript } = loadTranscript('base_state.json', { cwd: home });
      expect(format).toBe('openhands');
      expect(recordedTotals(transcript)).toMatchObject({ calls: 1, usage: { input: 1_000 } });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
