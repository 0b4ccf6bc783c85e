import { formatCount, formatCounted, formatMoneyCell, formatShare } from '../../../core/base/format.js';
import type { WhyPageChange, WhyPageData } from '../../page-data/why-page-data.js';
import { shortPath } from '../../text/short-name.js';
import { legend } from '../widgets/axis-tools.js';
import { h, s } from '../widgets/dom.js';
import { linearScale } from '../widgets/scale.js';
import type { Slice, Slices } from './slices.js';

const CENTS = 2;

/** Dollars and cents, so that a column lines up. */
export function money(usd: number): string {
  return formatMoneyCell(usd, CENTS);
}

/** A bar of a share, a part of it set off. */
function bar(share: number, part: number): HTMLElement {
  const width = (value: number): string => `width:${(Math.min(1, Math.max(0, value)) * 100).toFixed(2)}%`;
  return h(
    'span.share',
    { 'aria-hidden': 'true' },
    h('i.whole', { style: width(share) }),
    h('i.kept', { style: width(part) }),
  );
}

function headRow(names: readonly (readonly [string, string])[]): HTMLElement {
  return h('thead', h('tr', ...names.map(([name, align]) => h('th', { scope: 'col', class: align }, name))));
}

/** What the money went for, the dearest first; a name narrows the lists down to its breaks. */
export function causesView(data: WhyPageData, onCause: (title: string) => void): HTMLElement {
  const most = Math.max(...data.causes.map(({ usd }) => usd), 0) || 1;
  const rows = data.causes.map(({ title, color, usd, share, events, avoidableUsd, remedy }) =>
    h(
      'tr',
      { class: events === 0 ? 'quiet' : '' },
      h(
        'th',
        { scope: 'row' },
        h('i.swatch', { style: `background:${color}` }),
        events === 0 ? title : h('button.link', { click: () => onCause(title) }, title),
      ),
      h('td.bars', bar(usd / most, avoidableUsd / most)),
      h('td.right', money(usd)),
      h('td.right', formatShare(share)),
      h('td.right', { 'data-of': 'breaks' }, events === 0 ? '' : formatCount(events)),
      h('td.right', { 'data-of': 'avoidable' }, avoidableUsd > 0 ? money(avoidableUsd) : ''),
      h('td', remedy ?? ''),
    ),
  );
  return h(
    'div.wide',
    { tabindex: 0, role: 'region', 'aria-label': 'Causes' },
    h(
      'table.money.causes',
      headRow([
        ['cause', ''],
        ['', 'bars'],
        ['cost', 'right'],
        ['share', 'right'],
        ['breaks', 'right'],
        ['avoidable', 'right'],
        ['how', ''],
      ]),
      h('tbody', ...rows),
    ),
    legend([
      ['avoidable', 'var(--alarm)'],
      ['the rest of it', 'var(--rest)'],
    ]),
  );
}

const PLOT_WIDTH = 320;
const PLOT_HEIGHT = 20;

/** A saving with its interval, beside the line of nothing saved. */
function interval({ usd, low, high }: WhyPageChange, range: readonly [number, number]): SVGElement {
  const x = linearScale(range, [6, PLOT_WIDTH - 6]);
  const tone = low > 0 ? 'gain' : high < 0 ? 'loss' : 'open';
  const middle = PLOT_HEIGHT / 2;
  return s(
    'svg',
    {
      viewBox: `0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`,
      class: `interval ${tone}`,
      'aria-hidden': 'true',
      preserveAspectRatio: 'none',
    },
    s('line.zero', { x1: x.px(0), x2: x.px(0), y1: 0, y2: PLOT_HEIGHT }),
    s('line.span', { x1: x.px(low), x2: x.px(high), y1: middle, y2: middle }),
    s('circle', { cx: x.px(usd), cy: middle, r: 4 }),
  );
}

/** What each change would have saved. */
export function changesView({ changes, assumed }: WhyPageData): HTMLElement {
  const range = [
    Math.min(0, ...changes.map(({ low }) => low)),
    Math.max(0, ...changes.map(({ high }) => high)),
  ] as const;
  const rows = changes.map((change) => {
    const { name, usd, low, high } = change;
    const isIdle = low === 0 && high === 0;
    return h(
      'tr',
      { class: usd > 0 ? '' : 'quiet' },
      h('th', { scope: 'row' }, name),
      h('td.bars', isIdle ? '' : interval(change, range)),
      h('td.right', isIdle ? 'nothing' : money(usd)),
      h('td', isIdle ? 'it would not have acted' : `${money(low)} to ${money(high)}`),
    );
  });
  return h(
    'div',
    h(
      'div.wide',
      { tabindex: 0, role: 'region', 'aria-label': 'Changes' },
      h(
        'table.money',
        headRow([
          ['change', ''],
          ['', 'bars'],
          ['saves', 'right'],
          ['between', ''],
        ]),
        h('tbody', ...rows),
      ),
    ),
    h('p.quiet', assumed),
  );
}

const FIRST_ROWS = 8;
const NAME_CHARS = 40;

function sliceTable(rows: readonly Slice[], most: number): HTMLElement {
  return h(
    'table.money.slices',
    h(
      'tbody',
      ...rows.map(({ name, usd, sessions }) =>
        h(
          'tr',
          h('th', { scope: 'row', title: name }, shortPath(name, NAME_CHARS)),
          h('td.bars', bar(usd / most, 0)),
          h('td.right', money(usd)),
          h('td.right.quiet', formatCounted(sessions, 'session')),
        ),
      ),
    ),
  );
}

/** Money by project, model and day. */
export function slicesView(slices: readonly Slices[]): HTMLElement {
  const blocks = slices.map(({ by, rows }) => {
    const most = Math.max(...rows.map(({ usd }) => usd), 0) || 1;
    const rest = rows.slice(FIRST_ROWS);
    return h(
      'div.block',
      h('h3', `By ${by}`),
      rows.length === 0 ? h('p.quiet', 'nothing to show') : sliceTable(rows.slice(0, FIRST_ROWS), most),
      rest.length === 0
        ? null
        : h('details', h('summary', `${formatCount(rest.length)} more`), sliceTable(rest, most)),
    );
  });
  return h('div.blocks', ...blocks);
}
