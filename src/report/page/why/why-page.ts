import { formatCount, formatCounted, formatDuration } from '../../../core/base/format.js';
import { getOrMake } from '../../../core/base/once.js';
import { type ChartModel, createRunModel } from '../../page-data/run-model.js';
import type { WhyPageBreak, WhyPageData } from '../../page-data/why-page-data.js';
import { requestColumns } from '../../tables/request-columns.js';
import { createFillChart } from '../run/fill-chart.js';
import { createMultiples } from '../run/multiples.js';
import { createPromptCharts } from '../run/prompt-charts.js';
import { brokenRequests } from '../run/prompt-paths.js';
import { type RequestCharts, type RequestRef, recordedTip } from '../run/request-chart.js';
import { createRequestPanel } from '../run/requests-view.js';
import { h } from '../widgets/dom.js';
import { aboutView, cardsView, createSearchBox, notesFold, pageHead } from '../widgets/page-parts.js';
import { asStep, followPlace, numberIn, showPlace } from '../widgets/place.js';
import { rangeAround } from '../widgets/scale.js';
import { createStore, START, type Store, toRun } from '../widgets/store.js';
import { createTooltip, type Tooltip } from '../widgets/tooltip.js';
import {
  causesView,
  changesView,
  createFind,
  money,
  slicesOf,
  slicesView,
  sourcesView,
} from './money-views.js';
import { createBreaksTable, createCompactionsTable, createSessionsTable, whyLink } from './why-tables.js';

/** Models of sessions, computed when first shown. */
function modelsOf({ sessions }: WhyPageData): (session: number) => ChartModel | null {
  const made = new Map<number, ChartModel>();
  return (session) => {
    const run = sessions[session]?.run ?? null;
    if (run === null) return null;
    return getOrMake(made, session, () => createRunModel(run));
  };
}

