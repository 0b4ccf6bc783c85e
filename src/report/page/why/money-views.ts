import { formatCount, formatCounted, formatMoneyCell, formatShare } from '../../../core/base/format.js';
import { getOrMake } from '../../../core/base/once.js';
import type { WhyPageChange, WhyPageData, WhyPageSpent } from '../../page-data/why-page-data.js';
import { shortPath } from '../../text/words.js';
import { h, s } from '../widgets/dom.js';
import { holdsWords, legend, swatch, wideTable } from '../widgets/page-parts.js';
import { linearScale } from '../widgets/scale.js';

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

const largestOf = (rows: readonly { readonly usd: number }[]): number =>
  Math.max(...rows.map(({ usd }) => usd), 0) || 1;

/** What the money went for, the most expensive first; a name narrows the lists down to its breaks. */
export function causesView({ causes }: WhyPageData, onCause: (title: string) => void): HTMLElement {
  const most = largestOf(causes);
  const rows = causes.map(({ title, color, usd, share, events, avoidableUsd, remedy }) => {
    const name = events === 0 ? title : h('button.link', { click: () => onCause(title) }, title);
    return h(
      'tr',
      { class: events === 0 ? 'quiet' : '' },
      h('th', { scope: 'row' }, swatch(color), name),
      h('td.bars', bar(usd / most, avoidableUsd / most)),
      h('td.right', money(usd)),
      h('td.right', formatShare(share)),
      h('td.right', { 'data-of': 'breaks' }, events === 0 ? '' : formatCount(events)),
      h('td.right', { 'data-of': 'avoidable' }, avoidableUsd > 0 ? money(avoidableUsd) : ''),
      h('td', remedy ?? ''),
    );
  });
  const right = ['cost', 'share', 'breaks', 'avoidable'].map((name) => [name, 'right'] as const);
  const table = wideTable('Causes', ['cause', ['', 'bars'], ...right, 'how'], rows, 'money causes');
  table.append(
    legend([
      ['avoidable', 'var(--alarm)'],
      ['the rest of it', 'var(--rest)'],
    ]),
  );
  return table;
}

/** What fills the context, the most expensive first. */
export function sourcesView({ sources }: WhyPageData): HTMLElement {
  const most = largestOf(sources.rows);
  const rows = sources.rows.map(({ title, kind, tokens, times, usd, share }) =>
    h(
      'tr',
      h('th', { scope: 'row' }, title),
      h('td', kind),
      h('td.bars', bar(usd / most, 0)),
      h('td.right', money(usd)),
      h('td.right', formatShare(share)),
      h('td.right', formatCount(tokens)),
      h('td.right', times),
    ),
  );
  const right = ['cost', 'share', 'tokens', 'times paid'].map((name) => [name, 'right'] as const);
  const table = wideTable('Sources', ['source', 'kind', ['', 'bars'], ...right], rows, 'money');
  return h('div', table, ...sources.notes.map((note) => h('p.quiet', note)));
}

const PLOT_WIDTH = 320;
const PLOT_HEIGHT = 20;

/** A saving with its interval, beside the line of nothing saved. */
function interval({ usd, low, high }: WhyPageChange, range: readonly [number, number]): SVGElement {
  const x = linearScale(range, [6, PLOT_WIDTH - 6]);
  const tone = low > 0 ? 'gain' : high < 0 ? 'loss' : 'open';
  const middle = PLOT_HEIGHT / 2;
  const box = { viewBox: `0 0 ${PLOT_WIDTH} ${PLOT_HEIGHT}`, preserveAspectRatio: 'none' };
  return s(
    `svg.interval.${tone}`,
    { ...box, 'aria-hidden': 'true' },
    s('line.zero', { x1: x.px(0), x2: x.px(0), y1: 0, y2: PLOT_HEIGHT }),
    s('line.span', { x1: x.px(low), x2: x.px(high), y1: middle, y2: middle }),
    s('circle', { cx: x.px(usd), cy: middle, r: 4 }),
  );
}

/** What each change would have saved. */
export function changesView({ changes, assumed }: WhyPageData): HTMLElement {
  const from = Math.min(0, ...changes.map(({ low }) => low));
  const to = Math.max(0, ...changes.map(({ high }) => high));
  const rows = changes.map((change) => {
    const { name, usd, low, high } = change;
    const isIdle = low === 0 && high === 0;
    return h(
      'tr',
      { class: usd > 0 ? '' : 'quiet' },
      h('th', { scope: 'row' }, name),
      h('td.bars', isIdle ? '' : interval(change, [from, to])),
      h('td.right', isIdle ? 'nothing' : money(usd)),
      h('td', isIdle ? 'it would have had no effect' : `${money(low)} to ${money(high)}`),
    );
  });
  const heads = ['change', ['', 'bars'], ['saves', 'right'], 'between'] as const;
  return h('div', wideTable('Changes', heads, rows, 'money'), h('p.quiet', assumed));
}

