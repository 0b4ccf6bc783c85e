import { formatCount, formatDuration, formatMoney } from '../../../core/base/format.js';
import { causeWords } from '../../text/cause-words.js';
import { h } from '../widgets/dom.js';
import { clock } from '../widgets/scale.js';
import type { Store } from '../widgets/store.js';
import { createVirtualTable, type TableColumn } from '../widgets/virtual-table.js';
import { brokenRequests } from './prompt-paths.js';
import { createRequestPanel } from './request-panel.js';
import { requestTip } from './request-tip.js';
import type { RunModel } from './run-model.js';

function columnsOf(model: () => RunModel): readonly TableColumn[] {
  const at = () => model().run.requests;
  const count = (header: string, width: string, value: (row: number) => number): TableColumn => ({
    header,
    width,
    align: 'right',
    text: (row) => formatCount(value(row)),
    value,
  });
  const name = (header: string, width: string, value: (row: number) => string): TableColumn => ({
    header,
    width,
    align: 'left',
    text: value,
    value,
  });
  return [
    count('n', '42px', (row) => model().number(row)),
    {
      header: 'time',
      width: '66px',
      align: 'right',
      text: (row) => clock(at().t[row]!),
      value: (row) => at().t[row]!,
    },
    count('turn', '46px', (row) => at().turn[row]!),
    name('purpose', '104px', (row) => model().run.names.purposes[at().purpose[row]!]!),
    count('prompt', '74px', (row) => model().prompt[row]!),
    count('read', '74px', (row) => at().read[row]!),
    count('written', '74px', (row) => model().written[row]!),
    count('uncached', '80px', (row) => at().input[row]!),
    count('output', '62px', (row) => at().output[row]!),
    {
      header: 'cost',
      width: '68px',
      align: 'right',
      text: (row) => formatMoney(model().cost[row]! / 1e9),
      value: (row) => model().cost[row]!,
    },
    count('again', '68px', (row) => at().rewritten[row]!),
    name('because of', '116px', (row) => causeWords(model().run.names.causes[at().cause[row]!] ?? '')),
    {
      header: 'latency',
      width: '70px',
      align: 'right',
      text: (row) => formatDuration(at().latencyMs[row]!),
      value: (row) => at().latencyMs[row]!,
    },
    name('thread', '62px', (row) => model().run.names.threads[at().thread[row]!]!),
    name('model', 'minmax(122px, 1fr)', (row) => model().run.names.models[at().model[row]!]!),
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
  store.listen((view, before) => {
    if (view.run !== before.run || view.range !== before.range || view.axis !== before.axis) fill();
    if (view.run !== before.run || view.request !== before.request) table.choose(view.request);
  });
  const panel = createRequestPanel(store, {
    model,
    describe: requestTip,
    place,
    more: () => [],
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
