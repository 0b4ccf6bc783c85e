import { describe, expect, it } from 'vitest';
import { readAny } from '../../helpers/recordings/read-any.js';
import {
  callsOf,
  eventsOf,
  type Fields,
  firstThread,
  jsonl,
  messagesOf,
  stamp,
  warningCodes,
} from '../../helpers/session.js';

function event(id: string, seconds: number, type: string, data: Fields, fields: Fields = {}): Fields {
  return { id, parentId: null, timestamp: stamp(seconds), type, data, ...fields };
}

const START = event('e0', 0, 'session.start', {
  sessionId: 's',
  copilotVersion: '1.0.5',
  selectedModel: 'model-x',
});
const ASKED = event('e1', 1, 'user.message', { content: 'fix it' });

function answer(id: string, seconds: number, fields: Fields = {}): Fields {
  return event(id, seconds, 'assistant.message', {
    messageId: `m-${id}`,
    content: 'done',
    toolRequests: [],
    ...fields,
  });
}

const read = (events: readonly Fields[]) => readAny(jsonl([START, ...events]), { id: 'events' });

describe('Copilot CLI events', () => {
  it('reads the conversation without usage, and says so', () => {
    const request = { toolCallId: 't1', name: 'view', arguments: { path: 'a.ts' } };
    const transcript = read([
      ASKED,
      event('e2', 2, 'assistant.turn_start', { turnId: '0' }),
      answer('e3', 4, { toolRequests: [request] }),
      event('e4', 5, 'tool.execution_complete', {
        toolCallId: 't1',
        success: true,
        result: { content: 'x' },
      }),
      event('e5', 6, 'assistant.usage', { inputTokens: 10 }, { ephemeral: true }),
      answer('e6', 9),
    ]);
    const thread = firstThread(transcript);
    expect(transcript).toMatchObject({ source: 'copilot-cli', agentVersion: '1.0.5' });
    expect(callsOf(thread).map(({ usage, model }) => [usage, model])).toEqual([
      [null, 'model-x'],
      [null, 'model-x'],
    ]);
    expect(callsOf(thread)[0]).toMatchObject({ startMs: 1_000, endMs: 3_000 });
    expect(messagesOf(thread).at(-1)!.blocks[0]).toMatchObject({
      kind: 'tool_result',
      tool: 'view',
      toolUseId: 't1',
    });
    for (const unknown of ['usage', 'cache-writes', 'output-tokens'] as const)
      expect(transcript.carries).not.toContain(unknown);
    expect(warningCodes(transcript)).toEqual(expect.arrayContaining(['usage-not-kept', 'no-usage']));
  });

  it('tells the truth about compactions: when, how large, how long, and what their request cost', () => {
    const transcript = read([
      ASKED,
      answer('e3', 4),
      event('e4', 5, 'session.compaction_start', { conversationTokens: 90_000 }),
      event('e5', 12, 'session.compaction_complete', {
        success: true,
        trigger: 'threshold',
        preCompactionTokens: 100_000,
        postCompactionTokens: 20_000,
        summaryContent: 'so far',
        compactionTokensUsed: {
          inputTokens: 95_000,
          cacheReadTokens: 80_000,
          cacheWriteTokens: 5_000,
          outputTokens: 900,
        },
      }),
      answer('e6', 14),
    ]);
    const [main, beside] = transcript.threads;
    expect(eventsOf(main!)).toMatchObject([
      {
        kind: 'recorded-compaction',
        trigger: 'auto',
        preTokens: 100_000,
        postTokens: 20_000,
        durationMs: 7_000,
        summary: { origin: 'summary' },
      },
    ]);
    expect(callsOf(beside!)[0]!.usage).toEqual({
      input: 10_000,
      cacheRead: 80_000,
      cacheWrite5m: 5_000,
      cacheWrite1h: 0,
      output: 900,
    });
  });

  it('reads a truncation, and no compaction that failed', () => {
    const transcript = read([
      ASKED,
      answer('e3', 4),
      event('e4', 5, 'session.compaction_complete', { success: false, error: 'overloaded' }),
      event('e5', 6, 'session.truncation', {
        preTruncationTokensInMessages: 50_000,
        postTruncationTokensInMessages: 30_000,
      }),
      answer('e6', 9),
    ]);
    expect(eventsOf(firstThread(transcript))).toMatchObject([
      { kind: 'recorded-compaction', preTokens: 50_000, postTokens: 30_000, summary: null },
    ]);
  });

  it('keeps what a tool started apart, and takes events once', () => {
    const transcript = read([
      ASKED,
      ASKED,
      answer('e3', 4, { toolRequests: [{ toolCallId: 't1', name: 'task', arguments: {} }] }),
      answer('e4', 5, { parentToolCallId: 't1' }),
      event('e5', 6, 'session.model_change', { newModel: 'model-y' }),
      answer('e6', 9),
    ]);
    expect(transcript.threads.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['events', null],
      ['t1', 'events'],
    ]);
    expect(messagesOf(firstThread(transcript))).toHaveLength(1);
    expect(callsOf(firstThread(transcript))[1]!.model).toBe('model-y');
  });

  it('leaves out a half-written last line', () => {
    const bytes = Buffer.concat([jsonl([START, ASKED, answer('e3', 4)]), Buffer.from('{"id":"e4","ty')]);
    expect(warningCodes(readAny(bytes, { id: 'events' }))).toContain('truncated-file');
  });
});
