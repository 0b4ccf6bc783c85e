import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { exponentBars, hotPathTimes, ratioBars } from '../../../src/report/charts/bench-charts.js';
import type { ChartSpec } from '../../../src/report/charts/chart-spec.js';
import {
  hitRateByLifetime,
  type LifetimeChartInput,
} from '../../../src/report/charts/hit-rate-by-lifetime.js';
import { pareto, paretoFront } from '../../../src/report/charts/pareto.js';
import { predictedVsRecorded } from '../../../src/report/charts/predicted-vs-recorded.js';
import { runCharts } from '../../../src/report/charts/run-charts.js';
import { inUnit, shortShare, timeUnit } from '../../../src/report/charts/run-series.js';
import { sweepLine } from '../../../src/report/charts/sweep-heatmap.js';
import { axisTitle, bestOf, unitFormat } from '../../../src/report/charts/sweep-point.js';
import { layerEntry, requestEntry, runEntry, threadEntry } from '../../helpers/log.js';

const title = (spec: ChartSpec | null): string | null => spec?.title.text ?? null;

interface Layer {
  readonly data?: { readonly values: readonly Readonly<Record<string, unknown>>[] };
  readonly layer?: readonly Layer[];
  readonly mark?: unknown;
  readonly encoding?: {
    readonly x?: {
      readonly scale?: { readonly domain: readonly number[] };
      readonly axis?: { readonly values: readonly number[] };
    };
    readonly y?: { readonly axis?: { readonly values: readonly number[] } };
    readonly color?: { readonly legend?: null };
  };
}
const layers = (spec: ChartSpec | null) => spec!.layer as readonly Layer[];

