import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignLanes, diffLanes } from '../../../src/analysis/diff/diff-lanes.js';
import type { Lane, LaneAct, LaneRequest } from '../../../src/analysis/diff/lane.js';
import { forAll } from '../../helpers/for-all.js';

/** Dollars per million tokens. */
const PRICES = { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75, cacheWrite1h: 6 };

function request(n: number, changes: Partial<LaneRequest> = {}): LaneRequest {
  return {
    thread: 'main',
    turn: n,
    purpose: 'main',
    n,
    t: n * 1_000,
    model: 'claude-sonnet-4-5',
    prompt: 10_000 * n,
    read: 10_000 * (n - 1),
    written: 10_000,
    input: 0,
    output: 50,
    costNano: 1_000 * n,
    prices: PRICES,
    seen: 10_000 * n,
    limit: 167_000,
    cause: null,
    acts: [],
    ...changes,
  };
}

function lane(requests: readonly LaneRequest[], source: Lane['source'] = 'run'): Lane {
  return { title: 'lane', source, session: null, plan: null, requests };
}

const compaction: LaneAct = {
  layer: 'full-compact',
  action: 'compact',
  outcome: 'done',
  reason: 'auto',
  seen: 30_000,
  saved: 20_000,
};

const first = (a: readonly LaneRequest[], b: readonly LaneRequest[]) => {
  const { firstDifference } = diffLanes(lane(a), lane(b), 0);
  return firstDifference === null
    ? null
    : { request: firstDifference.request, turn: firstDifference.turn, kind: firstDifference.kind };
};

describe('what makes a difference in money', () => {
  const usage = { prompt: 20_956, output: 0, written: 0 };
  const priced = (read: number, more: Partial<LaneRequest> = {}) => {
    const input = usage.prompt - read;
    return request(1, { ...usage, read, input, costNano: (input * 3 + read * 0.3) * 1_000, ...more });
  };
  const kindOf = (a: LaneRequest, b: LaneRequest) =>
    diffLanes(lane([a], 'recorded'), lane([b]), 0.02).firstDifference?.kind;

  it('is the cache where a few tokens were read in place of being paid in full', () => {
    // 128 of 20,956 tokens at $2.70 more: within 2 % in tokens, beyond it in money
    expect(kindOf(priced(18_432), priced(18_304))).toBe('cache');
  });

  it('is the price where the tokens cannot explain it', () => {
    const [a, b] = [priced(18_432), priced(18_304)];
    expect(kindOf(a, { ...b, costNano: b.costNano * 2 })).toBe('price');
    expect(kindOf(a, { ...a, costNano: a.costNano * 2 })).toBe('price');
  });

  it('is the prompt where all of what is more in it was paid in full', () => {
    const [a, b] = [priced(18_432), priced(18_432)];
    const more = { prompt: b.prompt + 128, input: b.input + 128, costNano: b.costNano + 128 * 3_000 };
    expect(kindOf(a, { ...b, ...more })).toBe('bytes');
  });

  it('cannot be told of models without a price', () => {
    const bare = { model: 'zebra-9', prices: null, costNano: 0 };
    const half = [request(1, bare), request(2)];
    const { a, b, firstDifference } = diffLanes(
      lane(half),
      lane([request(1, { ...bare, read: 5_000 }), request(2)]),
      0,
    );
    expect(a).toMatchObject({ requests: 2, unpricedRequests: 1, costUsd: 2e-6 });
    expect(b.unpricedRequests).toBe(1);
    expect(firstDifference).toMatchObject({ costUsd: null, a: { costUsd: null }, b: { costUsd: null } });
    expect(diffLanes(lane(half.slice(0, 1)), lane(half), 0).a).toMatchObject({ costUsd: null });
  });
});

