import { describe, expect, it } from 'vitest';
import type { SentRequest, SentSession } from '../../../src/core/model/request-trace.js';
import { STREAM_FORMATS } from '../../../src/report/export/formats.js';

const SESSION: SentSession = {
  name: 's',
  startedAtMs: 1_000_000,
  threads: [
    { id: 'main', parentId: null, label: 'main' },
    { id: 'child', parentId: 'main', label: 'Explore' },
  ],
};

const request = (startMs: number, change: Partial<SentRequest> = {}): SentRequest => ({
  thread: 'main',
  purpose: 'main',
  startMs,
  endMs: startMs + 500,
  provider: 'bedrock',
  model: 'm',
  promptTokens: 1_100,
  outputTokens: 10,
  readTokens: null,
  writtenTokens: null,
  hashIds: [70, 80, 90],
  ...change,
});

/** What a format writes of requests, line by line. */
function written(format: keyof typeof STREAM_FORMATS, requests: readonly SentRequest[]): readonly unknown[] {
  const writer = STREAM_FORMATS[format].open(SESSION);
  return [...requests.flatMap((each) => writer.add(each)), ...writer.end()].map((line) => JSON.parse(line));
}

describe('weka', () => {
  it('numbers whole blocks in the order in which they come, in threads that follow the time', () => {
    const child = { thread: 'child', purpose: 'subagent', model: 'n' } as const;
    const [trace] = written('weka', [
      request(2_000),
      request(3_000, { ...child, promptTokens: 511, hashIds: [70] }),
      // 1,024 tokens are two blocks; the first is that of the main thread.
      request(4_250, { ...child, promptTokens: 1_024, hashIds: [70, 85] }),
      request(5_000, { promptTokens: 1_536, hashIds: [70, 80, 95] }),
    ]);
    const traced = { type: 'n', out: 10, api_time: 0.5 };
    expect(trace).toEqual({
      id: 's',
      models: ['m', 'n'],
      block_size: 512,
      hash_id_scope: 'local',
      requests: [
        { ...traced, t: 2, model: 'm', in: 1_100, hash_ids: [1, 2], think_time: 0 },
        {
          t: 3,
          type: 'subagent',
          agent_id: 'child',
          subagent_type: 'Explore',
          duration_ms: 1_750,
          status: 'completed',
          models: ['n'],
          requests: [
            { ...traced, t: 0, model: 'n', in: 511, hash_ids: [], think_time: 0 },
            { ...traced, t: 1.25, model: 'n', in: 1_024, hash_ids: [1, 4], think_time: 0.75 },
          ],
        },
        { ...traced, t: 5, model: 'm', in: 1_536, hash_ids: [1, 2, 3], think_time: 2.5 },
      ],
    });
    expect(written('weka', [])).toEqual([]);
  });
});

describe('aiperf', () => {
  it('says what a turn adds behind the answer before it, and begins again where the prompt is another', () => {
    const rows = written('aiperf', [
      request(0),
      request(900, { promptTokens: 1_210, outputTokens: 0, hashIds: [70, 80, 91] }),
      request(1_000, { promptTokens: 1_150, hashIds: [70, 80, 92] }),
      request(2_000, { hashIds: [70, 81, 93] }),
      request(2_100, { purpose: 'compact', hashIds: [1] }),
      request(2_200, { purpose: 'compact', hashIds: [1] }),
      request(3_000, { hashIds: [70, 81] }),
      request(4_000, { thread: 'child', purpose: 'subagent', hashIds: [70] }),
    ]);
    const whole = { input_length: 1_100, output_length: 10 };
    expect(rows).toEqual([
      { session_id: 's', ...whole, hash_ids: [70, 80, 90] },
      // 1,210 of which 1,100 were sent and 10 answered; 400 ms behind the answer
      { session_id: 's', delay: 400, input_length: 100, output_length: 1 },
      // fewer than before: one at least, and no time before the answer
      { session_id: 's', delay: 0, input_length: 1, output_length: 10 },
      { session_id: 's~2', ...whole, hash_ids: [70, 81, 93] },
      { session_id: 's/compact', ...whole, hash_ids: [1] },
      { session_id: 's/compact~2', ...whole, hash_ids: [1] },
      { session_id: 's~3', ...whole, hash_ids: [70, 81] },
      { session_id: 's/child', ...whole, hash_ids: [70] },
    ]);
  });
});

describe('otel', () => {
  interface Span {
    readonly traceId: string;
    readonly spanId: string;
    readonly parentSpanId?: string;
    readonly startTimeUnixNano: string;
    readonly endTimeUnixNano: string;
  }
  const spansOf = (line: unknown): readonly Span[] =>
    (
      line as {
        readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: Span[] }[] }[];
      }
    ).resourceSpans[0]!.scopeSpans[0]!.spans;

  it('has a span for each request below the one of its agent, which lasts until the last of them', () => {
    const [line] = written('otel', [
      request(0, { readTokens: 0 }),
      request(100, { endMs: 200, purpose: 'compact' }),
      request(300, { thread: 'child', purpose: 'subagent' }),
    ]);
    const [first, second, third, main, child] = spansOf(line);
    expect([first!.parentSpanId, second!.parentSpanId]).toEqual([main!.spanId, main!.spanId]);
    expect([third!.parentSpanId, child!.parentSpanId]).toEqual([child!.spanId, main!.spanId]);
    expect(main).not.toHaveProperty('parentSpanId');
    // The session began 1,000 seconds behind 1970.
    expect([main!.startTimeUnixNano, main!.endTimeUnixNano]).toEqual(['1000000000000', '1000500000000']);
    const ids = [first, second, third, main, child].map((span) => span!.spanId);
    expect(new Set(ids).size).toBe(5);
    expect([first!.traceId, ids[0]]).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{16}$/),
    ]);
  });

  it('has five hundred spans to a line', () => {
    const lines = written(
      'otel',
      Array.from({ length: 501 }, (_, i) => request(i)),
    );
    expect(lines.map((line) => spansOf(line).length)).toEqual([500, 2]);
  });
});
