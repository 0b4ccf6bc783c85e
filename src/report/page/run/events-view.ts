import { formatCount, formatCounted, formatMoney, formatShare } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import type { PageEvent } from '../../page-data/page-data.js';
import type { RunModel } from '../../page-data/run-model.js';
import { h } from '../widgets/dom.js';
import { holdsWords, swatch, tokenBar } from '../widgets/page-parts.js';
import { clock } from '../widgets/scale.js';
import type { Store } from '../widgets/store.js';
import {
  blankZero,
  createVirtualTable,
  numberColumn,
  type TableColumn,
  textColumn,
} from '../widgets/virtual-table.js';
import { eventLane, lanesOf } from './lanes.js';

type Pair = readonly [string, string];

function list(pairs: readonly Pair[]): HTMLElement {
  return h('dl', ...pairs.flatMap(([label, value]) => [h('dt', label), h('dd', value)]));
}

function part(title: string, ...content: readonly (HTMLElement | null)[]): HTMLElement {
  return h('div.part', h('h4', title), ...content);
}

const words = (name: string): string => name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);

function plain(details: Readonly<Record<string, unknown>>, pick: (name: string) => boolean): readonly Pair[] {
  return Object.entries(details).flatMap(([name, value]): Pair[] => {
    if (!pick(name) || value === null || typeof value === 'object') return [];
    return [[words(name), typeof value === 'number' ? formatCount(value) : String(value)]];
  });
}

/** Tokens of a part of a breakdown, those of all tools where it has them by tool; null if nothing is known. */
function partTokens(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (value === null || typeof value !== 'object') return null;
  return Object.values(value).reduce((sum: number, tokens) => sum + Number(tokens), 0);
}

/** What a compaction was made from, in per cent and tokens, where its layer says so. */
function mixture(details: Readonly<Record<string, unknown>>): readonly Pair[] {
  const { context } = details;
  const raw = (details.breakdown ?? {}) as Readonly<Record<string, unknown>>;
  if (context === null || typeof context !== 'object') return [];
  return Object.entries(context).flatMap(([name, value]): Pair[] => {
    if (typeof value !== 'number' || value === 0) return [];
    const tokens = partTokens(ownValue(raw, name));
    return [[words(name), tokens === null ? `${value} %` : `${value} %, ${formatCount(tokens)} tokens`]];
  });
}

const CAME_OUT = /^(summary|restored|messagesKept|preserved|kept|clearableAfter|recompacts)/;
const WENT_IN =
  /^(messagesSummarised|threshold|overshoot|source|turnsSince|previousTurn|chained|thrash|tools|ids|results|chars|clearableBefore)/;

/** Requests that a layer made for this action: the last ones before it that are not of a loop. */
function ownRequests({ run: { requests, names } }: RunModel, event: PageEvent): readonly number[] {
  const wanted = event.layer?.calls ?? 0;
  const found: number[] = [];
  for (let i = event.after - 1; i >= 0 && found.length < wanted; i--) {
    const purpose = names.purposes[requests.purpose[i]!]!;
    if (purpose !== 'main' && purpose !== 'subagent' && names.threads[requests.thread[i]!] === event.thread)
      found.push(i);
  }
  return found.reverse();
}

type ShowRequest = (index: number) => void;

function requestButton(model: RunModel, index: number, show: ShowRequest): HTMLElement {
  return h('button.link', { click: () => show(index) }, `request ${model.number(index)}`);
}

function costPart(model: RunModel, event: PageEvent, show: ShowRequest): HTMLElement {
  const { calls, cost } = event.layer!;
  const { requests, leftOut } = model.run;
  // Where requests are left out of the page, the ones before it may be of another action.
  const own = leftOut === undefined ? ownRequests(model, event) : [];
  const rows = own.map((index) => {
    const prompt = model.prompt[index]!;
    const read = formatShare(prompt === 0 ? null : requests.read[index]! / prompt);
    const tokens = `${formatCount(prompt)} prompt tokens, ${read} from the cache, ${formatCount(requests.output[index]!)} output`;
    return h('p', requestButton(model, index, show), ` ${formatMoney(model.cost[index]! / 1e9)}: ${tokens}`);
  });
  const sentence =
    calls === 0
      ? 'It made no request.'
      : `${formatMoney(cost / 1e9)} for ${formatCounted(calls, 'request')} of its own.`;
  return part('What it cost', h('p', sentence), ...rows);
}

