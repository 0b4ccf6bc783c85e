import { formatCount, formatCounted } from '../../format.js';
import type { ChartedRun } from '../../page-data.js';
import type { WhyPageData } from '../../why-page-data.js';
import { rangeAround } from '../axis-range.js';
import { cardsView } from '../cards.js';
import { h } from '../dom.js';
import { pageHead } from '../head.js';
import { createMultiples } from '../multiples.js';
import { followPlace, numberIn, showPlace } from '../place.js';
import { type ChartModel, createRunModel } from '../run-model.js';
import { createSearchBox, holdsWords } from '../search-box.js';
import { createStore, START, toRun } from '../store.js';
import { createTooltip } from '../tooltip.js';
import { causesView, changesView, money, slicesView } from './money-views.js';
import { createSessionView, recordedTip } from './session-view.js';
import { createBreaksTable, createSessionsTable, whyLink } from './why-tables.js';

const NOTHING: ChartedRun = {
  threads: [],
  names: { threads: [], purposes: [], models: [], causes: [] },
  requests: {
    t: [],
    thread: [],
    turn: [],
    purpose: [],
    model: [],
    read: [],
    write5m: [],
    write1h: [],
    input: [],
    output: [],
    context: [],
    rewritten: [],
    cause: [],
    latencyMs: [],
    readCost: [],
    freshCost: [],
    rewriteCost: [],
    outputCost: [],
  },
};

/** Models of sessions, worked out when they are first looked at. */
function modelsOf({ sessions }: WhyPageData): (session: number) => ChartModel | null {
  const made = new Map<number, ChartModel>();
  return (session) => {
    const run = sessions[session]?.run ?? null;
    if (run === null) return null;
    const model = made.get(session) ?? createRunModel(run);
    made.set(session, model);
    return model;
  };
}

/** What is searched in a session and in a break. */
function textsOf({ sessions, breaks, causes }: WhyPageData) {
  const own = sessions.map(() => new Set<string>());
  for (const { session, cause } of breaks) own[session]!.add(causes[cause]!.title);
  const about = sessions.map(({ name, project, day }) => `${name} ${project} ${day ?? ''}`);
  return {
    sessions: sessions.map((_session, i) => `${about[i]} ${[...own[i]!].join(' ')}`),
    breaks: breaks.map(
      ({ session, cause, model, at, thread }) =>
        `${causes[cause]!.title} ${about[session]} ${model} ${at ?? ''} ${thread}`,
    ),
  };
}

/** Starts the page of `ccbench why`. */
export function startWhy(app: HTMLElement, data: WhyPageData): void {
  const modelOf = modelsOf(data);
  const [dearest] = data.breaks;
  const store = createStore({
    ...START,
    run: dearest?.session ?? 0,
    request:
      dearest === undefined ? null : (modelOf(dearest.session)?.nearest(dearest.request, 'request') ?? null),
  });
  const nothing = createRunModel(NOTHING);
  const tooltip = createTooltip(recordedTip);
  const model = (): ChartModel => modelOf(store.view.run) ?? nothing;
  const session = createSessionView(store, { data, tooltip, model });

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
  const breaks = createBreaksTable(data, (row) => {
    const { session: index, request } = data.breaks[row]!;
    breaks.choose(row);
    open(index, request);
    breaks.element.focus({ preventScroll: true });
  });
  const sessions = createSessionsTable(data, (row) => open(row, null));
  const minis = createMultiples(
    data.sessions.map(({ name, usd }, i) => ({
      name,
      value: money(usd),
      link: whyLink(i, null),
      model: () => modelOf(i),
    })),
    data.prompt,
    'Sessions as small charts',
  );

  const texts = textsOf(data);
  const breaksHead = h('h2', {}, '');
  const sessionsHead = h('h2', {}, '');
  const box = createSearchBox(
    'Find sessions, causes, projects',
    'session, cause, project, model, day',
    (words) => {
      const hits = (all: readonly string[]): readonly number[] =>
        all.flatMap((text, i) => (holdsWords(text, words) ? [i] : []));
      const foundBreaks = hits(texts.breaks);
      const foundSessions = hits(texts.sessions);
      breaks.setRows(foundBreaks);
      sessions.setRows(foundSessions);
      minis.setShown(foundSessions);
      const of = (found: readonly number[], all: readonly unknown[]): string =>
        found.length === all.length
          ? formatCount(all.length)
          : `${formatCount(found.length)} of ${formatCount(all.length)}`;
      breaksHead.textContent = `Breaks (${of(foundBreaks, data.breaks)})`;
      sessionsHead.textContent = `Sessions (${of(foundSessions, data.sessions)})`;
      box.say(
        words === ''
          ? ''
          : `${formatCounted(foundBreaks.length, 'break')} in ${formatCounted(foundSessions.length, 'session')}`,
      );
    },
  );
  const breaksPart = h('section', { id: 'breaks' }, breaksHead, breaks.element);
  const onCause = (title: string): void => {
    box.set(title);
    breaksPart.scrollIntoView({ block: 'start' });
  };

  store.listen((view, before) => {
    if (view.run === before.run && view.request === before.request) return;
    if (view.run !== before.run) sessions.choose(view.run);
    const number = view.request === null ? null : model().number(view.request);
    const row = data.breaks.findIndex((item) => item.session === view.run && item.request === number);
    breaks.choose(row < 0 ? null : row);
    showPlace(whyLink(view.run, number));
  });

  app.replaceChildren(
    pageHead(data.title, ['summary', 'causes', 'changes', 'breaks', 'session', 'sessions'], box.element),
    h(
      'main',
      {},
      h(
        'section',
        { id: 'summary' },
        h('p', { class: 'lead' }, data.advice),
        cardsView(data.cards),
        h('p', {}, data.trust),
        ...data.notes.map((note) => h('p', { class: 'quiet' }, note)),
      ),
      h('section', { id: 'causes' }, h('h2', {}, 'Where it went'), causesView(data, onCause)),
      data.changes.length === 0
        ? null
        : h('section', { id: 'changes' }, h('h2', {}, 'What would have been cheaper'), changesView(data)),
      breaksPart,
      session,
      h('section', { id: 'sessions' }, sessionsHead, sessions.element, minis.element),
      h('section', { id: 'slices' }, h('h2', {}, 'By project, model and day'), slicesView(data)),
      data.setAside.length === 0
        ? null
        : h(
            'section',
            { id: 'aside' },
            h('h2', {}, 'Set aside'),
            h(
              'p',
              { class: 'quiet' },
              'Sessions that are not run forward: what compacting otherwise would have saved there is not said.',
            ),
            h('ul', {}, ...data.setAside.map(({ name, reason }) => h('li', {}, `${name}: ${reason}`))),
          ),
    ),
    tooltip.element,
  );
  requestAnimationFrame(() => {
    box.set('');
    sessions.choose(store.view.run);
    if (dearest !== undefined) breaks.choose(0);
  });
  followPlace((place) => {
    const index = numberIn(place, 'session');
    if (index !== null && index <= data.sessions.length) open(index - 1, numberIn(place, 'request'));
  });
}
