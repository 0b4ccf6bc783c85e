import { compile, type TopLevelSpec } from 'vega-lite';
import { describe, expect, it } from 'vitest';
import type { ChartSpec } from '../../../src/report/charts/chart-spec.js';
import { paretoFront } from '../../../src/report/charts/pareto.js';
import { pointsSpecs } from '../../../src/report/charts/points-spec.js';
import { runCharts } from '../../../src/report/charts/run-charts.js';
import { sweepHeatmap } from '../../../src/report/charts/sweep-heatmap.js';
import type { StudyChart } from '../../../src/report/page-data/page-data.js';
import { expectGenerated } from '../../helpers/pages/generated.js';
import { sampleRun } from '../../helpers/sample-run.js';

const COST = { name: 'costUsd', unit: 'usd', better: 'lower' } as const;
const GAP = { name: 'gapMinutes', unit: 'minutes' } as const;

/** A line with a level, a bar, a best and an unranked point. */
const LINES: StudyChart = {
  name: 'points-lines',
  title: 'cost over gap',
  x: { title: 'gap (minutes)', unit: null, scale: 'log' },
  y: { title: 'cost (US dollars)', unit: 'usd', scale: 'linear' },
  guide: [{ name: 'as it is', y: 2.5 }],
  series: [
    {
      name: 'cost',
      color: '#0072b2',
      drawn: 'line',
      points: [
        { x: 5, y: 3, low: 2.5, high: 3.5, row: 0 },
        { x: 50, y: 2, row: 1, mark: 'best' },
        { x: 500, y: 1, row: 2, mark: 'unranked' },
      ],
    },
  ],
};

/** Two series of dots with names on one axis, labels, and the line where both axes are equal. */
const DOTS: StudyChart = {
  name: 'points-dots',
  title: 'recorded and simulated',
  x: { title: 'recorded (US dollars)', unit: 'usd', scale: 'linear' },
  y: { title: 'simulated (US dollars)', unit: 'usd', scale: 'linear' },
  guide: 'equal',
  events: [{ x: 3, name: 'compaction', color: '#e69f00' }],
  series: ['a', 'b'].map((name, i) => ({
    name,
    color: ['#0072b2', '#e69f00'][i]!,
    drawn: 'dots',
    points: [{ x: 1 + i, y: 4 - i, row: i, label: `of ${name}` }],
  })),
};

const RUN_CHARTS = runCharts(sampleRun('sample', 30, 12));

const CHARTS: Readonly<Record<string, ChartSpec>> = {
  ...Object.fromEntries(RUN_CHARTS.map(({ name, spec }) => [name, spec])),
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
  ...Object.fromEntries(
    pointsSpecs([LINES, DOTS], 'The best cost is $2.00.').map(({ name, spec }) => [name, spec]),
  ),
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
    expect(CHARTS['sweep-heatmap']!.title.text).toBe('Best costUsd $2.00 at gapMinutes = 50, keepRecent = 1');
    expect(CHARTS['points-lines']!.title).toEqual({
      text: 'cost over gap',
      subtitle: ['The best cost is $2.00. · ×: not ranked, calls went unanswered (1)'],
    });
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
    expect(titles.length).toBeGreaterThan(12);
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
