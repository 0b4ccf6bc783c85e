import { formatDecimal } from '../../core/base/format.js';
import { type ChartSpec, chartSpec } from './chart-spec.js';
import type { ChartedRatio } from './charted.js';
import { LIGHT } from './palette.js';

const WIDTH = 520;
const ROW = 28;
/** How far the axis reaches at least, as a factor to both sides of the promise. */
const REACH = 2;
/** Room beside the longest bars, as a factor. */
const ROOM = 1.1;
const TICKS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

function plain(value: number): string {
  return formatDecimal(value, value >= 100 ? 0 : 2);
}

function titleOf(values: readonly { readonly isMissed: boolean }[]): string {
  const missed = values.filter(({ isMissed }) => isMissed).length;
  if (missed === 0)
    return values.length === 1 ? 'The ratio keeps its promise' : 'All ratios keep their promise';
  return `${missed} of ${values.length} ratios miss their promise`;
}

/** Each ratio as a multiple of its promise, on a logarithmic axis with a line at 1; null where nothing is promised. */
export function ratioBars(ratios: readonly ChartedRatio[]): ChartSpec | null {
  const values = ratios.flatMap(({ name, ratio, promised }) => {
    if (promised === null || promised <= 0 || ratio <= 0) return [];
    const share = ratio / promised;
    const label = `${plain(ratio)} · promised ${plain(promised)}`;
    return [{ name, share, label, isMissed: ratio < promised }];
  });
  if (values.length === 0) return null;
  const shares = values.map(({ share }) => share);
  const from = Math.min(1 / REACH, ...shares) / ROOM;
  const to = Math.max(REACH, ...shares) * ROOM;
  const x = {
    field: 'share',
    type: 'quantitative',
    title: 'measured / promised (log scale)',
    scale: { type: 'log', domain: [from, to], nice: false },
    axis: { format: '~r', grid: true, values: TICKS.filter((tick) => tick >= from && tick <= to) },
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
      text: titleOf(values),
      subtitle: 'two contenders timed in turns in one run; right of the line is better than promised',
    },
    {
      width: WIDTH,
      height: ROW * values.length,
      layer: [
        {
          data: { values },
          mark: { type: 'bar', height: ROW - 10 },
          encoding: {
            x,
            x2: { datum: 1 },
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
          data: { values: [{ share: 1 }] },
          mark: { type: 'rule', strokeWidth: 1.5, color: LIGHT.ink },
          encoding: { x },
        },
      ],
    },
  );
}
