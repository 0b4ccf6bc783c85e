import type { ComparisonRow, ComparisonTable, PageData } from '../../page-data/page-data.js';
import { h } from '../widgets/dom.js';
import { rowPicker } from '../widgets/row-picker.js';
import { type Store, toRun } from '../widgets/store.js';

/** Marks the best cell of a column; terminals have an asterisk for it, which notes speak of. */
const BEST = '★';
const TERMINAL_BEST = /^\*(?= best)/;

/** Column by which rows are sorted, −1 for their names; null for the order they came in. */
type Sort = { readonly column: number; readonly sign: 1 | -1 } | null;

/** The rows in the order of a column; those without a value come last either way. */
function sortedRows(rows: readonly ComparisonRow[], sort: Sort): readonly number[] {
  const order = rows.map((_row, i) => i);
  if (sort === null) return order;
  const value = (i: number): number | string | null =>
    sort.column < 0 ? rows[i]!.name.toLowerCase() : (rows[i]!.cells[sort.column]?.value ?? null);
  return order.sort((a, b) => {
    const left = value(a);
    const right = value(b);
    if (left === right) return a - b;
    if (left === null || right === null) return left === null ? 1 : -1;
    return left < right ? -sort.sign : sort.sign;
  });
}

/** Upwards, downwards, as it came. */
function nextSort(sort: Sort, column: number): Sort {
  if (sort === null || sort.column !== column) return { column, sign: 1 };
  return sort.sign === 1 ? { column, sign: -1 } : null;
}

/** What a table is shown with. */
export interface CompareOptions {
  readonly id: string;
  /** What a row is. */
  readonly of: string;
  /** What stands for a row's name. */
  label(row: ComparisonRow, index: number): readonly (Node | string)[];
}

/** A table of a comparison. */
export interface CompareView {
  readonly element: HTMLElement;
  /** Marks a row. */
  choose(row: number | null): void;
}

/** Rows side by side: sorted by any column, picked by their names. */
export function createCompareView(table: ComparisonTable, options: CompareOptions): CompareView {
  const rows = table.rows.map((row, i) => rowOf(row, options.label(row, i)));
  const body = h('tbody', ...rows);
  let sort: Sort = null;
  const heads = [options.of, ...table.columns].map((name, i) =>
    h('th', { scope: 'col' }, h('button', { click: () => sortBy(i - 1) }, name)),
  );
  function sortBy(column: number): void {
    sort = nextSort(sort, column);
    for (const [i, head] of heads.entries()) {
      if (sort?.column === i - 1)
        head.setAttribute('aria-sort', sort.sign === 1 ? 'ascending' : 'descending');
      else head.removeAttribute('aria-sort');
    }
    body.append(...sortedRows(table.rows, sort).map((i) => rows[i]!));
  }
  const picker =
    rows.length < 2
      ? null
      : rowPicker(
          table.rows.map(({ name }) => name),
          (shown) => {
            for (const [i, row] of rows.entries()) row.hidden = !shown.has(i);
          },
        );
  const element = h(
    'section',
    { id: options.id },
    h('h2', table.caption),
    picker,
    h(
      'div.wide.tall',
      { tabindex: 0, role: 'region', 'aria-label': table.caption },
      h('table.compare', h('thead', h('tr', ...heads)), body),
    ),
    ...table.notes.map((note) => h('p.quiet', note.replace(TERMINAL_BEST, BEST))),
  );
  return {
    element,
    choose(chosen) {
      for (const [i, row] of rows.entries()) {
        if (i === chosen) row.setAttribute('aria-current', 'true');
        else row.removeAttribute('aria-current');
      }
    },
  };
}

/** The variants of a page of runs: a click on a name shows that run below. */
export function compareView(store: Store, data: PageData, table: ComparisonTable): HTMLElement {
  return createCompareView(table, {
    id: 'comparison',
    of: 'variant',
    label: ({ name }) => {
      const run = data.runs.findIndex((item) => item.name === name);
      if (run < 0) return [name];
      return [
        h('i.swatch', { style: `background:${data.colors.runs[run]}` }),
        h('button.link', { click: () => store.update(toRun(run)) }, name),
      ];
    },
  }).element;
}

/** The sessions behind a comparison: a click on a name shows the command for it alone. */
export function sessionsView(table: ComparisonTable): HTMLElement {
  return createCompareView(table, {
    id: 'sessions',
    of: 'session',
    label: ({ name, command }) =>
      command === undefined ? [name] : [h('details.command', h('summary', name), h('code', command))],
  }).element;
}

function rowOf(
  { name, note: rowNote, cells }: ComparisonRow,
  label: readonly (Node | string)[],
): HTMLElement {
  return h(
    'tr',
    h(
      'th',
      { scope: 'row', title: name },
      ...label,
      rowNote === undefined ? null : h('small', ` (${rowNote})`),
    ),
    ...cells.map(({ text, note, interval, mark }) =>
      h(
        'td',
        { class: `right ${mark ?? ''}` },
        mark === 'best' ? `${BEST} ${text}` : text,
        note === undefined ? null : h('small', note),
        interval === undefined ? null : h('small', interval),
      ),
    ),
  );
}