/** Starts the page of `ccbench why`. */
export function startWhy(app: HTMLElement, data: WhyPageData): void {
  const modelOf = modelsOf(data);
  const [costliest] = data.breaks;
  const store = createStore({
    ...START,
    run: costliest?.session ?? 0,
    request:
      costliest === undefined
        ? null
        : (modelOf(costliest.session)?.nearest(costliest.request, 'request') ?? null),
  });
  const nothing = createRunModel({ threads: [], ...requestColumns([]) });
  const tooltip = createTooltip(recordedTip);
  const model = (): ChartModel => modelOf(store.view.run) ?? nothing;
  const session = createSessionView(store, data, tooltip, model);

  const open = (index: number, request: number | null): void => {
    const own = modelOf(index);
    const place = request === null ? null : (own?.nearest(request, 'request') ?? null);
    store.update({
      ...toRun(index),
      axis: 'request',
      request: place,
      range: own === null || place === null ? null : rangeAround(own, place),
    });
    session.scrollIntoView({ block: 'start' });
  };
  const find = createFind(data);
  let words = '';
  const requestShown = (): number | null =>
    store.view.request === null ? null : model().number(store.view.request);
  const linkShown = (): string => whyLink(store.view.run, requestShown(), words);
  const by = (how: 'click' | 'key', change: () => void): void =>
    how === 'click' ? asStep(change) : change();
  const breaks = createBreaksTable(data, (row, how) => {
    const { session: index, request } = data.breaks[row]!;
    breaks.choose(row);
    by(how, () => open(index, request));
    breaks.element.focus({ preventScroll: true });
  });
  const compactions = createCompactionsTable(data, (row, how) => {
    const { session: index, request } = data.compactions[row]!;
    compactions.choose(row);
    by(how, () => open(index, request));
    compactions.element.focus({ preventScroll: true });
  });
  const sessions = createSessionsTable(data, (row, how) => by(how, () => open(row, null)));
  const minis = createMultiples(
    data.sessions.map(({ name, usd }, i) => ({
      name,
      value: money(usd),
      link: whyLink(i, null),
      open: () => asStep(() => open(i, null)),
      model: () => modelOf(i),
    })),
    'Sessions as small charts',
  );

  const breaksHead = h('h2', '');
  const compactionsHead = h('h2', '');
  const sessionsHead = h('h2', '');
  const slices = h('div');
  const of = (some: readonly number[], all: readonly unknown[]): string =>
    some.length === all.length
      ? formatCount(all.length)
      : `${formatCount(some.length)} of ${formatCount(all.length)}`;
  const list = (): void => {
    const found = find(words);
    breaks.setRows(found.breaks);
    sessions.setRows(found.sessions);
    const shown = new Set(found.sessions);
    const compacted = data.compactions.flatMap(({ session: index }, i) => (shown.has(index) ? [i] : []));
    compactions.setRows(compacted);
    compactionsHead.textContent = `What compactions forgot (${of(compacted, data.compactions)})`;
    minis.setShown(found.sessions);
    slices.replaceChildren(slicesView(slicesOf(found.spent)));
    breaksHead.textContent = `Breaks (${of(found.breaks, data.breaks)})`;
    sessionsHead.textContent = `Sessions (${of(found.sessions, data.sessions)})`;
    box.say(
      words === ''
        ? ''
        : `${formatCounted(found.breaks.length, 'break')}, ${formatCounted(found.sessions.length, 'session')}`,
    );
  };
  const box = createSearchBox(
    'Find sessions, causes, projects, models, days',
    'session, cause, project, model, day',
    (next) => {
      words = next;
      list();
      showPlace(linkShown());
    },
  );
  const breaksPart = h('section', { id: 'breaks' }, breaksHead, breaks.element);
  const onCause = (title: string): void => {
    asStep(() => box.set(title));
    breaksPart.scrollIntoView({ block: 'start' });
  };

  store.watch(['run'], ({ run }) => sessions.choose(run));
  store.watch(['run', 'request'], (view) => {
    const number = requestShown();
    const row = data.breaks.findIndex((item) => item.session === view.run && item.request === number);
    breaks.choose(row < 0 ? null : row);
    showPlace(linkShown());
  });

  app.replaceChildren(
    pageHead(
      data.title,
      [
        ...['summary', 'causes', 'sources', 'changes', 'breaks', 'session'],
        ...(data.compactions.length === 0 ? [] : ['compactions']),
        'sessions',
      ],
      box.element,
    ),
    h(
      'main',
      h(
        'section',
        { id: 'summary' },
        h('p.lead', data.advice),
        cardsView(data.cards),
        notesFold([data.trust, ...data.notes]),
      ),
      h('section', { id: 'causes' }, h('h2', 'Where it went'), causesView(data, onCause)),
      h('section', { id: 'sources' }, h('h2', 'What fills the context'), sourcesView(data)),
      data.changes.length === 0
        ? null
        : h('section', { id: 'changes' }, h('h2', 'What would have been cheaper'), changesView(data)),
      breaksPart,
      session,
      data.compactions.length === 0
        ? null
        : h(
            'section',
            { id: 'compactions' },
            compactionsHead,
            ...data.forgotten.map((sentence) => h('p', sentence)),
            compactions.element,
          ),
      h('section', { id: 'sessions' }, sessionsHead, sessions.element, minis.element),
      h('section', { id: 'slices' }, h('h2', 'By project, model and day'), slices),
      data.setAside.length === 0
        ? null
        : h(
            'section',
            { id: 'aside' },
            h('h2', 'Set aside'),
            h(
              'p.quiet',
              'Sessions that are not run forward: what a different compaction would have saved there is unknown.',
            ),
            h('ul', ...data.setAside.map(({ name, reason }) => h('li', `${name}: ${reason}`))),
          ),
    ),
    tooltip.element,
  );
  requestAnimationFrame(() => {
    list();
    sessions.choose(store.view.run);
    if (costliest !== undefined) breaks.choose(0);
  });
  let isOpened = false;
  followPlace((place) => {
    const sought = place.find ?? '';
    if (sought !== words) box.set(sought);
    const index = numberIn(place, 'session');
    if (index === null || index > data.sessions.length) return;
    const request = numberIn(place, 'request');
    const isShown = index - 1 === store.view.run && request === requestShown();
    if (!isShown || !isOpened) open(index - 1, request);
    isOpened = true;
  }, linkShown);
}

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
function createSessionView(
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
