import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { clineReader } from '../../../src/transcripts/readers/cline.js';
import { detectReader } from '../../../src/transcripts/readers/readers.js';
import { recordedTotals } from '../../helpers/recordings/recorded-totals.js';
import {
  callsOf,
  eventsOf,
  type Fields,
  firstThread,
  messagesOf,
  warningCodes,
} from '../../helpers/session.js';

const START = Date.UTC(2026, 0, 2);

function say(kind: string, seconds: number, text: string, fields: Fields = {}): Fields {
  return { ts: START + seconds * 1_000, type: 'say', say: kind, text, ...fields };
}

function request(seconds: number, counts: Fields, fields: Fields = {}): Fields {
  return say('api_req_started', seconds, JSON.stringify({ request: '…', ...counts }), fields);
}

const counted = (tokensIn: number, cacheReads: number, cacheWrites: number, tokensOut: number): Fields => ({
  tokensIn,
  tokensOut,
  cacheWrites,
  cacheReads,
});

const HISTORY = [
  { role: 'user', content: [{ type: 'text', text: 'go' }] },
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 't1', name: 'read_file', input: { path: 'a.ts' } }],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'const x = 1;' }] },
  { role: 'assistant', content: 'done' },
];

const UI = [
  say('task', 0, 'go'),
  request(1, counted(10, 0, 5_000, 40)),
  say('reasoning', 2, 'hm'),
  say('tool', 4, '{"tool":"readFile"}'),
  request(6, counted(4, 5_000, 200, 30)),
  say('text', 8, 'done'),
];

function read(ui: readonly Fields[], files: Readonly<Record<string, unknown>> = {}): Transcript {
  const beside = (name: string): Uint8Array | null => {
    const file = files[name];
    if (file === undefined) return null;
    return Buffer.from(typeof file === 'string' ? file : JSON.stringify(file));
  };
  return clineReader.read(Buffer.from(JSON.stringify(ui)), { id: 'task', beside });
}

describe('Cline and Roo tasks', () => {
  it('are known by the first message of the user interface', () => {
    expect(detectReader(JSON.stringify(UI), { id: 'f' })).toBe('cline');
  });

  it('reads usage from the requests and the words from the conversation beside them', () => {
    const transcript = read(UI, { 'api_conversation_history.json': HISTORY });
    const thread = firstThread(transcript);
    const calls = callsOf(thread);
    expect(calls.map(({ usage }) => usage)).toEqual([
      { input: 10, cacheRead: 0, cacheWrite5m: 5_000, cacheWrite1h: 0, output: 40 },
      { input: 4, cacheRead: 5_000, cacheWrite5m: 200, cacheWrite1h: 0, output: 30 },
    ]);
    expect(calls[0]).toMatchObject({ startMs: 0, endMs: 3_000, stopReason: 'tool_use' });
    expect(messagesOf(thread).map(({ origin }) => origin)).toEqual(['human', 'tool']);
    expect(calls[0]!.response.blocks[0]).toMatchObject({ tool: 'read_file', toolUseId: 't1' });
    expect(transcript.carries).toContain('cache-writes');
    expect(transcript.carries).not.toContain('latency');
  });

  it("takes the cache out of Roo's input where the input holds it", () => {
    const roo = (counts: Fields): Fields => ({ ...counts, apiProtocol: 'openai' });
    const transcript = read([
      say('task', 0, 'go'),
      request(1, roo(counted(5_010, 0, 0, 40))),
      say('text', 2, 'a'),
      request(6, roo(counted(5_204, 5_000, 0, 30))),
    ]);
    expect(recordedTotals(transcript).usage).toEqual({
      input: 5_010 + 204,
      cacheRead: 5_000,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      output: 70,
    });
    expect(transcript.carries).not.toContain('cache-writes');
  });

  it('leaves the input of the Anthropic protocol as it is where it cannot hold the cache', () => {
    const counts = { ...counted(4, 5_000, 200, 30), apiProtocol: 'anthropic' };
    expect(recordedTotals(read([say('task', 0, 'go'), request(1, counts)])).usage.input).toBe(4);
  });

  it('names the model of the time', () => {
    const metadata = {
      model_usage: [
        { ts: START, model_id: 'model-a' },
        { ts: START + 5_000, model_id: 'model-b' },
      ],
    };
    const noted = read(UI, { 'task_metadata.json': metadata });
    expect(callsOf(firstThread(noted)).map(({ model }) => model)).toEqual(['model-a', 'model-b']);
    const told = read([
      say('task', 0, 'go'),
      request(1, counted(10, 0, 0, 4), { modelInfo: { modelId: 'model-c' } }),
    ]);
    expect(callsOf(firstThread(told))[0]!.model).toBe('model-c');
  });

  it('reads a truncation by the range of messages that was taken out', () => {
    const transcript = read(
      [
        ...UI,
        request(20, counted(900, 0, 0, 30), { conversationHistoryDeletedRange: [1, 2] }),
        say('text', 22, 'on'),
      ],
      {
        'api_conversation_history.json': [
          ...HISTORY,
          { role: 'user', content: 'more' },
          { role: 'assistant', content: 'on' },
        ],
      },
    );
    expect(eventsOf(firstThread(transcript))).toMatchObject([
      {
        kind: 'recorded-compaction',
        preTokens: 5_204,
        summary: null,
        keptIds: ['message-0', 'response-request-2'],
      },
    ]);
  });

  it("reads Roo's condensed context with its sizes and its summary", () => {
    const condensed = { prevContextTokens: 5_300, newContextTokens: 900, summary: 'so far', cost: 0.1 };
    const transcript = read([
      ...UI,
      say('condense_context', 10, '', { contextCondense: condensed }),
      request(20, counted(900, 0, 0, 30)),
    ]);
    expect(eventsOf(firstThread(transcript))).toMatchObject([
      { kind: 'recorded-compaction', preTokens: 5_300, postTokens: 900, summary: { origin: 'summary' } },
    ]);
  });

  it('does without the conversation, and says so', () => {
    const transcript = read(UI, { 'api_conversation_history.json': '[{"role":"us' });
    expect(recordedTotals(transcript)).toMatchObject({ calls: 2, usage: { input: 14 } });
    expect(warningCodes(transcript)).toEqual(expect.arrayContaining(['file-left-out', 'content-missing']));
    expect(transcript.carries).not.toContain('text');
  });

  it('counts a request once, one that failed not at all, and one without counts as unknown', () => {
    const transcript = read([
      say('task', 0, 'go'),
      request(1, { cancelReason: 'streaming_failed', streamingFailedMessage: 'overloaded' }),
      request(3, counted(10, 0, 0, 40)),
      request(3, counted(10, 0, 0, 40)),
      say('text', 4, 'a'),
      request(9, {}),
    ]);
    expect(callsOf(firstThread(transcript)).map(({ usage }) => usage?.input ?? null)).toEqual([10, null]);
    expect(messagesOf(firstThread(transcript))[0]!.origin).toBe('human');
    expect(warningCodes(transcript)).toContain('no-usage');
  });

  it('refuses a file that was cut short', () => {
    const bytes = Buffer.from(JSON.stringify(UI).slice(0, -30));
    expect(() => clineReader.read(bytes, { id: 'task' })).toThrow(
      'task: the file is not valid JSON, or is truncated',
    );
  });
});
