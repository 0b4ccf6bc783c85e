import { distinctColor } from '../../charts/palette.js';
import type { ComparisonRow, ComparisonTable, PageData } from '../../page-data/page-data.js';
import { commonColumns } from '../../text/compare-table.js';
import { h } from '../widgets/dom.js';
import { BEST, breakable, notesFold, swatch } from '../widgets/page-parts.js';
import { type Store, toRun } from '../widgets/store.js';
import { createSorting } from '../widgets/virtual-table.js';

/** What a table is shown with. */
export interface CompareOptions {
  readonly id: string;
  /** What a row is. */
  readonly of: string;
  /** What is shown as a row's name. */
  label(row: ComparisonRow, index: number): readonly (Node | string)[];
}

/** A table of a comparison. */
export interface CompareView {
  readonly element: HTMLElement;
  /** Marks a row. */
  choose(row: number | null): void;
}

/** Boxes by which a reader picks the rows of a table: variants, runs, sessions, and what was recorded. */
function rowPicker(names: readonly string[], rows: readonly HTMLElement[]): HTMLElement {
  const boxes = names.map((name) =>
    h('input', { type: 'checkbox', checked: true, 'aria-label': name, change }),
  );
  const labels = names.map((name, i) => h('label', boxes[i]!, name));
  const summary = h('summary');
  const search = h('input', {
    type: 'search',
    placeholder: 'part of a name',
    'aria-label': 'Find rows',
    input: () => {
      const wanted = search.value.trim().toLowerCase();
      for (const [i, label] of labels.entries()) label.hidden = !names[i]!.toLowerCase().includes(wanted);
    },
  });
  const tick = (state: boolean) => (): void => {
    for (const [i, label] of labels.entries()) if (!label.hidden) boxes[i]!.checked = state;
    change();
  };
  function change(): void {
    for (const [i, row] of rows.entries()) row.hidden = !boxes[i]!.checked;
    const shown = boxes.filter(({ checked }) => checked).length;
    summary.textContent = `Rows: ${shown} of ${names.length} shown`;
  }
  change();
  const all = h('button', { click: tick(true) }, 'all');
  const none = h('button', { click: tick(false) }, 'none');
  return h(
    'details.picker',
    summary,
    h('div.tools.pick', search, all, none),
    h('div.boxes', { role: 'group', 'aria-label': 'Rows shown' }, ...labels),
  );
}

function rowOf(
  { name, note, cells, isDiscarded }: ComparisonRow,
  label: readonly (Node | string)[],
): HTMLElement {
  const small = (text: string | undefined): HTMLElement | null =>
    text === undefined ? null : h('small', text);
  return h(
    'tr',
    { class: isDiscarded === true ? 'discarded' : null },
    h('th', { scope: 'row', title: name }, ...label, small(note === undefined ? undefined : ` (${note})`)),
    ...cells.map(({ text, note: below, interval, mark }) => {
      const best = mark === 'best' ? `${BEST} ${text}` : text;
      return h('td', { class: `right ${mark ?? ''}` }, best, small(below), small(interval));
    }),
  );
}

/** Rows side by side: sorted by any column, picked by their names; what all rows have in common is one line above them. */
export function createCompareView(whole: ComparisonTable, options: CompareOptions): CompareView {
  const { table, same } = commonColumns(whole);
  const rows = table.rows.map((row, i) => rowOf(row, options.label(row, i)));
  const body = h('tbody', ...rows);
  const heads = [options.of, ...table.columns].map((name, i) =>
    h('th', { scope: 'col' }, h('button', { click: () => sorting.by(i) }, name)),
  );
  const cellValue = (row: number, column: number): number | string | null => {
    const { name, cells } = table.rows[row]!;
    return column === 0 ? name.toLowerCase() : (cells[column - 1]?.value ?? null);
  };
  const sorting = createSorting(heads, cellValue, () =>
    body.append(...sorting.sorted([...rows.keys()]).map((i) => rows[i]!)),
  );
  const names = table.rows.map(({ name }) => name);
  const element = h(
    'section',
    { id: options.id },
    h('h2', table.caption),
    same.length === 0 ? null : h('p.quiet.same', `The same in all rows: ${same.join(', ')}`),
    rows.length < 2 ? null : rowPicker(names, rows),
    h(
      'div.wide.tall',
      { tabindex: 0, role: 'region', 'aria-label': table.caption },
      h('table.compare', h('thead', h('tr', ...heads)), body),
    ),
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
      if (run < 0) return breakable(name);
      const show = (): void => store.update(toRun(run));
      return [swatch(distinctColor(run)), h('button.link', { click: show }, ...breakable(name))];
    },
  }).element;
}

/** The sessions behind a comparison: a click on a name shows the command for it alone. */
export function sessionsView(table: ComparisonTable): HTMLElement {
  const { element } = createCompareView(table, {
    id: 'sessions',
    of: 'session',
    label: ({ name, command }) =>
      command === undefined
        ? breakable(name)
        : [h('details.command', h('summary', ...breakable(name)), h('code', command))],
  });
  element.append(...[notesFold(table.notes) ?? []].flat());
  return element;
}
