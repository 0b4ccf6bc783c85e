import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { promptTokens } from '../../../src/core/model/usage.js';
import { googleUsage } from '../../../src/transcripts/readers/google.js';
import { countCalls, geminiCalls } from '../../helpers/recordings/count-raw.js';
import { readAny } from '../../helpers/recordings/read-any.js';
import { recordedTotals } from '../../helpers/recordings/recorded-totals.js';
import { sharedData } from '../../helpers/recordings/shared.js';
import {
  callsOf,
  eventsOf,
  type Fields,
  firstThread,
  jsonl,
  messagesOf,
  outline,
  stamp,
  warningCodes,
} from '../../helpers/session.js';

const RECORDING = 'transcripts/gemini-cli/entireio__cli__session-f7633853.json.gz';
const META = { sessionId: 's', projectHash: 'p', startTime: stamp(0), lastUpdated: stamp(0) };

function tokens(input: number, cached: number, output: number, thoughts = 0, tool = 0): Fields {
  return { input, output, cached, thoughts, tool, total: input + output + thoughts + tool };
}

function typed(id: string, seconds: number, content: unknown): Fields {
  return { id, timestamp: stamp(seconds), type: 'user', content };
}

function gemini(id: string, seconds: number, fields: Fields): Fields {
  return { id, timestamp: stamp(seconds), type: 'gemini', content: 'done', model: 'gemini-x', ...fields };
}

function tool(id: string, seconds: number, output: string): Fields {
  return {
    id,
    name: 'read_file',
    args: { absolute_path: 'a.ts' },
    status: 'success',
    timestamp: stamp(seconds),
    result: [{ functionResponse: { id, name: 'read_file', response: { output } } }],
  };
}

function readLines(lines: readonly (Fields | string)[]) {
  return readAny(jsonl([META, ...lines]), { id: 'chat' });
}

function readWhole(messages: readonly Fields[]) {
  return readAny(Buffer.from(JSON.stringify({ ...META, messages }, null, 2)), { id: 'chat' });
}

