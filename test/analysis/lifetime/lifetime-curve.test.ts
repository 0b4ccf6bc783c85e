import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  commonLength,
  LIFETIME_SECONDS,
  type LifetimeRequest,
  type LifetimeSession,
  lifetimeCosts,
  lifetimeCurve,
  lifetimeThread,
  traceSession,
  transcriptSession,
} from '../../../src/analysis/lifetime/lifetime-curve.js';
import { conversationHitRates, lifetimeReport } from '../../../src/analysis/lifetime/lifetime-report.js';
import { createBlock } from '../../../src/core/model/block.js';
import type { RequestTrace } from '../../../src/core/model/request-trace.js';
import type { Step, Transcript } from '../../../src/core/model/transcript.js';
import type { Usage } from '../../../src/core/model/usage.js';
import { parseRequestTrace } from '../../../src/transcripts/readers/request-trace/parse-request-trace.js';
import { messageFrom, userText } from '../../helpers/blocks.js';
import { forAll } from '../../helpers/for-all.js';
import { sharedData } from '../../helpers/recordings/shared.js';
import { replayAtLifetime } from './lifetime-replay.js';

type Row = readonly [seconds: number, prompt: number, reusable: number, output?: number, model?: string];

const session = (id: string, ...rows: readonly Row[]): LifetimeSession => ({
  id,
  threads: [
    lifetimeThread(
      'main',
      rows.map(([seconds, promptTokens, reusableTokens, outputTokens = 0, model = 'm']): LifetimeRequest => {
        return { startMs: seconds * 1_000, promptTokens, reusableTokens, outputTokens, model };
      }),
    ),
  ],
});

/** Input $1, output $5 per million tokens; read 0.1×, writes 1.25× and 2×. */
const prices = () => ({ input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 });

const EXAMPLE = session(
  'a',
  [0, 1_000, 0],
  [300, 2_000, 1_000],
  [601, 3_000, 2_000],
  [4_201, 4_000, 3_000],
  [7_802, 5_000, 4_000],
);

describe('lifetimeCurve', () => {
  it('E1 counts reusable tokens of requests whose gap is no longer than the lifetime', () => {
    expect(lifetimeCurve([EXAMPLE], [299, 300, 301, 3_600, null])).toEqual([
      { ttlSeconds: 299, hitTokens: 0, hitRate: 0 },
      { ttlSeconds: 300, hitTokens: 1_000, hitRate: 1_000 / 15_000 },
      { ttlSeconds: 301, hitTokens: 3_000, hitRate: 3_000 / 15_000 },
      { ttlSeconds: 3_600, hitTokens: 6_000, hitRate: 6_000 / 15_000 },
      { ttlSeconds: null, hitTokens: 10_000, hitRate: 10_000 / 15_000 },
    ]);
  });

  it('answers in the order asked, whatever it is', () => {
    const points = lifetimeCurve([EXAMPLE], [null, 300, 301, 300]);
    expect(points.map((point) => point.hitTokens)).toEqual([10_000, 1_000, 3_000, 1_000]);
  });

  it('has no hit rate where there are no prompt tokens', () => {
    expect(lifetimeCurve([], [300, null])).toEqual([
      { ttlSeconds: 300, hitTokens: 0, hitRate: null },
      { ttlSeconds: null, hitTokens: 0, hitRate: null },
    ]);
  });

  it('never reuses in the first request of a thread, nor more than the prompt', () => {
    const points = lifetimeCurve([session('a', [0, 100, 100], [1, 50, 400])], [null]);
    expect(points[0]!.hitTokens).toBe(50);
  });

  it('compares ids from the start up to the first difference', () => {
    const of = (...ids: number[]) => Uint32Array.from(ids);
    expect(commonLength(of(1, 2, 3), of(1, 2, 4, 5))).toBe(2);
    expect(commonLength(of(1, 2), of(1, 2, 3))).toBe(2);
    expect(commonLength(of(9, 2), of(1, 2))).toBe(0);
    expect(commonLength(of(), of(1))).toBe(0);
  });
});