function cachePart(model: RunModel, event: PageEvent, show: ShowRequest): HTMLElement {
  const { requests, names, leftOut } = model.run;
  const { after, thread, destroyed, readDrop = 0 } = event;
  const sentence =
    destroyed === undefined
      ? `The request read ${formatCounted(readDrop, 'token')} fewer from the cache than the one before.`
      : destroyed === 0
        ? 'No cached token was destroyed.'
        : `${formatCount(destroyed)} cached tokens after the first change were destroyed.`;
  const next = requests.thread.findIndex((own, i) => i >= after && names.threads[own] === thread);
  const nextText = (): HTMLElement =>
    h(
      'p',
      'The next one, ',
      requestButton(model, next, show),
      `, read ${formatCount(requests.read[next]!)} of ${formatCount(model.prompt[next]!)} prompt tokens from the cache, wrote ${formatCount(model.written[next]!)} and cost ${formatMoney(model.cost[next]! / 1e9)}.`,
    );
  const isKnown = next >= 0 && leftOut === undefined;
  return part('What it did to the cache', h('p', sentence), isKnown ? nextText() : null);
}

function layerParts(model: RunModel, event: PageEvent, show: ShowRequest): readonly HTMLElement[] {
  const { trueBefore, trueAfter, estimatedBefore, estimatedAfter, saved } = event.layer!;
  const whole = Math.max(trueBefore, trueAfter);
  const tokens = (label: string, value: number): Pair => [label, `${formatCount(value)} tokens`];
  const after = estimatedAfter === null ? '' : ` → ${formatCount(estimatedAfter)}`;
  const seen: readonly Pair[] =
    estimatedBefore === null
      ? []
      : [['seen by the policy', `${formatCount(estimatedBefore)}${after} tokens`]];
  const went = plain(event.details, (name) => WENT_IN.test(name));
  const came = plain(event.details, (name) => CAME_OUT.test(name));
  return [
    part(
      'Context',
      tokenBar('before', trueBefore, whole, 'before'),
      tokenBar('after', trueAfter, whole, 'after'),
      list([tokens('taken out', saved), ...seen]),
    ),
    part('What went in', list([tokens('context', trueBefore), ...went, ...mixture(event.details)])),
    part('What came out', list([tokens('context', trueAfter), ...came])),
    costPart(model, event, show),
    cachePart(model, event, show),
  ];
}

/** Everything there is to say about one event. */
function eventDetails(model: RunModel, event: PageEvent, show: ShowRequest): HTMLElement {
  const title = [event.name, event.action].filter((word) => word !== '').join(' · ');
  const place = [
    clock(event.t),
    event.turn === null ? null : `turn ${event.turn}`,
    event.thread,
    event.layer?.trigger ?? null,
    event.outcome,
  ];
  const raw = Object.keys(event.details).length === 0 ? null : JSON.stringify(event.details, null, 2);
  const parts = event.layer === undefined ? [cachePart(model, event, show)] : layerParts(model, event, show);
  return h(
    'div.details',
    h('h3', title),
    h('p.quiet', place.filter((word) => word !== null && word !== '').join(' · ')),
    h('p', event.reason),
    ...(event.kind === 'layer' || event.kind === 'break' ? parts : []),
    raw === null ? null : h('details', h('summary', 'All its fields'), h('pre', { tabindex: 0 }, raw)),
  );
}

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
    numberColumn('taken out', '80px', (row) => at(row).layer?.saved ?? 0, blankZero(formatCount)),
    numberColumn('destroyed', '82px', (row) => at(row).destroyed ?? 0, blankZero(formatCount)),
    numberColumn('drop in reads', '106px', (row) => at(row).readDrop ?? 0, blankZero(formatCount)),
    numberColumn('cost', '68px', (row) => at(row).layer?.cost ?? 0, money),
    { ...textColumn('why', 'minmax(66px, 1fr)', (row) => at(row).reason), value: null },
  ];
}

/** What is searched in an event. */
function eventText({ name, action, outcome, reason, kind, turn, thread }: PageEvent): string {
  return `${kind} ${name} ${action} ${outcome} ${reason} ${thread} turn ${turn ?? ''}`;
}

/** What the list of events offers to the rest of the page. */
interface EventsView {
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