describe('where two runs part', () => {
  const base = [request(1), request(2), request(3)];

  it('nowhere where they are the same', () => {
    expect(first(base, base)).toBeNull();
  });

  it('at the threshold, where one compacts and their limits differ', () => {
    const b = [request(1), request(2), request(3, { prompt: 9_000, limit: 25_000, acts: [compaction] })];
    expect(first(base, b)).toEqual({ request: 3, turn: 3, kind: 'threshold' });
    const { reason } = diffLanes(lane(base), lane(b), 0).firstDifference!;
    expect(reason).toBe(
      'full-compact acts only in B (compact: auto): the limit is 25,000 tokens in B, 167,000 in A',
    );
  });

  it('at the counter, where the limits are the same', () => {
    const b = [
      request(1),
      request(2),
      request(3, { prompt: 9_000, acts: [{ ...compaction, seen: 31_000 }] }),
    ];
    expect(first(base, b)?.kind).toBe('counter');
  });

  it('at the layer, where neither explains it', () => {
    const b = [request(1), request(2), request(3, { prompt: 9_000, acts: [compaction] })];
    expect(first(base, b)?.kind).toBe('layer');
  });

  it('at an act that changed no request yet', () => {
    const b = [request(1), request(2, { acts: [{ ...compaction, action: 'extract' }] }), request(3)];
    expect(first(base, b)).toMatchObject({ turn: 2 });
  });

  it('at the bytes, the cache, the model, the output or the price', () => {
    const with3 = (changes: Partial<LaneRequest>) =>
      first(base, [request(1), request(2), request(3, changes)])?.kind;
    expect(with3({ prompt: 30_001 })).toBe('bytes');
    expect(with3({ read: 0, written: 30_000 })).toBe('cache');
    expect(with3({ model: 'claude-opus-4-6' })).toBe('model');
    expect(with3({ output: 51 })).toBe('output');
    expect(with3({ written: 0, input: 10_000, costNano: 1 })).toBe('cache');
    expect(with3({ costNano: 1 })).toBe('price');
  });

  it('at a request that one of them does not make, beside the next they share', () => {
    const extra = request(9, { turn: 2, purpose: 'compact', n: 3 });
    const b = [request(1), request(2), extra, request(3, { n: 4 })];
    expect(first(base, b)).toEqual({ request: 3, turn: 2, kind: 'missing' });
    expect(diffLanes(lane(base), lane(b), 0).differences).toHaveLength(1);
  });

  it('not at requests that no recording holds, which are told apart', () => {
    const extra = request(9, { turn: 2, purpose: 'suggestion', n: 3, costNano: 5_000_000 });
    const b = [request(1), request(2), extra, request(3, { n: 4 })];
    const diff = diffLanes(lane(base, 'recorded'), lane(b), 0);
    expect(diff.firstDifference).toBeNull();
    expect(diff.unrecorded).toEqual({ requests: 1, costUsd: expect.closeTo(0.005, 9) });
  });

  it('not at figures within the tolerance', () => {
    const b = [request(1), request(2), request(3, { prompt: 30_500 })];
    expect(diffLanes(lane(base), lane(b), 0.02).firstDifference).toBeNull();
    expect(diffLanes(lane(base), lane(b), 0.01).firstDifference?.turn).toBe(3);
  });
});

describe('aligned lanes', () => {
  const anyLane = fc
    .uniqueArray(
      fc.record({ turn: fc.integer({ min: 1, max: 12 }), purpose: fc.constantFrom('main', 'compact') }),
      {
        selector: ({ turn, purpose }) => `${turn} ${purpose}`,
      },
    )
    .map((places) =>
      lane(
        [...places]
          .sort((x, y) => x.turn - y.turn || (x.purpose < y.purpose ? -1 : 1))
          .map(({ turn, purpose }, i) => request(turn, { turn, purpose, n: i + 1 })),
      ),
    );

  it('hold every request of both once, in the order of each', () => {
    forAll(anyLane, anyLane, (a, b) => {
      const pairs = alignLanes(a, b);
      expect(pairs.flatMap((pair) => pair.a ?? [])).toEqual(a.requests);
      expect(pairs.flatMap((pair) => pair.b ?? [])).toEqual(b.requests);
      for (const pair of pairs)
        if (pair.a !== null && pair.b !== null)
          expect([pair.a.turn, pair.a.purpose]).toEqual([pair.b.turn, pair.b.purpose]);
    });
  });
});
