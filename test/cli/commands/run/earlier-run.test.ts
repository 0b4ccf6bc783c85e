import { describe, expect, it } from 'vitest';
import {
  changedSince,
  type EarlierRun,
  guardedMetrics,
  guardOf,
  missingMetrics,
  readEarlier,
  regressions,
  sinceBaseline,
} from '../../../../src/cli/runs/earlier-run.js';
import { tempFolder } from '../../cli.js';

const run = (metrics: EarlierRun['metrics'], digest: string | null = null): EarlierRun => ({
  digest,
  metrics,
});
const BASE = { costUsd: 2, cacheHitRate: 0.8, requestsRefused: 0, callsLost: 0 };

describe('what changed since the last report', () => {
  const since = (before: EarlierRun['metrics'], now: EarlierRun['metrics']) =>
    changedSince(run(before), run(now), 'last report');

  it('is nothing where the digests are the same', () => {
    expect(changedSince(run({ costUsd: 1 }, 'd'), run({ costUsd: 2 }, 'd'), 'last report')).toMatch(
      /^same result/,
    );
    expect(changedSince(run({ costUsd: 1 }), run({ costUsd: 1 }), 'last report')).toBe(
      'differs from the last report at the same cost ($1.00)',
    );
  });

  it('is the cost in percent', () => {
    expect(since({ costUsd: 2 }, { costUsd: 3 })).toBe(
      'the cost rose by 50.0 % since the last report ($2.00 → $3.00)',
    );
    expect(since({ costUsd: 2 }, { costUsd: 1 })).toBe(
      'the cost fell by 50.0 % since the last report ($2.00 → $1.00)',
    );
    expect(since({ costUsd: 2 }, { costUsd: 2.0009 })).toContain('rose by less than 0.1 %');
    expect(since({ costUsd: 2 }, { costUsd: 2.0011 })).toContain('rose by 0.1 %');
    expect(since({ costUsd: 0 }, { costUsd: 1 })).toBe('the cost rose since the last report ($0 → $1.00)');
    expect(since({ costUsd: null }, { costUsd: 1 })).toContain('there is no cost to compare');
    expect(since({ costUsd: 1 }, {})).toContain('there is no cost to compare');
  });

  it('names what the last report was of where that was another policy, or other settings', () => {
    const before = { ...run({ costUsd: 2 }), policy: 'a', planDigest: '1' };
    const now = { ...run({ costUsd: 3 }), policy: 'b', planDigest: '2' };
    const rose = 'the cost rose by 50.0 % since the last report ($2.00 → $3.00)';
    expect(changedSince(before, now, 'last report')).toBe(`${rose}, which was under a`);
    expect(changedSince(before, { ...now, policy: 'a' }, 'last report')).toBe(
      `${rose}, which was under other settings`,
    );
    expect(changedSince(before, { ...now, planDigest: '1' }, 'last report')).toBe(rose);
  });

  it('is no cost where other calls were lost', () => {
    expect(since({ costUsd: 2 }, { costUsd: 1, callsLost: 1 })).toBe(
      'differs from the last report: 1 call was lost, 0 then, so the costs do not compare',
    );
    expect(since({ costUsd: 2, callsLost: 1 }, { costUsd: 1, callsLost: 3 })).toContain(
      '3 calls were lost, 1 then',
    );
    expect(since({ costUsd: 2, callsLost: 3 }, { costUsd: 1, callsLost: 3 })).toContain('fell by 50.0 %');
  });
});

const ALL = 'costUsd,cacheHitRate,requestsRefused';

describe('a guard', () => {
  it('is on the cost where nothing else is asked for: a cheaper run with a lower hit rate passes', () => {
    const now = run({ ...BASE, costUsd: 1.5, cacheHitRate: 0.5 });
    expect(regressions(run(BASE), now, guardOf('costUsd', 0))).toEqual([]);
    expect(regressions(run(BASE), now, guardOf('costUsd,cacheHitRate', 0))).toMatchObject([
      { metric: 'cacheHitRate' },
    ]);
    // Who answers fewer calls is not cheaper.
    const lost = run({ ...BASE, costUsd: 1, callsLost: 1 });
    expect(regressions(run(BASE), lost, guardOf('costUsd', 50))).toMatchObject([{ metric: 'callsLost' }]);
    expect(missingMetrics(run({ costUsd: 1, callsLost: 0 }), guardOf('costUsd', 0))).toEqual([]);
  });

  it('takes metrics that can be worse, each once', () => {
    expect(guardOf('callsLost, costUsd,costUsd', 1)).toEqual({
      metrics: ['callsLost', 'costUsd'],
      tolerancePercent: 1,
    });
    expect(() => guardOf('cost', 0)).toThrow('unknown metric "cost"');
    expect(() => guardOf('turns', 0)).toThrow('turns has no worse direction');
  });
});

