import type { ComparisonRow, ComparisonTable, PageData } from '../page-data.js';
import { h } from './dom.js';
import { type Store, toRun } from './store.js';
import { variantPicker } from './variant-picker.js';

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

/** The variants side by side: sorted by any column, picked by their names; a click on a name shows that run below. */
export function compareView(store: Store, data: PageData, table: ComparisonTable): HTMLElement {
  const rows = table.rows.map((row) => rowOf(store, data, row));
  const body = h('tbody', {}, ...rows);
  let sort: Sort = null;
  const heads = ['variant', ...table.columns].map((name, i) =>
    h('th', { scope: 'col' }, h('button', { type: 'button', click: () => sortBy(i - 1) }, name)),
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
      : variantPicker(
          table.rows.map(({ name }) => name),
          (shown) => {
            for (const [i, row] of rows.entries()) row.hidden = !shown.has(i);
          },
        );
  return h(
    'section',
    { id: 'comparison' },
    h('h2', {}, table.caption),
    picker,
    h(
      'div',
      { class: 'wide', tabindex: 0, role: 'region', 'aria-label': table.caption },
      h('table', { class: 'compare' }, h('thead', {}, h('tr', {}, ...heads)), body),
    ),
    ...table.notes.map((note) => h('p', { class: 'quiet' }, note)),
  );
}

function rowOf(store: Store, data: PageData, { name, note: rowNote, cells }: ComparisonRow): HTMLElement {
  const run = data.runs.findIndex((item) => item.name === name);
  const label =
    run < 0
      ? name
      : h('button', { type: 'button', class: 'link', click: () => store.update(toRun(run)) }, name);
  const swatch = run < 0 ? null : h('i', { class: 'swatch', style: `background:${data.colors.runs[run]}` });
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, swatch, label, rowNote === undefined ? null : h('small', {}, ` (${rowNote})`)),
    ...cells.map(({ text, note, mark }) =>
      h(
        'td',
        { class: `right ${mark ?? ''}` },
        mark === 'best' ? `★ ${text}` : text,
        note === undefined ? null : h('small', {}, note),
      ),
    ),
  );
}
