import { lifetimeCurve, traceSession } from '../../src/analysis/lifetime/lifetime-curve.js';
import type { BenchResult } from '../../src/cli/commands/bench/result.js';
import { createRandom } from '../../src/core/base/random.js';
import type { RequestTrace, TraceRequest } from '../../src/core/model/request-trace.js';
import { interleave } from '../measure.js';

const BLOCK_TOKENS = 64;

/** Request traces like recorded ones: a growing prompt of block ids, now and then rewritten. */
function makeTraces(count: number, requests: number): readonly RequestTrace[] {
  const random = createRandom('trace-limit');
  return Array.from({ length: count }, (_, t) => {
    let ids: number[] = Array.from({ length: 240 }, (_, i) => i);
    let next = 1_000;
    let startMs = 0;
    const list: TraceRequest[] = [];
    for (let i = 0; i < requests; i++) {
      if (ids.length > 2_400) ids = ids.slice(0, 240);
      const added = random.integer(2, 40);
      for (let k = 0; k < added; k++) ids.push(next++);
      startMs += random.integer(2_000, 90_000);
      list.push({
        startMs,
        promptTokens: ids.length * BLOCK_TOKENS,
        outputTokens: 300,
        model: 'claude-opus-4-5',
        hashIds: Uint32Array.from(ids),
      } as TraceRequest);
    }
    return {
      id: `trace-${t}`,
      blockSize: BLOCK_TOKENS,
      threads: [{ id: 'main', parentId: null, requests: list }],
    } as unknown as RequestTrace;
  });
}

/** The limit of one pass over the data: compares neighbouring prompts and sums, nothing else. */
function bareLoop(traces: readonly RequestTrace[]): number {
  let sum = 0;
  for (const trace of traces) {
    for (const thread of trace.threads) {
      for (let i = 1; i < thread.requests.length; i++) {
        const before = thread.requests[i - 1]!.hashIds;
        const now = thread.requests[i]!.hashIds;
        const length = Math.min(before.length, now.length);
        let k = 0;
        while (k < length && before[k] === now[k]) k++;
        sum += k;
      }
    }
  }
  return sum;
}

/** Traces through the prefix-cache model, the whole lifetime curve included, against the bare loop over the same ids. */
export function traceLimit(options: { readonly quick: boolean }): Partial<BenchResult> {
  const traces = makeTraces(options.quick ? 10 : 40, 120);
  const ids = traces.reduce(
    (sum, trace) => sum + trace.threads[0]!.requests.reduce((s, request) => s + request.hashIds.length, 0),
    0,
  );
  const [bare, model] = interleave(
    [() => void bareLoop(traces), () => void lifetimeCurve(traces.map((trace) => traceSession(trace)))],
    options.quick ? 1 : 15,
  );
  const rate = (ms: number): string => `${(ids / ms / 1_000).toFixed(0)} M ids/s`;
  return {
    ratios: [
      {
        name: 'trace-limit',
        ratio: bare!.median / model!.median,
        promised: 0.25,
        detail: `${ids} block ids: bare loop ${rate(bare!.median)}, lifetime curve ${rate(model!.median)}`,
      },
    ],
  };
}
