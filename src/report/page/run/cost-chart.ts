import { formatMoney } from '../../../core/base/format.js';
import { sum } from '../../../core/base/stats.js';
import { causeColors } from '../../charts/palette.js';
import { s } from '../widgets/dom.js';
import { createFrame, type Drawing } from '../widgets/frame.js';
import type { Store } from '../widgets/store.js';
import { type PaidPart, paidPart } from './paid-part.js';
import type { ChartModel } from './run-model.js';
import type { RunChartOptions } from './split-chart.js';

/** Indexes of the requests to draw: the last one of each pixel, and the one before the visible part. */
function steps(model: ChartModel, { view, x }: Drawing): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const index of model.order(view.axis)) {
    const place = model.x(index, view.axis);
    if (place > x.to) break;
    const px = Math.max(Math.round(x.px(place)), x.px(x.from));
    if (found.length > 0 && found.at(-1)![0] === px) found.pop();
    found.push([px, index]);
  }
  return found;
}

function area(
  points: readonly (readonly [number, number])[],
  end: number,
  bottom: (index: number) => number,
  top: (index: number) => number,
): string {
  if (points.length === 0) return '';
  const there = points.map(
    ([px, index], i) => `${i === 0 ? 'M' : 'H'}${px}${i === 0 ? ',' : 'V'}${top(index).toFixed(1)}`,
  );
  let back = `H${end}V${bottom(points.at(-1)![1]).toFixed(1)}`;
  for (let i = points.length - 1; i >= 0; i--) {
    back += `H${points[i]![0]}`;
    if (i > 0) back += `V${bottom(points[i - 1]![1]).toFixed(1)}`;
  }
  return `${there.join('')}${back}z`;
}

/** What the chosen run has paid so far, by cause; of a part of the axis, since its beginning. */
export function createCostChart(store: Store, options: RunChartOptions): HTMLElement {
  const part = (): PaidPart => paidPart(options.model(), store.view.range, store.view.axis);
  return createFrame(store, {
    title: 'Cumulative cost by cause',
    label: 'Cost paid so far, by what was paid for.',
    yTitle: ({ range }) =>
      range === null ? 'paid so far (US dollars)' : 'paid since the beginning of this part (US dollars)',
    height: 150,
    lanes: 6,
    model: options.model,
    run: () => store.view.run,
    domain: options.domain,
    yMax: () => sum(part().within) / 1e9,
    yText: (value) =>
      formatMoney(value)
        .replace(/\.00$/, '')
        .replace(/(\.\d*?)0+$/, '$1'),
    draw(drawing) {
      const { plot, x, y } = drawing;
      const model = options.model();
      const points = steps(model, drawing);
      const paid = model.paid(drawing.view.axis);
      const colors = causeColors(model.causes, options.causeColor);
      const { before } = part();
      const sumTo = (cause: number, index: number): number => {
        let paidFor = 0;
        for (let i = 0; i < cause; i++) paidFor += paid[i]![index]! - before[i]!;
        return y.px(paidFor / 1e9);
      };
      for (let cause = 0; cause < model.causes.length; cause++) {
        const d = area(
          points,
          x.px(Math.min(x.to, model.domain(drawing.view.axis)[1])),
          (index) => sumTo(cause, index),
          (index) => sumTo(cause + 1, index),
        );
        plot.append(s('path', { d, fill: colors[cause]! }));
      }
    },
    cursor({ view, x, y, height }, layer) {
      if (view.cursor === null) return;
      const model = options.model();
      const px = x.px(model.x(view.cursor, view.axis));
      if (px < x.px(x.from) || px > x.px(x.to)) return;
      const paid = sum(model.paid(view.axis).map((column) => column[view.cursor!]!)) - sum(part().before);
      layer.append(
        s('line.hair', { x1: px, x2: px, y1: 6, y2: 6 + height }),
        s('circle.dot', { cx: px, cy: y.px(paid / 1e9), r: 4 }),
      );
    },
    click: (px, _py, { x, view }) => {
      store.update({ request: options.model().nearest(x.value(px), view.axis) });
      return true;
    },
    hover: (index, place) =>
      options.tooltip.show(index === null ? null : { model: options.model(), index }, place),
  });
}
