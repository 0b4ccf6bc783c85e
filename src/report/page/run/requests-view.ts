import { formatCount, formatDuration, formatMoney } from '../../../core/base/format.js';
import type { RunModel } from '../../page-data/run-model.js';
import { causeWords } from '../../text/cause-words.js';
import { h } from '../widgets/dom.js';
import { clock } from '../widgets/scale.js';
import type { Store } from '../widgets/store.js';
import { createVirtualTable, numberColumn, type TableColumn, textColumn } from '../widgets/virtual-table.js';
import { brokenRequests } from './prompt-paths.js';
import { createRequestPanel } from './request-panel.js';
import { requestTip } from './request-tip.js';

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