const FIRST_ROWS = 8;
const NAME_CHARS = 40;

function sliceTable(slices: readonly Slice[], most: number): HTMLElement {
  const rows = slices.map(({ name, usd, sessions }) =>
    h(
      'tr',
      h('th', { scope: 'row', title: name }, shortPath(name, NAME_CHARS)),
      h('td.bars', bar(usd / most, 0)),
      h('td.right', money(usd)),
      h('td.right.quiet', formatCounted(sessions, 'session')),
    ),
  );
  return h('table.money.slices', h('tbody', ...rows));
}

/** Money by project, model and day. */
export function slicesView(slices: readonly Slices[]): HTMLElement {
  const blocks = slices.map(({ by, rows }) => {
    const most = largestOf(rows);
    const first = rows.slice(0, FIRST_ROWS);
    const rest = rows.slice(FIRST_ROWS);
    const more = (): HTMLElement =>
      h('details', h('summary', `${formatCount(rest.length)} more`), sliceTable(rest, most));
    return h(
      'div.block',
      h('h3', `By ${by}`),
      rows.length === 0 ? h('p.quiet', 'nothing to show') : sliceTable(first, most),
      rest.length === 0 ? null : more(),
    );
  });
  return h('div.blocks', ...blocks);
}

/** Money of one project, model or day. */
interface Slice {
  readonly name: string;
  readonly usd: number;
  readonly sessions: number;
}

/** Money by something. */
interface Slices {
  readonly by: string;
  readonly rows: readonly Slice[];
}

/** What a session of a project paid, or a part of it. */
interface ProjectSpent {
  readonly project: string;
  readonly spent: readonly WhyPageSpent[];
}

function sliceBy(
  sessions: readonly ProjectSpent[],
  nameOf: (project: string, spent: WhyPageSpent) => string,
): readonly Slice[] {
  const found = new Map<string, { usd: number; sessions: Set<ProjectSpent> }>();
  for (const session of sessions)
    for (const spent of session.spent) {
      const name = nameOf(session.project, spent);
      const own = getOrMake(found, name, () => ({ usd: 0, sessions: new Set() }));
      own.usd += spent.usd;
      own.sessions.add(session);
    }
  return [...found]
    .map(([name, own]) => ({ name, usd: own.usd, sessions: own.sessions.size }))
    .sort((a, b) => b.usd - a.usd || (a.name < b.name ? -1 : 1));
}

/** What sessions paid by project and model, the most expensive first, and by day in the order of days. */
export function slicesOf(sessions: readonly ProjectSpent[]): readonly Slices[] {
  const days = sliceBy(sessions, (_project, { day }) => day);
  return [
    { by: 'project', rows: sliceBy(sessions, (project) => project) },
    { by: 'model', rows: sliceBy(sessions, (_project, { model }) => model) },
    { by: 'day', rows: [...days].sort((a, b) => (a.name < b.name ? -1 : 1)) },
  ];
}

/** What holds the words of a search. */
interface Found {
  /** Indexes of breaks, and of sessions: those of every found break are among them. */
  readonly breaks: readonly number[];
  readonly sessions: readonly number[];
  /** What the found sessions paid; for the models and days alone that the words name, where they name any. */
  readonly spent: readonly ProjectSpent[];
}

/** Prepares the search over breaks, sessions and what they paid. */
export function createFind({ sessions, breaks, causes }: WhyPageData): (words: string) => Found {
  const own = sessions.map(() => new Set<string>());
  for (const { session, cause } of breaks) own[session]!.add(causes[cause]!.title);
  const about = sessions.map(({ name, project }) => `${name} ${project}`);
  const broke = sessions.map((_session, i) => `${about[i]} ${[...own[i]!].join(' ')}`);
  const whole = sessions.map(({ day, spent }, i) => {
    const parts = spent.map((part) => `${part.model} ${part.day}`);
    return `${broke[i]} ${day ?? ''} ${parts.join(' ')}`;
  });
  const breakTexts = breaks.map(
    ({ session, cause, model, at, thread }) =>
      `${causes[cause]!.title} ${about[session]} ${model} ${at ?? ''} ${thread}`,
  );
  return (words) => {
    const foundBreaks = breakTexts.flatMap((text, i) => (holdsWords(text, words) ? [i] : []));
    const broken = new Set(foundBreaks.map((i) => breaks[i]!.session));
    const foundSessions = whole.flatMap((text, i) => (broken.has(i) || holdsWords(text, words) ? [i] : []));
    const spent = foundSessions.map((i) => {
      const { project, spent: all } = sessions[i]!;
      const named = all.filter((part) => holdsWords(`${broke[i]} ${part.model} ${part.day}`, words));
      return { project, spent: named.length === 0 ? all : named };
    });
    return { breaks: foundBreaks, sessions: foundSessions, spent };
  };
}
