import { formatExponent } from '../../core/base/format.js';
import { type ChartSpec, chartSpec } from './chart-spec.js';
import type { ChartedGrowth } from './charted.js';
import { LIGHT } from './palette.js';

const WIDTH = 520;
const ROW = 24;

function titleOf(missed: number, rows: number, limits: readonly number[]): string {
  if (limits.length === 0) return 'How time grows';
  if (missed > 0) return `${missed} of ${rows} grow faster than promised`;
  return `Nothing grows faster than turns^${Math.max(...limits)}`;
}

/** The exponent of growth of each row against its promise; null without rows. */
export function exponentBars(growth: readonly ChartedGrowth[]): ChartSpec | null {
  if (growth.length === 0) return null;
  const values = growth.map(({ name, exponent, promised }) => ({
    name,
    exponent,
    label: formatExponent(exponent),
    isMissed: promised !== null && exponent > promised,
  }));
  const limits = [...new Set(growth.flatMap(({ promised }) => promised ?? []))];
  const missed = values.filter(({ isMissed }) => isMissed).length;
  const highest = Math.max(...limits, ...values.map(({ exponent }) => exponent));
  const x = {
    field: 'exponent',
    type: 'quantitative',
    title: 'exponent of growth (1 is linear)',
    scale: { domain: [Math.min(0, ...values.map(({ exponent }) => exponent)), highest * 1.05], nice: false },
    axis: { format: '.1f', tickCount: 6, grid: true },
  };
  const y = {
    field: 'name',
    type: 'nominal',
    title: null,
    sort: null,
    axis: { ticks: false, domain: false },
  };
  return chartSpec(
    {
      text: titleOf(missed, values.length, limits),
      subtitle: 'time ~ turns^exponent',
    },
    {
      width: WIDTH,
      height: ROW * values.length,
      layer: [
        {
          data: { values },
          mark: { type: 'bar', height: ROW - 8 },
          encoding: {
            x,
            y,
            color: {
              condition: { test: 'datum.isMissed', value: LIGHT.alarm },
              value: LIGHT.series,
            },
          },
        },
        {
          data: { values },
          mark: { type: 'text', align: 'left', dx: 10, color: LIGHT.ink },
          encoding: { x: { value: WIDTH }, y, text: { field: 'label', type: 'nominal' } },
        },
        {
          data: { values: limits.map((exponent) => ({ exponent, label: `promised: at most ${exponent}` })) },
          layer: [
            { mark: { type: 'rule', strokeDash: [6, 4], color: LIGHT.ink }, encoding: { x } },
            {
              mark: { type: 'text', align: 'right', baseline: 'bottom', dx: -4, dy: -4, color: LIGHT.muted },
              encoding: { x, y: { value: 0 }, text: { field: 'label', type: 'nominal' } },
            },
          ],
        },
      ],
    },
  );
}