describe('a baseline', () => {
  const worse = (now: EarlierRun['metrics'], tolerance = 0, before: EarlierRun['metrics'] = BASE) =>
    regressions(run(before), run({ ...BASE, ...now }), guardOf(ALL, tolerance)).map(({ metric }) => metric);

  it('is broken by what is worse beyond the tolerance, in the direction that is worse', () => {
    expect(worse({})).toEqual([]);
    expect(worse({ costUsd: 2.01 })).toEqual(['costUsd']);
    expect(worse({ costUsd: 1 })).toEqual([]);
    expect(worse({ cacheHitRate: 0.79 })).toEqual(['cacheHitRate']);
    expect(worse({ cacheHitRate: 0.9 })).toEqual([]);
    expect(worse({ costUsd: 2.2 }, 10)).toEqual([]);
    expect(worse({ costUsd: 2.21 }, 10)).toEqual(['costUsd']);
    expect(worse({ cacheHitRate: 0.72 }, 10)).toEqual([]);
    expect(worse({ cacheHitRate: 0.71 }, 10)).toEqual(['cacheHitRate']);
    expect(worse({ callsLost: 1, requestsRefused: 1 }, 50)).toEqual(['requestsRefused', 'callsLost']);
    expect(worse({ costUsd: 2 + 1e-9 })).toEqual([]);
  });

  it('is broken by a value that is gone, and says nothing of one it never had', () => {
    expect(worse({ cacheHitRate: null })).toEqual(['cacheHitRate']);
    expect(worse({ cacheHitRate: 0.1 }, 0, { ...BASE, cacheHitRate: null })).toEqual([]);
    expect(regressions(run(BASE), run({ ...BASE, costUsd: 3 }), guardOf(ALL, 0))[0]).toEqual({
      metric: 'costUsd',
      before: 2,
      now: 3,
      message: 'costUsd was $2.00 in the baseline and is $3.00',
    });
  });

  it('says what changed, and that nothing became worse where nothing did', () => {
    const said = (now: EarlierRun['metrics'], tolerance: number) =>
      sinceBaseline(run(BASE), run({ ...BASE, ...now }, 'b'), guardOf('costUsd', tolerance));
    expect(said({ costUsd: 1 }, 0)).toBe(
      'the cost fell by 50.0 % since the baseline ($2.00 → $1.00); nothing guarded is worse (costUsd, callsLost)',
    );
    expect(said({ costUsd: 2.02 }, 1.25)).toBe(
      'the cost rose by 1.0 % since the baseline ($2.00 → $2.02); nothing guarded is worse by more than 1.25 % (costUsd, callsLost)',
    );
    expect(said({ costUsd: 3 }, 1)).toBe('the cost rose by 50.0 % since the baseline ($2.00 → $3.00)');
    expect(sinceBaseline(run(BASE, 'b'), run(BASE, 'b'), guardOf('costUsd', 0))).toBe(
      'same result as in the baseline, byte for byte; nothing guarded is worse (costUsd, callsLost)',
    );
  });

  it('names the metrics it can hold a run against', () => {
    expect(guardedMetrics(run({ ...BASE, cacheHitRate: null }), guardOf(ALL, 0))).toEqual([
      'costUsd',
      'requestsRefused',
      'callsLost',
    ]);
    expect(missingMetrics(run(BASE), guardOf(ALL, 0))).toEqual([]);
    expect(missingMetrics(run({ ...BASE, cacheHitRate: null }), guardOf(ALL, 0))).toEqual([]);
    expect(missingMetrics(run({ costUsd: 1, cacheHitRate: null }), guardOf(ALL, 0))).toEqual([
      'requestsRefused',
      'callsLost',
    ]);
    const none = Object.fromEntries(Object.keys(BASE).map((name) => [name, null]));
    expect(missingMetrics(run(none), guardOf(ALL, 0))).toEqual(Object.keys(BASE));
  });

  it('is read from a summary that has metrics', () => {
    const read = (text: string) => readEarlier(tempFolder({ 'summary.json': text }));
    expect(read('{"digest":"d","metrics":{"costUsd":1}}')).toEqual({ digest: 'd', metrics: { costUsd: 1 } });
    expect(read('{"digest":7,"metrics":{}}')).toEqual({ digest: null, metrics: {} });
    for (const text of ['{', '{}', '{"metrics":null}', '{"metrics":[]}', '{"metrics":"x"}'])
      expect(read(text), text).toBeNull();
    expect(readEarlier(tempFolder())).toBeNull();
  });
});
