import { describe, expect, it } from 'vitest';
import {
  answer,
  at,
  exported,
  finish,
  tokens,
  tool,
  typed,
} from '../../helpers/recordings/opencode-session.js';
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

const text = (id: string, words: string): Fields => ({ id, type: 'text', text: words });

function read(messages: readonly Fields[]) {
  return readAny(exported(messages), { id: 'session' });
}

describe('opencode sessions', () => {
  it('takes each finished step for one call, with the input apart from the cache', () => {
    const transcript = read([
      typed('m1', 0, 'go'),
      answer(
        'm2',
        [1, 9],
        [
          { id: 'a', type: 'step-start' },
          text('b', 'I read it'),
          tool('t1', [3, 5]),
          finish('f1', tokens(10, 0, 1_000, 40)),
          text('c', 'done'),
          finish('f2', tokens(4, 1_000, 60, 20, { reasoning: 5 })),
        ],
      ),
    ]);
    expect(transcript).toMatchObject({ source: 'opencode', agentVersion: '1.1.0' });
    const calls = callsOf(firstThread(transcript));
    expect(calls.map(({ usage }) => usage)).toEqual([
      { input: 10, cacheRead: 0, cacheWrite5m: 1_000, cacheWrite1h: 0, output: 40 },
      { input: 4, cacheRead: 1_000, cacheWrite5m: 60, cacheWrite1h: 0, output: 25 },
    ]);
    expect(calls[0]).toMatchObject({
      startMs: 1_000,
      endMs: 3_000,
      stopReason: 'tool_use',
      model: 'model-x',
    });
    expect(calls[1]).toMatchObject({ startMs: 5_000, endMs: 9_000 });
    const result = messagesOf(firstThread(transcript)).find(({ origin }) => origin === 'tool')!;
    expect(result.at).toBe(5_000);
    expect(result.blocks[0]).toMatchObject({ toolUseId: 't1', tool: 'read' });
    expect(transcript.carries).toContain('cache-writes');
    expect(transcript.carries).not.toContain('lifetimes');
  });

  it('counts the reasoning once where the total says that the output holds it', () => {
    const counts = tokens(100, 0, 0, 40, { reasoning: 30, total: 140 });
    const transcript = read([
      typed('m1', 0, 'go'),
      answer('m2', [1, 2], [text('b', 'x'), finish('f', counts)]),
    ]);
    expect(recordedTotals(transcript).usage.output).toBe(40);
  });

  it('does not say that nothing was written where no write was ever counted', () => {
    const step = finish('f', tokens(100, 0, 0, 40));
    expect(read([typed('m1', 0, 'go'), answer('m2', [1, 2], [text('b', 'x'), step])]).carries).not.toContain(
      'cache-writes',
    );
  });

  it('reads a compaction with its summary, and its request as one beside the conversation', () => {
    const transcript = read([
      typed('m1', 0, 'go'),
      answer('m2', [1, 2], [text('b', 'first'), finish('f1', tokens(9_000, 0, 0, 40))]),
      typed('m3', 5, 'and then'),
      answer('m4', [6, 7], [text('c', 'second'), finish('f2', tokens(500, 9_000, 0, 40))]),
      {
        info: { id: 'm5', role: 'user', time: { created: at(8) } },
        parts: [{ id: 'x', type: 'compaction', auto: true, tail_start_id: 'm3' }],
      },
      answer('m6', [9, 14], [text('d', 'so far: two'), finish('f3', tokens(9_600, 0, 0, 300))], {
        summary: true,
      }),
      typed('m7', 15, 'Continue', { synthetic: true }),
      answer('m8', [16, 17], [text('e', 'third'), finish('f4', tokens(1_500, 0, 0, 40))]),
    ]);
    const [main, summary] = transcript.threads;
    expect(callsOf(main!).map(({ id }) => id)).toEqual(['f1', 'f2', 'f4']);
    expect(summary).toMatchObject({ parentId: 'session', label: 'compaction' });
    expect(callsOf(summary!)[0]).toMatchObject({
      usage: { input: 9_600, output: 300 },
      startMs: 9_000,
      endMs: 14_000,
    });
    expect(eventsOf(main!)).toMatchObject([
      {
        kind: 'recorded-compaction',
        trigger: 'auto',
        preTokens: 9_500,
        durationMs: 5_000,
        keptIds: ['m3', 'response-f2'],
        summary: { origin: 'summary' },
      },
    ]);
    expect(messagesOf(main!).find(({ id }) => id === 'm7')!.origin).toBe('meta');
    expect(recordedTotals(transcript).usage.input).toBe(9_000 + 500 + 9_600 + 1_500);
  });

  it('tells of results that were emptied, not of a compaction', () => {
    const transcript = read([
      typed('m1', 0, 'go'),
      answer(
        'm2',
        [1, 4],
        [tool('t1', [2, 3], { compacted: at(20) }), finish('f1', tokens(9_000, 0, 0, 40))],
      ),
      answer('m3', [5, 6], [text('c', 'done'), finish('f2', tokens(9_500, 0, 0, 40))]),
      typed('m4', 30, 'more'),
      answer('m5', [31, 32], [text('d', 'done'), finish('f3', tokens(3_000, 0, 0, 40))]),
    ]);
    expect(eventsOf(firstThread(transcript))).toMatchObject([
      { kind: 'recorded-microcompact', at: 20_000, preTokens: 9_500, toolUseIds: ['t1'] },
    ]);
  });

  it('takes the counts of the message where it has no steps, and leaves out one that failed before it was billed', () => {
    const transcript = read([
      typed('m1', 0, 'go'),
      answer('m2', [1, 2], [], { error: { name: 'APIError' }, tokens: tokens(0, 0, 0, 0) }),
      answer('m3', [3, 4], [text('c', 'done')], { tokens: tokens(700, 0, 0, 40) }),
      answer('m4', [5, 6], [text('d', 'cut off')], { tokens: tokens(0, 0, 0, 0) }),
    ]);
    expect(callsOf(firstThread(transcript)).map(({ usage }) => usage?.input ?? null)).toEqual([700, null]);
    expect(warningCodes(transcript)).toContain('no-usage');
  });

  it('counts a message once that stands there twice', () => {
    const twice = answer('m2', [1, 2], [text('b', 'x'), finish('f', tokens(100, 0, 0, 40))]);
    expect(recordedTotals(read([typed('m1', 0, 'go'), twice, twice])).calls).toBe(1);
  });

  it('reads messages without a session around them, and leaves out a half-written last line', () => {
    const lines = [
      { id: 'm1', sessionID: 'ses_1', role: 'user', time: { created: at(0) } },
      {
        id: 'm2',
        sessionID: 'ses_1',
        role: 'assistant',
        modelID: 'model-x',
        time: { created: at(1) },
        tokens: tokens(50, 0, 0, 4),
      },
    ];
    const transcript = readAny(Buffer.concat([jsonl(lines), Buffer.from('{"id":"m3"')]), { id: 'session' });
    expect(recordedTotals(transcript)).toMatchObject({ calls: 1, usage: { input: 50, output: 4 } });
    expect(warningCodes(transcript)).toContain('truncated-file');
  });
});
