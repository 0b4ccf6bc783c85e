import { formatCount, formatMoney } from '../../../core/base/format.js';
import type { PageData, PageEvent } from '../../page-data/page-data.js';
import { h } from '../widgets/dom.js';
import { clock } from '../widgets/scale.js';
import { holdsWords } from '../widgets/search-box.js';
import type { Store } from '../widgets/store.js';
import { createVirtualTable, type TableColumn } from '../widgets/virtual-table.js';
import { eventDetails } from './event-details.js';
import { eventLane, lanesOf } from './lanes.js';
import type { RunModel } from './run-model.js';

function columnsOf(model: () => RunModel): readonly TableColumn[] {
  const at = (row: number) => model().run.events[row]!;
  const tokens = (header: string, value: (row: number) => number): TableColumn => ({
    header,
    width: '84px',
    align: 'right',
    text: (row) => (value(row) === 0 ? '' : formatCount(value(row))),
    value,
  });
  return [
    {
      header: 'time',
      width: '66px',
      align: 'right',
      text: (row) => clock(at(row).t),
      value: (row) => at(row).t,
    },
    {
      header: 'turn',
      width: '46px',
      align: 'right',
      text: (row) => String(at(row).turn ?? ''),
      value: (row) => at(row).turn ?? -1,
    },
    {
      header: 'what',
      width: '132px',
      align: 'left',
      text: (row) => at(row).name,
      value: (row) => at(row).name,
    },
    {
      header: 'action',
      width: '96px',
      align: 'left',
      text: (row) => at(row).action,
      value: (row) => at(row).action,
    },
    {
      header: 'outcome',
      width: '84px',
      align: 'left',
      text: (row) => at(row).outcome,
      value: (row) => at(row).outcome,
    },
    tokens('taken out', (row) => at(row).layer?.saved ?? 0),
    tokens('cache lost', (row) => at(row).lost),
    {
      header: 'cost',
      width: '68px',
      align: 'right',
      text: (row) => ((at(row).layer?.cost ?? 0) === 0 ? '' : formatMoney(at(row).layer!.cost / 1e9)),
      value: (row) => at(row).layer?.cost ?? 0,
    },
    { header: 'why', width: 'minmax(110px, 1fr)', align: 'left', text: (row) => at(row).reason, value: null },
  ];
}

/** What is searched in an event. */
function eventText({ name, action, outcome, reason, kind, turn, thread }: PageEvent): string {
  return `${kind} ${name} ${action} ${outcome} ${reason} ${thread} turn ${turn ?? ''}`;
}

/** What the list of events offers to the rest of the page. */
export interface EventsView {
  readonly element: HTMLElement;
  /** Brings the details of the chosen event into sight. */
  reveal(): void;
  /** Shows events that hold these words; how many those are. */
  search(words: string): number;
}

/** The list of events, its filter, and the details of the chosen one. */
export function createEventsView(
  store: Store,
  data: PageData,
  model: () => RunModel,
  showRequest: (index: number) => void,
): EventsView {
  const hidden = new Set<string>();
  let wanted = '';
  const table = createVirtualTable({
    id: 'event',
    label: 'Events',
    columns: columnsOf(model),
    maxHeight: 460,
    onChoose: (row) => store.update({ event: row }),
  });
  const heading = h('h2', 'Events');
  const filters = h('div.chips', { role: 'group', 'aria-label': 'Kinds of events' });
  const details = h('aside.panel', {
    'aria-label': 'Details of the chosen event',
    'aria-live': 'polite',
  });

  const fill = (): number => {
    const { events } = model().run;
    const rows = events.flatMap((event, index) =>
      hidden.has(eventLane(event)) || !holdsWords(eventText(event), wanted) ? [] : [index],
    );
    const found = rows.length === events.length ? '' : `${formatCount(rows.length)} of `;
    heading.textContent = `Events (${found}${formatCount(events.length)})`;
    table.setRows(rows);
    return rows.length;
  };
  const fillFilters = (): void => {
    const lanes = lanesOf(model().run.events, data.colors.layers);
    filters.replaceChildren(
      ...lanes.map(({ key, color, events }) => {
        const chip = h(
          'button',
          { 'aria-pressed': hidden.has(key) ? 'false' : 'true' },
          h('i', { style: `background:${color}` }),
          `${key} ${formatCount(events.length)}`,
        );
        chip.addEventListener('click', () => {
          if (!hidden.delete(key)) hidden.add(key);
          chip.setAttribute('aria-pressed', hidden.has(key) ? 'false' : 'true');
          fill();
        });
        return chip;
      }),
    );
  };
  const fillDetails = (): void => {
    const { event } = store.view;
    const chosen = event === null ? undefined : model().run.events[event];
    details.replaceChildren(
      chosen === undefined
        ? h(
            'p.quiet',
            'Choose an event in the list or a mark in the timeline to see what went in, what came out and what it cost.',
          )
        : eventDetails(model(), chosen, showRequest),
    );
    table.choose(event);
  };
  store.listen((view, before) => {
    if (view.run !== before.run) {
      hidden.clear();
      fillFilters();
      fill();
    }
    if (view.run !== before.run || view.event !== before.event) fillDetails();
  });
  const element = h('section', { id: 'events' }, heading, filters, h('div.split', table.element, details));
  requestAnimationFrame(() => {
    fillFilters();
    fill();
    fillDetails();
  });
  return {
    element,
    reveal: () => details.scrollIntoView({ block: 'nearest' }),
    search(words) {
      wanted = words;
      return fill();
    },
  };
}
