import { formatCount, formatDuration, formatMoney } from '../../../core/base/format.js';
import type { ChartModel, RunModel } from '../../page-data/run-model.js';
import { causeWords } from '../../text/words.js';
import { h } from '../widgets/dom.js';
import { placeLink } from '../widgets/place.js';
import { clock } from '../widgets/scale.js';
import type { Store } from '../widgets/store.js';
import { type Tip, tipLines } from '../widgets/tooltip.js';
import { createVirtualTable, numberColumn, type TableColumn, textColumn } from '../widgets/virtual-table.js';
import { brokenRequests } from './prompt-paths.js';
import { type RequestRef, requestTip } from './request-chart.js';

function columnsOf(model: () => RunModel): readonly TableColumn[] {
  const at = () => model().run.requests;
  const names = () => model().run.names;
  const money = (nano: number): string => formatMoney(nano / 1e9);
  return [
    numberColumn('n', '42px', (row) => model().number(row)),
    numberColumn('time', '66px', (row) => at().t[row]!, clock),
    numberColumn('turn', '46px', (row) => at().turn[row]!),
    textColumn('purpose', '104px', (row) => names().purposes[at().purpose[row]!]!),
    numberColumn('prompt', '74px', (row) => model().prompt[row]!),
    numberColumn('read', '74px', (row) => at().read[row]!),
    numberColumn('written', '74px', (row) => model().written[row]!),
    numberColumn('uncached', '80px', (row) => at().input[row]!),
    numberColumn('output', '62px', (row) => at().output[row]!),
    numberColumn('cost', '68px', (row) => model().cost[row]!, money),
    numberColumn('again', '68px', (row) => at().rewritten[row]!),
    textColumn('because of', '116px', (row) => causeWords(names().causes[at().cause[row]!] ?? '')),
    numberColumn('latency', '70px', (row) => at().latencyMs[row]!, formatDuration),
    textColumn('thread', '62px', (row) => names().threads[at().thread[row]!]!),
    textColumn('model', 'minmax(122px, 1fr)', (row) => names().models[at().model[row]!]!),
  ];
}

/** The table of requests. */
export interface RequestsView {
  readonly element: HTMLElement;
  /** Brings one request into sight. */
  show(index: number): void;
}

/** Creates the table of requests: those of the part that is shown in the charts. */
export function createRequestsView(
  store: Store,
  model: () => RunModel,
  place: () => Readonly<Record<string, number | null>>,
  below: (index: number) => readonly HTMLElement[],
): RequestsView {
  const table = createVirtualTable({
    id: 'request',
    label: 'Requests',
    columns: columnsOf(model),
    maxHeight: 460,
    onChoose: (row) => store.update({ request: row, cursor: row }),
  });
  const heading = h('h2', 'Requests');
  const fill = (): void => {
    const { range, axis } = store.view;
    const current = model();
    const rows: number[] = [];
    for (let i = 0; i < current.count; i++) {
      const place = current.x(i, axis);
      if (range === null || (place >= range[0] && place <= range[1])) rows.push(i);
    }
    const whole = current.run.leftOut?.requests;
    const all = `${formatCount(current.count)}${whole === undefined ? '' : ` shown of ${formatCount(whole)}`}`;
    heading.textContent =
      range === null ? `Requests (${all})` : `Requests (${formatCount(rows.length)} of ${all})`;
    table.setRows(rows);
  };
  store.watch(['run', 'range', 'axis'], fill);
  store.watch(['run', 'request'], ({ request }) => table.choose(request));
  const panel = createRequestPanel(store, {
    model,
    describe: requestTip,
    place,
    more: () => [],
    below,
    stops: { name: 'rewrite', of: brokenRequests },
    empty:
      'Choose a request in the list or a bar in the timeline; a rewrite is one that paid for content again.',
  });
  const element = h('section', { id: 'requests' }, heading, panel, table.element);
  requestAnimationFrame(fill);
  return {
    element,
    show(index) {
      store.update({ range: null, request: index, cursor: index });
      table.choose(index);
      element.scrollIntoView({ block: 'nearest' });
      table.element.focus({ preventScroll: true });
    },
  };
}

/** What a panel shows of the chosen request. */
interface PanelOptions {
  model(): ChartModel;
  describe(ref: RequestRef): Tip;
  /** Its place in the page, besides its number. */
  place(): Readonly<Record<string, string | number | null>>;
  /** What else there is to say of it. */
  more(index: number): readonly HTMLElement[];
  /** What is said below that. */
  below?(index: number): readonly HTMLElement[];
  /** Requests that the reader goes to one after the other, and what they are called. */
  readonly stops: { readonly name: string; readonly of: (model: ChartModel) => readonly number[] };
  readonly empty: string;
}

/** The details of the chosen request, with buttons to the next one that is worth a look. */
export function createRequestPanel(store: Store, options: PanelOptions): HTMLElement {
  const element = h('aside.panel.request', {
    'aria-label': 'Details of the chosen request',
    'aria-live': 'polite',
  });
  const { name } = options.stops;
  const fill = (): void => {
    const { request } = store.view;
    const model = options.model();
    const stops = options.stops.of(model);
    const button = (text: string, to: number | undefined): HTMLElement =>
      h('button', { click: () => store.update({ request: to! }), disabled: to === undefined }, text);
    const previous = request === null ? undefined : stops.findLast((index) => index < request);
    const next = stops.find((index) => index > (request ?? -1));
    const buttons = h('div.group', button(`‹ previous ${name}`, previous), button(`next ${name} ›`, next));
    if (request === null) {
      element.replaceChildren(h('p.quiet', options.empty), buttons);
      return;
    }
    const tip = options.describe({ model, index: request });
    const link = placeLink({ ...options.place(), request: model.number(request) });
    element.replaceChildren(
      h('h3', h('a', { href: link }, tip.title)),
      ...options.more(request),
      h('div.lines', ...tipLines(tip)),
      ...(options.below?.(request) ?? []),
      buttons,
    );
  };
  store.watch(['run', 'request'], fill);
  fill();
  return element;
}
