import { formatCount, formatDuration, formatMoney, formatShare } from '../../../core/base/format.js';
import type { WhyPageBreak, WhyPageData } from '../../page-data/why-page-data.js';
import { createCostChart } from '../run/cost-chart.js';
import { brokenRequests } from '../run/prompt-paths.js';
import { createRequestPanel } from '../run/request-panel.js';
import type { RequestRef } from '../run/request-tip.js';
import type { ChartModel } from '../run/run-model.js';
import { createSplitChart } from '../run/split-chart.js';
import { createAxisTools, legend } from '../widgets/axis-tools.js';
import { h } from '../widgets/dom.js';
import { clock } from '../widgets/scale.js';
import type { Store, View } from '../widgets/store.js';
import type { Tip, Tooltip } from '../widgets/tooltip.js';
import { money } from './money-views.js';

/** What a recorded request was. */
export function recordedTip({ model, index }: RequestRef): Tip {
  const { requests, names } = model.run;
  const prompt = model.prompt[index]!;
  const read = requests.read[index]!;
  const thread = names.purposes[requests.purpose[index]!]!;
  return {
    title: `request ${formatCount(model.number(index))}`,
    lines: [
      ['conversation', thread],
      ['number in it', formatCount(requests.turn[index]!)],
      ['since the start', clock(requests.t[index]!)],
      ['prompt', `${formatCount(prompt)} tokens`],
      ['cache read', `${formatCount(read)} (${formatShare(prompt === 0 ? null : read / prompt)})`],
      ['cache written', formatCount(model.written[index]!)],
      ['uncached', formatCount(requests.input[index]!)],
      ['output', formatCount(requests.output[index]!)],
      ['model', names.models[requests.model[index]!]!],
      ['cost', formatMoney(model.cost[index]! / 1e9)],
    ],
  };
}

/** What a break was, what it cost and what would have avoided it. */
function breakText(data: WhyPageData, item: WhyPageBreak): readonly HTMLElement[] {
  const { title, remedy, unavoided } = data.causes[item.cause]!;
  const pause = item.gapMs === null ? '' : `, ${formatDuration(item.gapMs)} after the request before`;
  const kept =
    item.avoidableUsd > 0
      ? `${money(item.avoidableUsd)} of it was avoidable${remedy === null ? '' : `: ${remedy}`}.`
      : unavoided;
  return [
    h('p.alarm', h('b', title), ` – ${money(item.usd)}`),
    h(
      'p',
      `${formatCount(item.tokens)} tokens were paid for again${pause}${item.at === null ? '' : `, ${item.at} UTC`}.`,
    ),
    h('p', kept),
  ];
}

/** What a session is drawn from. */
export interface SessionViewOptions {
  readonly data: WhyPageData;
  readonly tooltip: Tooltip<RequestRef>;
  model(): ChartModel;
}

/** The chosen session: its charts, and the request that is looked at. */
export function createSessionView(store: Store, options: SessionViewOptions): HTMLElement {
  const { data, model, tooltip } = options;
  const domain = (view: View): readonly [number, number] => model().domain(view.axis);
  const colors = new Map(data.causes.map(({ title, color }) => [title, color]));
  const causeColor = (cause: string): string => colors.get(cause)!;
  const { tools, readout, causes } = createAxisTools(store, model, domain, causeColor);
  const shared = { prompt: data.prompt, tooltip, model, domain, causeColor, breaks: 'marked' } as const;
  const heading = h('h2', { tabindex: -1 }, '');
  const about = h('p.about', '');
  const panel = createRequestPanel(store, {
    model,
    describe: recordedTip,
    place: () => ({ session: store.view.run + 1 }),
    more: (index) => {
      const number = model().number(index);
      return data.breaks
        .filter(({ session, request }) => session === store.view.run && request === number)
        .flatMap((item) => breakText(data, item));
    },
    stops: { name: 'break', of: brokenRequests },
    empty: 'Choose a break in the list, a mark or a bar in the chart.',
  });
  const fill = (): void => {
    const own = data.sessions[store.view.run]!;
    heading.textContent = `Session ${formatCount(store.view.run + 1)}: ${own.name}`;
    const facts: readonly (readonly [string, string])[] = [
      ['project', own.project],
      ['day', own.day ?? 'unknown'],
      ['requests', formatCount(own.requests)],
      ['cost', money(own.usd)],
      ['in breaks', money(own.lostUsd)],
      ['avoidable', money(own.avoidableUsd)],
    ];
    about.replaceChildren(
      ...facts.map(([label, value]) => h('span', h('b', label), ` ${value}`)),
      own.run === null ? h('span.alarm', 'The page has no room for its requests.') : '',
    );
  };
  store.listen((view, before) => {
    if (view.run !== before.run) fill();
  });
  fill();
  const { prompt } = data;
  return h(
    'section',
    { id: 'session' },
    heading,
    about,
    tools,
    readout,
    h(
      'div.split',
      h(
        'div',
        createSplitChart(store, shared),
        legend([
          ['cache read', prompt.read],
          ['cache written', prompt.written],
          ['uncached', prompt.uncached],
          ['▾ break', 'transparent'],
        ]),
        createCostChart(store, shared),
        causes,
      ),
      panel,
    ),
  );
}
