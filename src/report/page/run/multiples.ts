import { formatCount, formatCounted } from '../../../core/base/format.js';
import { getOrMake } from '../../../core/base/once.js';
import { PROMPT_COLORS } from '../../charts/palette.js';
import type { ChartModel } from '../../page-data/run-model.js';
import { h, s } from '../widgets/dom.js';
import { takeClick } from '../widgets/place.js';
import { linearScale } from '../widgets/scale.js';
import { brokenRequests, largestPrompt, PROMPT_PARTS, promptPaths } from './prompt-paths.js';

/** One small chart of many. */
export interface Multiple {
  readonly name: string;
  /** Beside the name, such as what it cost. */
  readonly value: string;
  readonly link: string;
  /** What a click does; absent if it follows the link. */
  open?(): void;
  /** Null if there is nothing to draw. */
  model(): ChartModel | null;
}

/** Small charts side by side. */
export interface Multiples {
  readonly element: HTMLElement;
  /** Shows these, by their index. */
  setShown(shown: readonly number[]): void;
}

const WIDTH = 240;
const HEIGHT = 64;
/** Room above the bars for the marks of breaks. */
const MARKS = 8;

/** The prompts of a whole run in the size of a stamp, breaks marked above them. */
function miniChart(model: ChartModel): SVGElement {
  const x = linearScale(model.domain('request'), [0, WIDTH]);
  const y = linearScale([0, largestPrompt(model) || 1], [HEIGHT, MARKS]);
  const paths = promptPaths(model, 'request', x, y);
  const svg = s('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  for (const part of PROMPT_PARTS) svg.append(s('path', { d: paths[part], fill: PROMPT_COLORS[part] }));
  for (const index of brokenRequests(model)) {
    const at = x.px(model.x(index, 'request'));
    svg.append(s('path.broken', { d: `M${at - 3},0h6l-3,6z` }));
  }
  return svg;
}

/** Charts that are drawn at first. */
const FIRST = 24;

/** Creates a chart for each; more than a screen of them wait for a click. */
export function createMultiples(all: readonly Multiple[], label: string): Multiples {
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
        { href: link, click: (event: MouseEvent) => void (open !== undefined && takeClick(event) && open()) },
        h('span.name', { title: name }, name),
        h('b', value),
        own === null ? null : miniChart(own),
        h('small', note),
      ),
    );
  };
  const draw = (): void => {
    const cells = shown.slice(0, most).map((index) => {
      return getOrMake(made, index, () => make(index));
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