const anyTrace = fc
  .array(
    fc.array(
      fc.record({ wait: fc.nat(8_000), ids: fc.array(fc.nat(2), { maxLength: 6 }), extra: fc.nat(63) }),
      { minLength: 1, maxLength: 8 },
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((threads): RequestTrace => {
    return {
      id: 'x',
      models: ['m'],
      blockSize: 64,
      hashScope: null,
      warnings: [],
      threads: threads.map((rows, i) => {
        let startMs = 0;
        const requests = rows.map(({ wait, ids, extra }) => {
          startMs += wait * 1_000;
          const promptTokens = ids.length * 64 + extra;
          return {
            startMs,
            model: 'm',
            promptTokens,
            outputTokens: 0,
            hashIds: Uint32Array.from(ids),
            inputTypes: [],
            outputTypes: [],
            stop: null,
            apiMs: null,
          };
        });
        return { id: `t${i}`, parentId: null, label: '', toolTokens: null, systemTokens: null, requests };
      }),
    };
  });

describe('replayAtLifetime', () => {
  it('E1 equals the curve at every lifetime, for any trace', () => {
    forAll(anyTrace, (trace) => {
      for (const point of lifetimeCurve([traceSession(trace)])) {
        expect(replayAtLifetime(trace, point.ttlSeconds).hitTokens).toBe(point.hitTokens);
      }
    });
  });
});

describe('lifetimeCosts', () => {
  it('reads at the read price, writes the rest, and names the cheaper lifetime', () => {
    const steady = lifetimeCosts(
      session('s', [0, 1_000_000, 0, 100_000], [60, 1_200_000, 1_000_000]),
      prices,
    );
    // 5 min: 1 × 1.25 + 1 × 0.1 + 0.2 × 1.25, and 0.1 × 5 of output; 1 h: 1.2 million tokens at 0.75 more.
    expect(steady.cost5mUsd).toBeCloseTo(1.25 + 0.1 + 0.25 + 0.5, 10);
    expect(steady.cost1hUsd).toBeCloseTo(2 + 0.1 + 0.4 + 0.5, 10);
    expect(steady).toMatchObject({ cheaper: '5m', rescuedTokens: 0, savedUsd: 0 });

    const idle = lifetimeCosts(session('i', [0, 1_000_000, 0], [1_800, 1_000_000, 1_000_000]), prices);
    expect(idle.cost5mUsd).toBeCloseTo(2.5, 10);
    expect(idle.cost1hUsd).toBeCloseTo(2.1, 10);
    expect(idle).toMatchObject({ cheaper: '1h', rescuedTokens: 1_000_000 });
    expect(idle.premiumUsd).toBeCloseTo(0.75, 10);
    expect(idle.savedUsd).toBeCloseTo(1.15, 10);
  });

  it('breaks even where the rescued tokens pay for the premium', () => {
    // One write of 1,150 tokens costs 862.5 more; rescuing 750 tokens saves as much.
    const even = lifetimeCosts(session('e', [0, 1_150, 0], [1_800, 750, 750]), prices);
    expect(even).toMatchObject({ cheaper: 'equal', rescuedTokens: 750, breakEvenTokens: 750 });
  });

  it('reads nothing after a change of model', () => {
    const cost = lifetimeCosts(
      session('m', [0, 1_000_000, 0, 0, 'a'], [60, 1_000_000, 1_000_000, 0, 'b']),
      prices,
    );
    expect(cost.cost5mUsd).toBeCloseTo(2.5, 10);
  });

  it('leaves requests without a price out, and says how many', () => {
    const half = session('h', [0, 1_000_000, 0, 0, 'm'], [1_800, 1_000_000, 1_000_000, 0, 'unheard-of']);
    const priceOf = (model: string) => (model === 'm' ? prices() : null);
    expect(lifetimeCosts(half, priceOf)).toMatchObject({
      cost5mUsd: 1.25,
      cost1hUsd: 2,
      rescuedTokens: 0,
      calls: 2,
      unpricedCalls: 1,
    });
    const none = session('n', [0, 1_000_000, 0, 0, 'unheard-of']);
    const { cost } = lifetimeReport([half, none], [300], priceOf);
    expect(cost).toMatchObject({ total5mUsd: 1.25, share5mCheaper: 1, calls: 3, unpricedCalls: 2 });
    expect(cost.perSession.map(({ id }) => id)).toEqual(['h']);
  });
});

describe('lifetimeReport', () => {
  it('has the shape that is printed', () => {
    const report = lifetimeReport(
      [EXAMPLE, session('b', [0, 1_000, 0], [1_800, 1_000, 1_000])],
      LIFETIME_SECONDS,
      prices,
    );
    expect(Object.keys(report)).toEqual(['sessions', 'requests', 'promptTokens', 'curve', 'cost']);
    expect(report).toMatchObject({ sessions: 2, requests: 7, promptTokens: 17_000 });
    expect(report.curve.map((point) => point.ttlSeconds)).toEqual([
      30,
      60,
      120,
      300,
      600,
      900,
      1800,
      3600,
      7_200,
      86_400,
      null,
    ]);
    expect(report.cost.perSession.map((cost) => [cost.id, cost.cheaper])).toEqual([
      ['a', '5m'],
      ['b', '1h'],
    ]);
    expect(report.cost).toMatchObject({ share5mCheaper: 0.5, share1hCheaper: 0.5, shareEqual: 0 });
  });

  it('leaves shares open when there is no session', () => {
    const report = lifetimeReport([], [300], prices);
    expect(report.cost).toMatchObject({ total5mUsd: null, share5mCheaper: null, share1hCheaper: null });
    expect(conversationHitRates([])).toEqual({ median: null, lowerQuartile: null, mean: null, min: null });
  });
});

describe('transcriptSession', () => {
  const usage = (input: number): Usage => ({
    input,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: 7,
  });
  const message = (id: string, tokens: number) => messageFrom('human', id, [userText(tokens)]);
  const call = (n: number, recorded: Usage | null): Step => ({
    kind: 'call',
    call: {
      id: `c${n}`,
      startMs: n * 1_000,
      endMs: n * 1_000,
      model: 'm',
      response: message(`r${n}`, 20),
      usage: recorded,
      outputIsPlaceholder: false,
      stopReason: null,
      missReason: null,
      effort: null,
    },
  });
  const compaction: Step = {
    kind: 'event',
    event: {
      kind: 'recorded-compaction',
      at: 0,
      trigger: 'auto',
      preTokens: null,
      postTokens: null,
      durationMs: null,
      summary: message('s', 30),
      keptIds: ['u2'],
    },
  };
  const transcript = (steps: readonly Step[]): Transcript => ({
    id: 't',
    source: 'test',
    carries: [],
    agentVersion: null,
    startedAtMs: null,
    warnings: [],
    threads: [
      {
        id: 'main',
        parentId: null,
        label: '',
        prefix: [createBlock({ kind: 'system', role: 'system', tokens: 500 })],
        steps,
      },
    ],
  });
  const columns = (steps: readonly Step[]) => {
    const [thread] = transcriptSession(transcript(steps)).threads;
    return { prompt: [...thread!.promptTokens], reusable: [...thread!.reusableTokens] };
  };

  it('takes prompts from recorded usage and the whole previous prompt as reusable', () => {
    expect(columns([call(1, usage(900)), call(2, usage(1_000)), compaction, call(3, usage(800))])).toEqual({
      prompt: [900, 1_000, 800],
      reusable: [0, 900, 500],
    });
  });

  it('finds nothing but tools and system prompt again behind a cleared conversation', () => {
    const clear: Step = { kind: 'event', event: { kind: 'clear', at: 0 } };
    expect(columns([call(1, usage(900)), clear, call(2, usage(800))]).reusable).toEqual([0, 500]);
    // 500 of the prefix each time; the first response of 20 is gone.
    expect(columns([call(1, null), clear, call(2, null)]).prompt).toEqual([500, 500]);
  });

  it('counts tokens where no usage was recorded', () => {
    const say = (id: string, tokens: number): Step => ({ kind: 'message', message: message(id, tokens) });
    const steps = [
      say('u1', 100),
      call(1, null),
      say('u2', 40),
      call(2, null),
      compaction,
      say('u3', 5),
      call(3, null),
    ];
    expect(columns(steps)).toEqual({ prompt: [600, 660, 575], reusable: [0, 600, 500] });
  });
});

describe.skipIf(!sharedData.present)('recorded request traces', () => {
  const files = sharedData.files('kv-cache-tester');
  const traces = files.map((file) => parseRequestTrace(readFileSync(file), { id: file }));

  interface RawRequest {
    readonly type: string;
    readonly t: number;
    readonly in: number;
    readonly hash_ids: number[];
    readonly requests: RawRequest[];
  }

  /** Hits of the raw JSON at one lifetime, by walking the requests. */
  function rawHits(requests: readonly RawRequest[], blockSize: number, ttl: number): number {
    let hits = 0;
    let previous: RawRequest | null = null;
    for (const request of requests) {
      if (request.type === 'subagent') {
        hits += rawHits(request.requests, blockSize, ttl);
        continue;
      }
      if (previous !== null && Math.round(request.t * 1e3) - Math.round(previous.t * 1e3) <= ttl * 1e3) {
        const before: number[] = previous.hash_ids;
        const different = request.hash_ids.findIndex((id, i) => before[i] !== id);
        hits += Math.min((different < 0 ? request.hash_ids.length : different) * blockSize, request.in);
      }
      previous = request;
    }
    return hits;
  }

  it('E1 the curve equals the replay and the raw files at every listed lifetime, to the token', () => {
    const raw = files.map(
      (file) => JSON.parse(gunzipSync(readFileSync(file)).toString()) as RawRequest & { block_size: number },
    );
    for (const [i, trace] of traces.entries()) {
      for (const point of lifetimeCurve([traceSession(trace)])) {
        expect(replayAtLifetime(trace, point.ttlSeconds).hitTokens).toBe(point.hitTokens);
        const ttl = point.ttlSeconds ?? Number.POSITIVE_INFINITY;
        expect(point.hitTokens).toBe(rawHits(raw[i]!.requests, raw[i]!.block_size, ttl));
      }
    }
  });

  it('E1 hit rates per conversation lie within four points of the whole set (median 96 %, quartile 92 %, mean 93 %) and above its minimum', () => {
    const rates = conversationHitRates(traces.map((trace) => traceSession(trace, { mainOnly: true })));
    expect(Math.abs(rates.median! - 0.96)).toBeLessThan(0.04);
    expect(Math.abs(rates.lowerQuartile! - 0.92)).toBeLessThan(0.04);
    expect(Math.abs(rates.mean! - 0.93)).toBeLessThan(0.04);
    expect(rates.min!).toBeGreaterThanOrEqual(0.61);
  });

  it('E1 the cheaper lifetime differs from session to session', () => {
    const { cost, curve } = lifetimeReport(
      traces.map((trace) => traceSession(trace)),
      LIFETIME_SECONDS,
      prices,
    );
    expect(cost.share5mCheaper).toBeGreaterThan(0);
    expect(cost.share1hCheaper).toBeGreaterThan(0);
    const hits = curve.map((point) => point.hitTokens);
    expect(hits.every((tokens, i) => i === 0 || tokens >= hits[i - 1]!)).toBe(true);
  });
});
