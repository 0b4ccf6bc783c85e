import { compile, type TopLevelSpec } from 'vega-lite';
import { describe, expect, it } from 'vitest';
import { benchCharts } from '../../../src/report/charts/bench-charts.js';
import type { ChartSpec } from '../../../src/report/charts/chart-spec.js';
import { hitRateByLifetime } from '../../../src/report/charts/hit-rate-by-lifetime.js';
import { pareto, paretoFront } from '../../../src/report/charts/pareto.js';
import { predictedVsRecorded } from '../../../src/report/charts/predicted-vs-recorded.js';
import { runCharts } from '../../../src/report/charts/run-charts.js';
import { sweepHeatmap, sweepLine } from '../../../src/report/charts/sweep-heatmap.js';
import { expectGenerated } from '../../helpers/pages/generated.js';
import { sampleRun } from '../../helpers/sample-run.js';

const COST = { name: 'costUsd', unit: 'usd', better: 'lower' } as const;
const HITS = { name: 'cacheHitRate', unit: 'share', better: 'higher' } as const;
const GAP = { name: 'gapMinutes', unit: 'minutes' } as const;

const RUN_CHARTS = runCharts(sampleRun('sample', 30, 12));

const BENCH_CHARTS = benchCharts({
  results: [
    { name: 'threshold check', size: 10_000, p50Ms: 0.000_1 },
    { name: 'threshold check', size: 100_000, p50Ms: 0.000_1 },
    { name: 'flattening', size: 10_000, p50Ms: 0.01 },
    { name: 'flattening', size: 100_000, p50Ms: 0.1 },
  ],
  growth: [
    { name: 'threshold check', exponent: 0, promised: 1.1 },
    { name: 'flattening', exponent: 1, promised: null },
    { name: 'replay', exponent: 1.2, promised: 1.1 },
  ],
  ratios: [
    { name: 'naive-replay', ratio: 300, promised: 200 },
    { name: 'replay-limit', ratio: 0.3, promised: 0.33 },
  ],
});

const CHARTS: Readonly<Record<string, ChartSpec>> = {
  ...Object.fromEntries(RUN_CHARTS.map(({ name, spec }) => [name, spec])),
  ...Object.fromEntries(BENCH_CHARTS.map(({ name, spec }) => [`bench-${name}`, spec])),
  'sweep-line': sweepLine({
    parameter: GAP,
    metric: COST,
    scale: 'log',
    subtitle: 'sample',
    points: [
      { x: 5, y: 3 },
      { x: 50, y: 2 },
      { x: 500, y: null },
    ],
  }),
  'sweep-heatmap': sweepHeatmap({
    x: GAP,
    y: { name: 'keepRecent', unit: 'results' },
    metric: COST,
    subtitle: 'sample',
    cells: [
      { x: 5, y: 1, value: 3 },
      { x: 50, y: 1, value: 2 },
      { x: 5, y: 3, value: 4 },
      { x: 50, y: 3, value: null },
    ],
  }),
  pareto: pareto({
    x: COST,
    y: HITS,
    subtitle: 'sample',
    points: [
      { label: 'a', x: 1, y: 0.5 },
      { label: 'b', x: 2, y: 0.4 },
      { label: 'c', x: 3, y: 0.9 },
    ],
  }),
  'predicted-vs-recorded': predictedVsRecorded({
    quantity: { name: 'prompt', unit: 'tokens' },
    subtitle: 'sample',
    points: [
      { predicted: 99, recorded: 100, series: 'prompt' },
      { predicted: 202, recorded: 200, series: 'prompt' },
    ],
  }),
  'hit-rate-by-lifetime': hitRateByLifetime({
    sessions: 2,
    requests: 9,
    curve: [
      { ttlSeconds: 60, hitRate: 0.5 },
      { ttlSeconds: 300, hitRate: 0.8 },
      { ttlSeconds: 3_600, hitRate: 0.9 },
      { ttlSeconds: null, hitRate: 0.95 },
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
        { cost5mUsd: 2, cost1hUsd: 1.9, cheaper: '1h' },
      ],
    },
  }),
};

describe('charts', () => {
  it.each(Object.keys(CHARTS))('%s compiles to the committed picture, byte for byte', (name) => {
    const { spec } = compile(CHARTS[name] as unknown as TopLevelSpec);
    expectGenerated(`test/golden/charts/${name}.vg.json`, `${JSON.stringify(spec, null, 1)}\n`);
  });

  it('a run has four charts, and none without requests', () => {
    expect(RUN_CHARTS.map(({ name }) => name)).toEqual([
      'context-over-time',
      'prompt-split',
      'cost-by-cause',
      'saved-by-layer',
    ]);
    expect(runCharts(sampleRun('empty', 0, 1))).toHaveLength(0);
  });

  it('titles say what was found', () => {
    // 40,000 tokens after the compaction in turn 12 and 10,000 more in each of the eleven turns up to the next one.
    expect(CHARTS['context-over-time']!.title.text).toBe(
      'Context peaks at 150,500 of 200,000 tokens, shrunk 3 times',
    );
    expect(CHARTS['prompt-split']!.title.text).toMatch(
      /^Cache reads carry \d\d % of \d\.\d M prompt tokens$/,
    );
    expect(CHARTS['sweep-line']!.title.text).toBe('Best costUsd $2.00 at gapMinutes = 50');
    expect(CHARTS['sweep-heatmap']!.title.text).toBe('Best costUsd $2.00 at gapMinutes = 50, keepRecent = 1');
    expect(CHARTS.pareto!.title.text).toBe('2 of 3 settings are not beaten in both costUsd and cacheHitRate');
    expect(CHARTS['predicted-vs-recorded']!.title.text).toBe(
      'Predicted prompt: half within 1 %, 95 % within 1 % of the recording',
    );
    expect(CHARTS['hit-rate-by-lifetime']!.title.text).toBe(
      '1 hour is cheaper for 50 % of 2 sessions, 5 minutes for 50 %',
    );
  });

  it('every axis names its unit', () => {
    const titles: string[] = [];
    const collect = (value: unknown): void => {
      if (value === null || typeof value !== 'object') return;
      for (const [key, item] of Object.entries(value)) {
        if ((key === 'x' || key === 'y') && typeof item === 'object' && item !== null && 'title' in item) {
          if (typeof item.title === 'string') titles.push(item.title);
        }
        collect(item);
      }
    };
    for (const spec of Object.values(CHARTS)) collect(spec);
    expect(titles.length).toBeGreaterThan(15);
    expect(titles.filter((title) => !/\(.+\)|^tokens$|\//.test(title))).toEqual([]);
  });

  it('the front holds what no other setting beats in both values', () => {
    const points = [
      { label: 'cheap', x: 1, y: 0.2 },
      { label: 'beaten', x: 2, y: 0.1 },
      { label: 'good', x: 3, y: 0.9 },
      { label: 'twin', x: 3, y: 0.9 },
      { label: 'dear', x: 4, y: 0.9 },
    ];
    const front = paretoFront(points, { x: 'lower', y: 'higher' });
    expect(front.map(({ label }) => label)).toEqual(['cheap', 'good', 'twin']);
  });
});