describe('Gemini CLI chats', () => {
  it.skipIf(!sharedData.present)(
    'holds what the raw file of the recording says, call by call and in sum',
    () => {
      const bytes = sharedData.read(RECORDING);
      const transcript = readAny(bytes, { id: 'gemini' });
      const { written: _, ...raw } = countCalls(geminiCalls(gunzipSync(bytes).toString('utf8')));
      const { calls, usage } = recordedTotals(transcript);
      expect(raw.calls).toBeGreaterThan(10);
      expect({ calls, prompt: promptTokens(usage), cached: usage.cacheRead, output: usage.output }).toEqual(
        raw,
      );
      expect(transcript.carries).not.toContain('cache-writes');
    },
  );

  it('takes the cached tokens out of the input, and counts thoughts as output and server tools as input', () => {
    const transcript = readWhole([
      typed('u', 0, 'go'),
      gemini('g', 2, { tokens: tokens(1_000, 600, 50, 30, 7) }),
    ]);
    const [call] = callsOf(firstThread(transcript));
    expect(call!.usage).toEqual({ input: 407, cacheRead: 600, cacheWrite5m: 0, cacheWrite1h: 0, output: 80 });
    expect(call).toMatchObject({ model: 'gemini-x', startMs: 0, endMs: 2_000 });
  });

  it('puts the results of tools behind the response, at the time they were there', () => {
    const first = gemini('g1', 2, {
      tokens: tokens(1_000, 0, 50),
      toolCalls: [tool('t1', 5, 'const x = 1;')],
    });
    const thread = firstThread(
      readWhole([typed('u', 0, 'go'), first, gemini('g2', 8, { tokens: tokens(1_100, 900, 5) })]),
    );
    const result = messagesOf(thread).find(({ origin }) => origin === 'tool')!;
    expect(result.at).toBe(5_000);
    expect(result.blocks[0]).toMatchObject({ kind: 'tool_result', toolUseId: 't1', tool: 'read_file' });
    expect(result.blocks[0]!.facts.path).toBe('a.ts');
    expect(callsOf(thread)[0]!.response.blocks.map(({ kind }) => kind)).toEqual(['text', 'tool_use']);
    expect(callsOf(thread)[1]).toMatchObject({ startMs: 5_000, endMs: 8_000 });
  });

  it('takes a record without words and tokens for the tools of the response before it', () => {
    const thread = firstThread(
      readWhole([
        typed('u', 0, 'go'),
        gemini('g1', 2, { tokens: tokens(1_000, 0, 50) }),
        { id: 'i', timestamp: stamp(3), type: 'info', content: 'an update is there' },
        gemini('g2', 5, { content: '', tokens: tokens(0, 0, 0), toolCalls: [tool('t1', 5, 'x')] }),
        gemini('g3', 8, { tokens: tokens(1_100, 900, 5) }),
      ]),
    );
    expect(callsOf(thread).map(({ id }) => id)).toEqual(['g1', 'g3']);
    expect(callsOf(thread)[0]!.response.blocks.at(-1)).toMatchObject({ kind: 'tool_use', toolUseId: 't1' });
  });

  it('counts a message once that is written again with its tokens and its tools', () => {
    const transcript = readLines([
      typed('u', 0, 'go'),
      gemini('g1', 2, {}),
      { $set: { lastUpdated: stamp(2) } },
      gemini('g1', 2, { tokens: tokens(1_000, 0, 50) }),
      gemini('g1', 2, { tokens: tokens(1_000, 0, 50), toolCalls: [tool('t1', 5, 'x')] }),
      gemini('g2', 8, { tokens: tokens(1_100, 900, 5) }),
    ]);
    expect(recordedTotals(transcript)).toMatchObject({
      calls: 2,
      usage: { input: 1_200, cacheRead: 900, output: 55 },
    });
  });

  it('goes back with the user: what came behind is gone, its calls were billed', () => {
    const thread = firstThread(
      readLines([
        typed('u1', 0, 'go'),
        gemini('g1', 2, { tokens: tokens(1_000, 0, 50) }),
        typed('u2', 10, 'a detour'),
        gemini('g2', 12, { tokens: tokens(1_200, 900, 50) }),
        { $rewindTo: 'u2' },
        typed('u3', 20, 'another way'),
        gemini('g3', 22, { tokens: tokens(1_150, 900, 50) }),
      ]),
    );
    expect(callsOf(thread)).toHaveLength(3);
    expect(eventsOf(thread)).toMatchObject([{ kind: 'rewind', lastId: 'response-g1' }]);
  });

  it('reads a history that was written again as a compaction with its summary', () => {
    const kept = gemini('g2', 12, { tokens: tokens(9_000, 900, 50) });
    const thread = firstThread(
      readLines([
        typed('u1', 0, 'go'),
        gemini('g1', 2, { tokens: tokens(8_000, 0, 50) }),
        typed('u2', 10, 'more'),
        kept,
        { $set: { messages: [typed('s', 13, [{ text: 'so far: nothing' }]), kept] } },
        typed('u3', 20, 'go on'),
        gemini('g3', 22, { tokens: tokens(1_150, 0, 50) }),
      ]),
    );
    const [event] = eventsOf(thread);
    expect(event).toMatchObject({ kind: 'recorded-compaction', preTokens: 9_000, keptIds: ['response-g2'] });
    expect(event!.kind === 'recorded-compaction' && event!.summary!.blocks[0]!.text!.read()).toBe(
      'so far: nothing',
    );
  });

  describe('R6 a history that Gemini CLI 0.61 writes again to mask results', () => {
    const asked = (id: string, seconds: number, use: string, input: number): Fields =>
      gemini(id, seconds, {
        content: `step ${use}`,
        tokens: tokens(input, 0, 50),
        toolCalls: [tool(use, seconds + 1, 'x'.repeat(900))],
      });
    const START = [typed('u1', 0, 'go'), asked('g1', 2, 't1', 9_000), asked('g2', 6, 't2', 9_500)];
    const END = [
      asked('g3', 12, 't3', 4_000),
      typed('u2', 20, 'go'),
      gemini('g4', 22, { tokens: tokens(4_300, 0, 5) }),
    ];
    /** The history as the client sends it, under ids that are new each time. */
    const again = (name: string, uses: readonly string[]): readonly Fields[] => [
      { id: `${name}-u`, timestamp: stamp(10), type: 'user', content: [{ text: 'go' }] },
      ...uses.flatMap((use): Fields[] => [
        {
          id: `${name}-g-${use}`,
          timestamp: stamp(10),
          type: 'gemini',
          content: [{ text: `step ${use}` }, { functionCall: { id: use, name: 'read_file', args: {} } }],
        },
        {
          id: `${name}-r-${use}`,
          timestamp: stamp(10),
          type: 'user',
          content: [
            {
              functionResponse: {
                id: use,
                name: 'read_file',
                response: { output: '<tool_output_masked>x</tool_output_masked>' },
              },
            },
          ],
        },
      ]),
    ];
    const check = (lines: readonly Fields[]): void => {
      const thread = firstThread(readLines(lines));
      expect(callsOf(thread).map(({ id }) => id)).toEqual(['g1', 'g2', 'g3', 'g4']);
      expect(messagesOf(thread).filter(({ origin }) => origin === 'human')).toHaveLength(2);
      expect(eventsOf(thread)).toMatchObject([{ kind: 'recorded-microcompact', toolUseIds: ['t1', 't2'] }]);
    };

    it('has the messages that were there, in one record', () => {
      const messages = again('a', ['t1', 't2']);
      check([...START, { $set: { messages } }, { $set: { messages: again('b', ['t1', 't2']) } }, ...END]);
    });

    it('has the messages that were there, one by one', () => {
      const [first, second] = [again('a', ['t1', 't2']), again('b', ['t1', 't2'])];
      const order = (all: readonly Fields[]) => ({ $patch: { orderIds: all.map(({ id }) => id) } });
      check([...START, ...first, order(first), ...second, order(second), ...END]);
    });

    it('has the messages that were there, one by one and in one record', () => {
      const messages = again('a', ['t1', 't2']);
      check([...START, ...messages, { $set: { messages } }, ...END]);
    });

    it('is a compaction where something somebody said is gone', () => {
      const summary = typed('s', 11, [{ text: 'so far: two files' }]);
      const patch = { $patch: { removeIds: ['u1', 'g1', 'g2'], orderIds: ['s'] } };
      const thread = firstThread(readLines([...START, summary, patch, ...END]));
      expect(eventsOf(thread)).toMatchObject([{ kind: 'recorded-compaction', keptIds: ['s'] }]);
      expect(callsOf(thread)).toHaveLength(4);
    });
  });

  it('takes a prompt that lost two fifths for a compression nobody tells of', () => {
    const transcript = readWhole([
      typed('u1', 0, 'go'),
      gemini('g1', 2, { tokens: tokens(10_000, 0, 50) }),
      typed('u2', 10, 'more'),
      gemini('g2', 12, { tokens: tokens(5_000, 900, 50) }),
    ]);
    expect(eventsOf(firstThread(transcript))).toMatchObject([
      { kind: 'recorded-compaction', preTokens: 10_000, postTokens: 5_000 },
    ]);
    expect(warningCodes(transcript)).toContain('compaction-inferred');
  });

  it('says which responses have no usage, and sizes them all the same', () => {
    const transcript = readWhole([typed('u', 0, 'go'), gemini('g', 2, { tokens: null })]);
    expect(callsOf(firstThread(transcript))[0]!.usage).toBeNull();
    expect(warningCodes(transcript)).toContain('no-usage');
    expect(transcript.carries).not.toContain('usage');
  });

  it('leaves out a half-written last line, and refuses a half-written document', () => {
    const lines = [typed('u', 0, 'go'), gemini('g', 2, { tokens: tokens(1_000, 0, 50) })];
    const cut = readAny(Buffer.concat([jsonl([META, ...lines]), Buffer.from('{"id":"g2","ty')]), {
      id: 'chat',
    });
    expect(outline(firstThread(cut)).filter((step) => step.startsWith('call'))).toEqual(['call g']);
    expect(warningCodes(cut)).toContain('truncated-file');
    const whole = JSON.stringify({ ...META, messages: lines }, null, 2);
    expect(() => readAny(Buffer.from(whole.slice(0, -20)), { id: 'chat' })).toThrow(
      /no line of the file|not complete/,
    );
  });

  it('refuses a chat in which the model never answered', () => {
    expect(() => readWhole([typed('u', 0, 'go')])).toThrow('a Gemini CLI chat without a response of a model');
  });
});

it('tokens of server tools count once: beside the prompt where the total has them apart, else within it', () => {
  const names = {
    prompt: 'input',
    cached: 'cached',
    candidates: 'output',
    thoughts: 'thoughts',
    tool: 'tool',
    total: 'total',
  };
  const counts = { input: 1_000, cached: 400, output: 50, thoughts: 20, tool: 30 };
  expect(googleUsage({ ...counts, total: 1_100 }, names)).toMatchObject({
    input: 630,
    cacheRead: 400,
    output: 70,
  });
  expect(googleUsage({ ...counts, total: 1_070 }, names)).toMatchObject({
    input: 600,
    cacheRead: 400,
    output: 70,
  });
});
