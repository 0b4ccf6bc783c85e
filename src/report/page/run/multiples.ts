import { formatCount, formatCounted } from '../../../core/base/format.js';
import type { PromptColors } from '../../page-data/page-data.js';
import { h } from '../widgets/dom.js';
import { largestPrompt, miniChart } from '../widgets/mini-chart.js';
import { takeClick } from '../widgets/place.js';
import type { ChartModel } from './run-model.js';

/** One small chart of many. */
export interface Multiple {
  readonly name: string;
  /** Beside the name, such as what it cost. */
  readonly value: string;
  readonly link: string;
  /** What a click does; absent where it follows the link. */
  open?(): void;
  /** Null where there is nothing to draw. */
  model(): ChartModel | null;
}

/** Small charts side by side. */
export interface Multiples {
  readonly element: HTMLElement;
  /** Shows these, by their index. */
  setShown(shown: readonly number[]): void;
}

function onClick(open: () => void): (event: MouseEvent) => void {
  return (event) => {
    if (takeClick(event)) open();
  };
}

/** Charts that are drawn at first. */
const FIRST = 24;

/** Creates a chart for each; more than a screen of them wait for a click. */
export function createMultiples(all: readonly Multiple[], colors: PromptColors, label: string): Multiples {
  const grid = h('div.minis', { role: 'list', 'aria-label': label });
  const more = h('button.more', '');
  const made = new Map<number, HTMLElement>();
  let shown: readonly number[] = [];
  let most = FIRST;
  const make = (index: number): HTMLElement => {
    const { name, value, link, open, model } = all[index]!;
    const own = model();
    const note =
      own === null
        ? 'no chart'
        : `${formatCounted(own.run.leftOut?.requests ?? own.count, 'request')}, prompts up to ${formatCount(largestPrompt(own))} tokens`;
    return h(
      'div',
      { role: 'listitem' },
      h(
        'a.mini',
        { href: link, click: open === undefined ? null : onClick(open) },
        h('span.name', { title: name }, name),
        h('b', value),
        own === null ? null : miniChart(own, colors),
        h('small', note),
      ),
    );
  };
  const draw = (): void => {
    const cells = shown.slice(0, most).map((index) => {
      const cell = made.get(index) ?? make(index);
      made.set(index, cell);
      return cell;
    });
    grid.replaceChildren(...cells);
    const left = shown.length - cells.length;
    more.hidden = left <= 0;
    more.textContent = `show ${formatCount(left)} more`;
  };
  more.addEventListener('click', () => {
    most = Number.POSITIVE_INFINITY;
    draw();
  });
  return {
    element: h('div', grid, more),
    setShown(next) {
      shown = next;
      draw();
    },
  };
}
