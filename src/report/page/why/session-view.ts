import { formatCount, formatDuration } from '../../../core/base/format.js';
import type { ChartModel } from '../../page-data/run-model.js';
import type { WhyPageBreak, WhyPageData } from '../../page-data/why-page-data.js';
import { createFillChart } from '../run/fill-chart.js';
import { createPromptCharts } from '../run/prompt-charts.js';
import { brokenRequests } from '../run/prompt-paths.js';
import type { RequestCharts } from '../run/request-chart.js';
import { type RequestRef, recordedTip } from '../run/request-tip.js';
import { createRequestPanel } from '../run/requests-view.js';
import { h } from '../widgets/dom.js';
import { aboutView } from '../widgets/page-parts.js';
import type { Store } from '../widgets/store.js';
import type { Tooltip } from '../widgets/tooltip.js';
import { money } from './money-views.js';

/** What a break was, what it cost and what would have avoided it. */
function breakText(data: WhyPageData, item: WhyPageBreak): readonly HTMLElement[] {
  const { title, remedy, unavoided } = data.causes[item.cause]!;
  const pause = item.gapMs === null ? '' : `, ${formatDuration(item.gapMs)} after the request before`;
  const time = item.at === null ? '' : `, ${item.at} UTC`;
  const how = remedy === null ? '' : `: ${remedy}`;
  return [
    h('p.alarm', h('b', title), ` – ${money(item.usd)}`),
    h('p', `${formatCount(item.tokens)} tokens were paid for again${pause}${time}.`),
    h('p', item.avoidableUsd > 0 ? `${money(item.avoidableUsd)} of it was avoidable${how}.` : unavoided),
  ];
}

/** The chosen session: its charts, and the request that is looked at. */
export function createSessionView(
  store: Store,
  data: WhyPageData,
  tooltip: Tooltip<RequestRef>,
  model: () => ChartModel,
): HTMLElement {
  const colors = new Map(data.causes.map(({ title, color }) => [title, color]));
  const shared: RequestCharts = { tooltip, model, domain: ({ axis }) => model().domain(axis) };
  const { tools, charts } = createPromptCharts(store, {
    ...shared,
    causeColor: (cause) => colors.get(cause)!,
    breaks: 'marked',
  });
  const filled = createFillChart(store, {
    ...shared,
    compactions: () =>
      data.compactions.flatMap(({ session, request }) => {
        const index =
          session !== store.view.run || request === null ? null : model().nearest(request, 'request');
        return index === null ? [] : [model().x(index, store.view.axis)];
      }),
  });
  const heading = h('h2', { tabindex: -1 }, '');
  const about = h('div');
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
    below: filled.describe,
    stops: { name: 'break', of: brokenRequests },
    empty: 'Choose a break in the list, a mark or a bar in the chart.',
  });
  const fill = (): void => {
    const own = data.sessions[store.view.run]!;
    heading.textContent = `Session ${formatCount(store.view.run + 1)}: ${own.name}`;
    const facts = aboutView([
      ['project', own.project],
      ['day', own.day ?? 'unknown'],
      ['requests', formatCount(own.requests)],
      ['cost', money(own.usd)],
      ['in breaks', money(own.lostUsd)],
      ['avoidable', money(own.avoidableUsd)],
    ]);
    if (own.run === null) facts.append(h('span.alarm', 'The page has no room for its requests.'));
    about.replaceChildren(facts);
  };
  store.watch(['run'], fill);
  fill();
  const split = h('div.split', h('div', ...charts, ...filled.parts), panel);
  return h('section', { id: 'session' }, heading, about, ...tools, split);
}
