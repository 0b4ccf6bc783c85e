import { compile, type TopLevelSpec } from 'vega-lite';
import { describe, expect, it } from 'vitest';
import type { ChartSpec } from '../../../src/report/charts/chart-spec.js';
import { pareto, paretoFront } from '../../../src/report/charts/pareto.js';
import { sweepHeatmap, sweepLine } from '../../../src/report/charts/sweep-heatmap.js';

const COST = { name: 'costUsd', unit: 'usd', better: 'lower' } as const;
const KEPT = { name: 'contentRetention', unit: 'share', better: 'higher' } as const;
const WINDOW = { name: 'window', unit: 'tokens' } as const;
const unranked = { mark: 'unranked' } as const;
const common = { metric: COST, scale: 'linear', subtitle: 'sample' } as const;

function expectCompiles(spec: ChartSpec): void {
  expect(() => compile(spec as unknown as TopLevelSpec)).not.toThrow();
}

describe('charts with points that are not ranked', () => {
  it('the front leaves them out, however cheap they are', () => {
    const points = [
      { label: 'died', x: 1, y: 1, ...unranked },
      { label: 'cheap', x: 2, y: 0.5 },
      { label: 'beaten', x: 3, y: 0.4 },
    ];
    expect(paretoFront(points, { x: 'lower', y: 'higher' }).map(({ label }) => label)).toEqual(['cheap']);
    const spec = pareto({ x: COST, y: KEPT, points, subtitle: 'sample' });
    expect(spec.title).toEqual({
      text: '1 of 2 settings are not beaten in both costUsd and contentRetention',
      subtitle: 'sample · ×: not ranked, calls went unanswered (1)',
    });
    expectCompiles(spec);
  });

  it('one that is ranked alone beats nothing', () => {
    const points = [
      { label: 'died', x: 1, y: 1, ...unranked },
      { label: 'other', x: 1, y: 1, ...unranked },
      { label: 'whole', x: 2, y: 0.5 },
    ];
    const spec = pareto({ x: COST, y: KEPT, points, subtitle: 'sample' });
    expect(spec.title.text).toBe('Only whole is ranked by costUsd and contentRetention');
    expect(JSON.stringify(spec)).toContain('"label":"died, other"');
  });

  it('a line takes its best point from the others, and leaves their values out of its scale', () => {
    const points = [
      { x: 40, y: 1, ...unranked },
      { x: 80, y: 3 },
      { x: 120, y: 4 },
    ];
    const spec = sweepLine({ ...common, parameter: WINDOW, points });
    expect(spec.title.text).toBe('Best costUsd $3.00 at window = 80');
    expect(spec.data).toEqual({ values: [3, 4].map((y, i) => ({ x: 80 + 40 * i, y, series: 'costUsd' })) });
    expectCompiles(spec);
  });

  it('a heat map frames none of them, and needs no colours without others', () => {
    const axes = { ...common, x: WINDOW, y: { name: 'ttl', unit: null } };
    const died = { x: 40, y: '5m', value: 1, ...unranked };
    const spec = sweepHeatmap({ ...axes, cells: [died, { x: 80, y: '5m', value: 3 }] });
    expect(spec.title.text).toBe('Best costUsd $3.00 at window = 80, ttl = 5m');
    expectCompiles(spec);
    const alone = sweepHeatmap({ ...axes, cells: [died] });
    expect(alone.title.text).toBe('costUsd over window and ttl');
    expect(JSON.stringify(alone)).not.toContain('cividis');
  });
});
