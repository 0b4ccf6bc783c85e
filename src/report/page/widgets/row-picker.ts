import { h } from './dom.js';

/** Boxes by which a reader picks the rows of a table: variants, runs, sessions, and what was recorded. */
export function rowPicker(
  names: readonly string[],
  onChange: (shown: ReadonlySet<number>) => void,
): HTMLElement {
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
    const shown = new Set(boxes.flatMap(({ checked }, i) => (checked ? [i] : [])));
    summary.textContent = `Rows: ${shown.size} of ${names.length} shown`;
    onChange(shown);
  }
  change();
  return h(
    'details.picker',
    summary,
    h(
      'div.tools.pick',
      search,
      h('button', { click: tick(true) }, 'all'),
      h('button', { click: tick(false) }, 'none'),
    ),
    h('div.boxes', { role: 'group', 'aria-label': 'Rows shown' }, ...labels),
  );
}
