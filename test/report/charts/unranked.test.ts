import { compile, type TopLevelSpec } from 'vega-lite';
import { describe, expect, it } from 'vitest';
import type { ChartSpec } from '../../../src/report/charts/chart-spec.js';
import { paretoFront } from '../../../src/report/charts/pareto.js';
import { sweepHeatmap } from '../../../src/report/charts/sweep-heatmap.js';

const COST = { name: 'costUsd', unit: 'usd', better: 'lower' } as const;
const WINDOW = { name: 'window', unit: 'tokens' } as const;
const unranked = { mark: 'unranked' } as const;
const common = { metric: COST, subtitle: 'sample' } as const;

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
