import { formatCounted } from '../../../core/base/format.js';
import { distinctColor } from '../../charts/palette.js';
import type { PageData, PageRun } from '../../page-data/page-data.js';
import { createRunModel, type RunModel } from '../../page-data/run-model.js';
import { h } from '../widgets/dom.js';
import { leadView, notesFold, pageHead, swatch } from '../widgets/page-parts.js';
import { createSearchBox } from '../widgets/search-box.js';
import { createStore, START, toRun } from '../widgets/store.js';
import { createTooltip } from '../widgets/tooltip.js';
import { compareView, sessionsView } from './compare-view.js';
import { createEventsView } from './events-view.js';
import { requestTip } from './request-tip.js';
import { createRequestsView } from './requests-view.js';
import { createGoing, wordsPlace } from './run-places.js';
import { layersView, notesView, policyView, summaryView } from './run-sections.js';
import { createTimelineView } from './timeline-view.js';

/** What the page comes to, and the notes on its table. */
function conclusionOf({ conclusion, comparison }: PageData): readonly (HTMLElement | null)[] {
  return [
    ...(conclusion === null ? [] : leadView(conclusion.result, conclusion.advice)),
    notesFold(comparison?.notes ?? []),
  ];
}

/** The page of many runs without their logs: the table and the pictures. */
export function startTable(app: HTMLElement, data: PageData): void {
  const table = data.comparison === null ? null : compareView(createStore(START), data, data.comparison);
  const pictures = document.getElementById('pictures');
  app.replaceChildren(pageHead(data.title, []), h('main', ...conclusionOf(data), pictures, table));
}

/** The name of a run, with the warning that goes wherever it is shown. */
function runName({ name, unfinished }: PageRun): string {
  return unfinished === null ? name : `${name} (unfinished)`;
}

/** The page of runs with their logs. */
export function startRuns(app: HTMLElement, data: PageData): void {
  const store = createStore(START);
  const models = data.runs.map(createRunModel);
  const model = (): RunModel => models[store.view.run]!;
  const tooltip = createTooltip(requestTip);
  const several = data.runs.length > 1;

  const tabs = data.runs.map((run, index) =>
    h('button', { click: () => store.update(toRun(index)) }, swatch(distinctColor(index)), runName(run)),
  );
  const summary = h('section', { id: 'summary' });
  const layers = h('div');
  const policy = h('section', { id: 'policy' });
  const notes = h('section', { id: 'notes' });
  const place = (): Readonly<Record<string, number | null>> => ({
    run: several ? store.view.run + 1 : null,
  });
  const timeline = createTimelineView(store, models, tooltip, () => events.reveal());
  const requests = createRequestsView(store, model, place, timeline.describe);
  const events = createEventsView(store, model, (index) => requests.show(index));

  const fill = (): void => {
    const { run } = model();
    for (const [index, tab] of tabs.entries())
      tab.setAttribute('aria-pressed', String(index === store.view.run));
    const title = several ? `Summary of ${runName(run)}` : 'Summary';
    summary.replaceChildren(h('h2', title), summaryView(run));
    layers.replaceChildren(...layersView(run));
    policy.replaceChildren(h('h2', 'Scenario and policy'), policyView(run));
    notes.replaceChildren(h('h2', 'Warnings and what was skipped'), notesView(run));
  };
  store.watch(['run'], fill);
  fill();

  const go = createGoing(store, models, { timeline: timeline.element, reveal: () => events.reveal(), place });
  const box = createSearchBox(
    'Find events, a turn or a request',
    'event, turn 73, request 120',
    (words) => {
      const found = events.search(words);
      box.say(words === '' ? '' : formatCounted(found, 'event'));
    },
    (words) => go(wordsPlace(words)),
  );

  const comparison = data.comparison === null ? null : compareView(store, data, data.comparison);
  const sessions = data.sessions === null ? null : sessionsView(data.sessions);
  const own = [summary, timeline.element, layers, events.element, requests.element, policy, notes];
  const parts = [comparison, sessions, ...own].flatMap((part) => part?.id || []);
  app.replaceChildren(
    pageHead(several ? data.title : runName({ ...data.runs[0]!, name: data.title }), parts, box.element),
    h(
      'main',
      ...conclusionOf(data),
      comparison,
      sessions,
      document.getElementById('pictures'),
      several ? h('div.chips.runs', { role: 'group', 'aria-label': 'Run shown below' }, ...tabs) : null,
      ...own,
    ),
    tooltip.element,
  );
}
