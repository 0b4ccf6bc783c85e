import { h, oncePerFrame, s } from './dom.js';
import type { Scale } from './scale.js';

/** Room around a plot, in pixels; the labels of the axes are drawn in it. */
const LEFT = 64;
const BOTTOM = 34;
const LEAST_WIDTH = 120;

/** An axis of a chart: where its values lie, which of them are labelled, and how. */
export interface ChartAxis {
  readonly scale: Pick<Scale, 'px'>;
  readonly title: string;
  readonly ticks: readonly number[];
  text(value: number): string;
}

/** How a chart is drawn. */
export interface ChartOptions {
  /** What the chart shows and which keys it hears, for screen readers. */
  readonly label: string;
  readonly title: string;
  readonly top: number;
  readonly height: number;
  readonly right: number;
  /** Draws everything into the emptied plot. */
  draw(): void;
}

/** A chart that is drawn again whenever its width changes. */
export interface Chart {
  readonly figure: HTMLElement;
  readonly svg: SVGSVGElement;
  /** Emptied before each drawing. */
  readonly plot: SVGGElement;
  /** Above the plot, for what follows the reader; the chart leaves it alone. */
  readonly over: SVGGElement;
  /** Ends of the plot in pixels; the vertical one from its bottom to its top. */
  across(): readonly [number, number];
  readonly up: readonly [number, number];
  /** Draws the grid, and the labels of both axes. */
  axes(x: ChartAxis, y: ChartAxis, yTitle: { readonly x: number; readonly y: number }): void;
  redraw(): void;
}

/** Where a pointer is inside an element. */
export function pointIn(element: Element, event: MouseEvent): { readonly px: number; readonly py: number } {
  const box = element.getBoundingClientRect();
  return { px: event.clientX - box.left, py: event.clientY - box.top };
}

/** Creates an empty chart in a figure. */
export function createChart({ label, title, top, height, right, draw }: ChartOptions): Chart {
  const plot = s('g');
  const over = s('g.cursor');
  const svg = s(
    'svg.chart',
    { height: top + height + BOTTOM, role: 'application', tabindex: 0, 'aria-label': label },
    plot,
    over,
  );
  const across = (): readonly [number, number] => [
    LEFT,
    LEFT + Math.max(LEAST_WIDTH, svg.clientWidth - LEFT - right),
  ];
  const redraw = oncePerFrame(() => {
    if (!svg.isConnected) return;
    plot.replaceChildren();
    draw();
  });
  new ResizeObserver(redraw).observe(svg);
  return {
    figure: h('figure', h('figcaption', title), svg),
    svg,
    plot,
    over,
    across,
    up: [top + height, top],
    axes(x, y, yTitle) {
      const [x1, x2] = across();
      for (const value of y.ticks) {
        const at = y.scale.px(value);
        plot.append(
          s('line.grid', { x1, x2, y1: at, y2: at }),
          s('text', { x: x1 - 8, y: at + 4, 'text-anchor': 'end' }, y.text(value)),
        );
      }
      for (const value of x.ticks) {
        const place = { x: x.scale.px(value), y: top + height + 16, 'text-anchor': 'middle' };
        plot.append(s('text', place, x.text(value)));
      }
      plot.append(
        s('text.axis', { x: x2, y: top + height + 31, 'text-anchor': 'end' }, x.title),
        s('text.axis', yTitle, `↑ ${y.title}`),
      );
    },
    redraw,
  };
}