describe('ratios', () => {
  const ratios = (...pairs: readonly (readonly [number, number | null])[]) =>
    ratioBars(pairs.map(([ratio, promised], i) => ({ name: `r${i}`, ratio, promised })));

  it.each([
    [[[2, 2]], 'The ratio keeps its promise'],
    [
      [
        [2, 2],
        [3, 1],
      ],
      'All ratios keep their promise',
    ],
    [
      [
        [1.9, 2],
        [3, 1],
      ],
      '1 of 2 ratios miss their promise',
    ],
    [[[1.9, 2]], '1 of 1 ratios miss their promise'],
    [
      [
        [2, null],
        [0, 1],
        [1, 0],
        [-1, 1],
      ],
      null,
    ],
  ] as const)('%j: %s', (pairs, text) => {
    expect(title(ratios(...pairs))).toBe(text);
  });

  it('the axis reaches twice and half of the promise at least, and a tenth beyond the longest bars', () => {
    const axisOf = (spec: ChartSpec | null) => {
      const { scale, axis } = layers(spec)[0]!.encoding!.x!;
      return [scale!.domain, axis!.values];
    };
    expect(axisOf(ratios([1, 1]))).toEqual([
      [0.5 / 1.1, 2 * 1.1],
      [0.5, 1, 2],
    ]);
    expect(axisOf(ratios([1, 100], [10, 1]))).toEqual([
      [0.01 / 1.1, 11],
      [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
    ]);
  });

  it('from a hundred on are written without decimals', () => {
    expect(layers(ratios([100, 99.5]))[0]!.data!.values[0]!.label).toBe('100 · promised 99.5');
  });
});

describe('growth', () => {
  const row = (exponent: number, promised: number | null, name = 'x') => ({ name, exponent, promised });
  const times = (name: string, ...ms: readonly number[]) =>
    ms.map((p50Ms, i) => ({ name, size: 10 ** (i + 4), p50Ms }));

  it('bars say what grows faster than promised; at the promise nothing does', () => {
    expect(title(exponentBars([]))).toBeNull();
    expect(title(exponentBars([row(1, null)]))).toBe('How time grows');
    expect(title(exponentBars([row(1.1, 1.1)]))).toBe('Nothing grows faster than turns^1.1');
    expect(title(exponentBars([row(1.2, 1.1), row(1, 1.3)]))).toBe('1 of 2 grow faster than promised');
    expect(title(exponentBars([row(1, 1.1), row(1, 1.3)]))).toBe('Nothing grows faster than turns^1.3');
    const domain = (...rows: readonly ReturnType<typeof row>[]) =>
      layers(exponentBars(rows))[0]!.encoding!.x!.scale!.domain;
    expect(domain(row(1, 2))).toEqual([0, 2.1]);
    expect(domain(row(-0.5, null), row(4, 2))).toEqual([-0.5, 4.2]);
  });

  it('hot paths: promises are counted, those whose output is the window are not', () => {
    const chart = (...rows: readonly ReturnType<typeof row>[]) =>
      title(hotPathTimes([...times('x', 1, 1), ...times('y', 1, 1)], rows));
    expect(chart(row(1, null))).toBe('Hot paths of an agent’s turn');
    expect(chart(row(1.1, 1.1), row(5, null, 'y'))).toMatch(/^No hot path grows faster than size\^1\.1,/);
    expect(chart(row(1, 1.1), row(1, 1.3, 'y'))).toMatch(/size\^1\.3,/);
    expect(chart(row(1.2, 1.1), row(1, 1.3, 'y'))).toBe('1 of 2 hot paths grow faster than promised');
    expect(chart(row(1, 1.1, 'unknown'))).toBeNull();
  });

  it('hot paths: times of nothing are left out; the axis has every power of ten within a factor of 1.6', () => {
    const spec = hotPathTimes(times('x', 0, 0.001, 0.1), [row(1, 1.1)]);
    const [lines] = layers(spec);
    expect(lines!.data!.values.map(({ micros }) => micros)).toEqual([1, 100]);
    expect(lines!.encoding!.y!.axis!.values).toEqual([1, 10, 100]);
    expect(
      layers(hotPathTimes(times('x', 0.002, 0.006), [row(1, 1.1)]))[0]!.encoding!.y!.axis!.values,
    ).toEqual([]);
    // A row for each path, 300 pixels at least.
    const many = Array.from({ length: 16 }, (_, i) => `p${i}`);
    const high = hotPathTimes(
      many.flatMap((name) => times(name, 1)),
      many.map((name) => row(1, 1.1, name)),
    );
    expect([spec!.height, high!.height]).toEqual([300, 320]);
  });

  it('hot paths: the leader of a label ends at its last time', () => {
    const spec = hotPathTimes(times('x', 1, 10), [row(1, 1.1)]);
    const [label] = layers(spec)[3]!.data!.values;
    expect(label).toMatchObject({ size: 100_000, micros: 10_000 });
    // Nothing is in its way: it stands at the height of the time itself.
    expect(label!.labelMicros).toBeCloseTo(10_000, 6);
  });
});

describe('a front of settings', () => {
  const COST = { name: 'costUsd', unit: 'usd', better: 'lower' } as const;
  const KEPT = { name: 'kept', unit: 'share', better: 'higher' } as const;
  const at = (x: number, y: number, label = `${x}`) => ({ label, x, y });

  it('goes by the better side of both', () => {
    const points = [at(1, 1), at(2, 2), at(3, 3), at(3, 2)];
    const front = (x: 'lower' | 'higher', y: 'lower' | 'higher') =>
      paretoFront(points, { x, y }).map(({ x, y }) => `${x}${y}`);
    expect(front('lower', 'lower')).toEqual(['11']);
    expect(front('lower', 'higher')).toEqual(['11', '22', '33']);
    expect(front('higher', 'higher')).toEqual(['33']);
    expect(front('higher', 'lower')).toEqual(['11', '32']);
  });

  it('names at most seven or so of its points, far enough apart', () => {
    const labels = (points: readonly ReturnType<typeof at>[]) =>
      layers(pareto({ x: COST, y: KEPT, points, subtitle: 's' }))
        .at(-1)!
        .data!.values.map(({ label }) => label);
    expect(labels([at(1, 1)])).toEqual(['1']);
    // 14 steps over seven labels: every second.
    expect(labels(Array.from({ length: 15 }, (_, i) => at(i, i)))).toEqual([
      '0',
      '2',
      '4',
      '6',
      '8',
      '10',
      '12',
      '14',
    ]);
    expect(labels([at(1, 1, 'a'), at(1, 1, 'b'), at(2, 2, 'c')])).toEqual(['a, b', 'c']);
  });

  it('names points that are not ranked as long as they are seven at most', () => {
    const spec = (n: number) =>
      pareto({
        x: COST,
        y: KEPT,
        subtitle: 's',
        points: [
          at(1, 1),
          at(2, 2),
          ...Array.from({ length: n }, (_, i) => ({ ...at(i, 0.5), mark: 'unranked' as const })),
        ],
      });
    expect(layers(spec(7))[2]!.layer).toHaveLength(2);
    expect(layers(spec(8))[2]!.layer).toHaveLength(1);
    expect(layers(spec(0))).toHaveLength(3);
    const one = pareto({ x: COST, y: KEPT, points: [at(1, 1)], subtitle: 's' });
    expect(title(one)).toBe('1 of 1 settings are not beaten in both costUsd and kept');
  });
});

describe('axes of sweeps', () => {
  it.each([
    ['tokens', 'x (tokens)', '~s'],
    ['usd', 'x (US dollars)', '$,~r'],
    ['share', 'x (share)', '.4~p'],
    ['count', 'x', ',~r'],
    ['ms', 'x (ms)', ',~r'],
  ] as const)('%s', (unit, text, format) => {
    expect([axisTitle({ name: 'x', unit }), unitFormat(unit)]).toEqual([text, format]);
  });

  it('other units are written as they are', () => {
    expect(axisTitle({ name: 'x', unit: 'results' })).toBe('x (results)');
    expect(axisTitle({ name: 'x', unit: null })).toBe('x');
  });

  it('the best is the first of the best, and none where nothing is better or known', () => {
    const best = (values: readonly (number | null)[], better: 'lower' | 'higher' | null) =>
      bestOf(
        values.map((value, i) => ({ value, i })),
        ({ value }) => value,
        better,
      )?.i ?? null;
    expect(best([null, 2, 1, 1, 3], 'lower')).toBe(2);
    expect(best([null, 2, 1, 3, 3], 'higher')).toBe(3);
    expect([best([1, 2], null), best([null], 'lower')]).toEqual([null, null]);
  });

  it('a line without a better side says what it shows', () => {
    const one = sweepLine({
      parameter: { name: 'gap', unit: 'minutes' },
      metric: { name: 'calls', unit: 'count', better: null },
      scale: 'linear',
      points: [
        { x: 1, y: 2 },
        { x: 2, y: null },
      ],
      subtitle: 's',
    });
    expect(title(one)).toBe('calls against gap');
    expect(layers(one)).toHaveLength(1);
    expect(layers(one)[0]!.encoding!.color!.legend).toBeNull();
  });

  it('a share is written in whole per cent unless that would say all or nothing', () => {
    const shares = [0, 0.0004, 0.004, 0.006, 0.5, 0.994, 0.996, 1];
    expect(shares.map(shortShare)).toEqual('0 % 0.0 % 0.4 % 1 % 50 % 99 % 99.6 % 100 %'.match(/\S+ %/g));
  });

  it('a span is written in the largest unit that it holds two of', () => {
    const HOUR = 3_600_000;
    expect(
      [48 * HOUR, 48 * HOUR - 1, 2 * HOUR, 2 * HOUR - 1, 120_000, 119_999, 0].map(
        (ms) => /\((.*)\)/.exec(timeUnit(ms).title)![1],
      ),
    ).toEqual(['days', 'hours', 'hours', 'minutes', 'minutes', 'seconds', 'seconds']);
    expect(inUnit(1_234_567, timeUnit(2 * HOUR))).toBe(0.3429);
  });
});

describe('pictures of a run', () => {
  const titles = (...entries: readonly LogEntry[]) => {
    const all = [runEntry(), threadEntry(), threadEntry({ thread: 'child', parent: 'main' }), ...entries];
    return Object.fromEntries(
      runCharts({ entries: all, facts: foldLog(all), policyInfo: null }).map(({ name, spec }) => [
        name,
        title(spec),
      ]),
    );
  };
  const sent = requestEntry({ n: 1, read: 300, input: 100, readCost: 1e9, outputCost: 3e9 });
  const larger = requestEntry({ n: 2, read: 500, input: 100, inputCost: 1e9 });
  const shrunk = layerEntry({ saved: 9, cacheLost: 12_000 });

  it('say how high the context was and how often it was made smaller', () => {
    const context = (...entries: readonly LogEntry[]) => titles(...entries)['context-over-time'];
    expect(context(larger, sent)).toBe('Context peaks at 600 of 200,000 tokens, never shrunk');
    expect(context(sent, shrunk)).toMatch(/shrunk once$/);
    const idle = layerEntry({ saved: 0 });
    const failed = layerEntry({ saved: 9, outcome: 'failed' });
    expect(context(sent, shrunk, idle, failed, shrunk)).toMatch(/shrunk 2 times$/);
    expect(context(requestEntry({ thread: 'child', purpose: 'subagent', input: 5 }))).toBe(
      'Context size: no request was answered',
    );
  });

  it('say what share was read, what most was paid for, and what layers saved and destroyed', () => {
    expect(titles(sent, larger)).toEqual({
      'context-over-time': expect.any(String),
      'prompt-split': 'Cache reads carry 80 % of 1,000 prompt tokens',
      'cost-by-cause': 'Output: 60 % of $5.00',
    });
    expect(titles(requestEntry({ input: 5 }))['cost-by-cause']).toBe('Cost by cause: nothing was paid');
    expect(titles(sent, shrunk)['saved-by-layer']).toBe(
      'Layers keep 9 tokens out at the end and destroy 12 K cached ones',
    );
    expect(titles(sent, layerEntry({ saved: 0 }))['saved-by-layer']).toBe('Tokens saved by layers: none');
    expect(titles(shrunk)).toEqual({});
  });
});

describe('predictions', () => {
  const of = (...points: readonly (readonly [number, number])[]) =>
    predictedVsRecorded({
      quantity: { name: 'prompt', unit: 'tokens' },
      subtitle: 's',
      points: points.map(([predicted, recorded]) => ({ predicted, recorded, series: 'a' })),
    });

  it('are off to both sides alike; what was nothing is not compared', () => {
    expect(title(of([110, 100], [90, 100], [5, 0]))).toBe(
      'Predicted prompt: half within 10 %, 95 % within 10 % of the recording',
    );
    // The middle of three errors, and nine tenths of the way from it to the largest.
    expect(title(of([104, 100], [98, 100], [120, 100]))).toBe(
      'Predicted prompt: half within 4 %, 95 % within 18 % of the recording',
    );
    expect(title(of([5, 0]))).toBe('Predicted against recorded prompt: nothing to compare');
  });
});

describe('hit rates by lifetime', () => {
  const input = (change: Partial<LifetimeChartInput['cost']> = {}): LifetimeChartInput => ({
    sessions: 2,
    requests: 9,
    curve: [
      { ttlSeconds: 299, hitRate: 0.5 },
      { ttlSeconds: 300, hitRate: 0.8 },
      { ttlSeconds: 600, hitRate: null },
      { ttlSeconds: 3_600, hitRate: 0.9 },
    ],
    cost: {
      share5mCheaper: 0.5,
      share1hCheaper: 0.5,
      rescuedTokens: 1_000,
      breakEvenTokens: 800,
      total5mUsd: 3,
      total1hUsd: 3.1,
      perSession: [
        { cost5mUsd: 1, cost1hUsd: 1.2, cheaper: '5m' },
        { cost5mUsd: 0, cost1hUsd: 1, cheaper: '5m' },
        { cost5mUsd: 1, cost1hUsd: 0, cheaper: '1h' },
      ],
      ...change,
    },
  });
  const plots = (spec: ChartSpec) => spec.hconcat as readonly { readonly layer: readonly Layer[] }[];

  it('mark the lifetimes that are sold, and the ceiling where it is known', () => {
    const [curve] = plots(hitRateByLifetime(input()));
    const [ceiling, line, sold] = curve!.layer;
    expect(ceiling!.data!.values).toEqual([]);
    expect(line!.data!.values.map(({ ttlSeconds }) => ttlSeconds)).toEqual([299, 300, 3_600]);
    expect(sold!.data!.values.map(({ ttlSeconds }) => ttlSeconds)).toEqual([300, 3_600]);
    const known = { ...input(), curve: [{ ttlSeconds: null, hitRate: 0.95 }] };
    expect(plots(hitRateByLifetime(known))[0]!.layer[0]!.data!.values).toEqual([
      { hitRate: 0.95, label: 'never expires' },
    ]);
  });

  it('say who is cheaper; sessions without a cost at both are not drawn', () => {
    const [, cost] = plots(hitRateByLifetime(input()));
    expect(cost!.layer[1]!.data!.values).toEqual([{ cost5mUsd: 1, ratio: 1.2, side: '5 minutes cheaper' }]);
    const equal = input({ perSession: [{ cost5mUsd: 2, cost1hUsd: 2, cheaper: 'equal' }] });
    expect(plots(hitRateByLifetime(equal))[1]!.layer[1]!.data!.values[0]!.side).toBe('the same');
    const none = { share1hCheaper: null, perSession: [] };
    expect(title(hitRateByLifetime(input(none)))).toBe('Cache hits of 2 sessions at every lifetime');
    expect(title(hitRateByLifetime({ ...input(none), sessions: 0 }))).toBe('Cache lifetimes: no session');
    expect(title(hitRateByLifetime(input({ share5mCheaper: null })))).toMatch(/^Cache hits/);
    // The curve alone, unless nothing at all is there.
    expect(plots(hitRateByLifetime(input(none)))).toHaveLength(1);
    expect(hitRateByLifetime(input(none)).title.subtitle).toBe('9 requests');
    expect(plots(hitRateByLifetime({ ...input(none), sessions: 0 }))).toHaveLength(2);
    expect(hitRateByLifetime(input()).title.subtitle).toMatch(
      /^9 requests · all sessions: \$3\.00 with 5 minutes/,
    );
  });
});
