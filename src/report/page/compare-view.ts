import type { ComparisonTable, PageData } from '../page-data.js';
import { h } from './dom.js';
import type { Store } from './store.js';

/** The variants side by side; a click on a name shows that run below. */
export function compareView(store: Store, data: PageData, table: ComparisonTable): HTMLElement {
  const head = ['', ...table.columns].map((name) => h('th', { scope: 'col' }, name));
  const rows = table.rows.map(({ name, note: rowNote, cells }) => {
    const run = data.runs.findIndex((item) => item.name === name);
    const label =
      run < 0
        ? name
        : h(
            'button',
            { type: 'button', class: 'link', click: () => store.update({ run, event: null, cursor: null }) },
            name,
          );
    const swatch = run < 0 ? null : h('i', { class: 'swatch', style: `background:${data.colors.runs[run]}` });
    return h(
      'tr',
      {},
      h(
        'th',
        { scope: 'row' },
        swatch,
        label,
        rowNote === undefined ? null : h('small', {}, ` (${rowNote})`),
      ),
      ...cells.map(({ text, note, mark }) =>
        h(
          'td',
          { class: `right ${mark ?? ''}` },
          mark === 'best' ? `★ ${text}` : text,
          note === undefined ? null : h('small', {}, note),
        ),
      ),
    );
  });
  return h(
    'section',
    { id: 'comparison' },
    h('h2', {}, table.caption),
    h(
      'div',
      { class: 'wide', tabindex: 0, role: 'region', 'aria-label': table.caption },
      h('table', { class: 'compare' }, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...rows)),
    ),
    ...table.notes.map((note) => h('p', { class: 'quiet' }, note)),
  );
}
