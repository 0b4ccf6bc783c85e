import { formatCount, formatMoney } from '../../../core/base/format.js';
import type { PageEvent } from '../../page-data/page-data.js';
import type { RunModel } from '../../page-data/run-model.js';
import { h } from '../widgets/dom.js';
import { holdsWords, swatch } from '../widgets/page-parts.js';
import { clock } from '../widgets/scale.js';
import type { Store } from '../widgets/store.js';
import {
  blankZero,
  createVirtualTable,
  numberColumn,
  type TableColumn,
  textColumn,
} from '../widgets/virtual-table.js';
import { eventDetails } from './event-details.js';
import { eventLane, lanesOf } from './lanes.js';

function columnsOf(model: () => RunModel): readonly TableColumn[] {
  const at = (row: number): PageEvent => model().run.events[row]!;
  const turn = (value: number): string => (value < 0 ? '' : String(value));
  const money = blankZero((nano) => formatMoney(nano / 1e9));
  return [
    numberColumn('time', '66px', (row) => at(row).t, clock),
    numberColumn('turn', '46px', (row) => at(row).turn ?? -1, turn),
    textColumn('what', '132px', (row) => at(row).name),
    textColumn('action', '96px', (row) => at(row).action),
    textColumn('outcome', '84px', (row) => at(row).outcome),
    numberColumn('taken out', '84px', (row) => at(row).layer?.saved ?? 0, blankZero(formatCount)),
    numberColumn('cache lost', '84px', (row) => at(row).lost, blankZero(formatCount)),
    numberColumn('cost', '68px', (row) => at(row).layer?.cost ?? 0, money),
    { ...textColumn('why', 'minmax(110px, 1fr)', (row) => at(row).reason), value: null },
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
    const lanes = lanesOf(model().run.events);
    filters.replaceChildren(
      ...lanes.map(({ key, color, events }) => {
        const chip = h(
          'button',
          { 'aria-pressed': hidden.has(key) ? 'false' : 'true' },
          swatch(color),
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
  store.watch(['run'], () => {
    hidden.clear();
    fillFilters();
    fill();
  });
  store.watch(['run', 'event'], fillDetails);
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
