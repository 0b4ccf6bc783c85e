import { formatCount, formatCounted, formatMoney } from '../../../core/base/format.js';
import { distinctColor, LAYER_COLORS } from '../../charts/palette.js';
import type { PageData, PageFact, PageLayer, PageRun } from '../../page-data/page-data.js';
import { type Axis, createRunModel, type RunModel } from '../../page-data/run-model.js';
import type { PolicyParam } from '../../text/policy-info.js';
import { actedText } from '../../text/words.js';
import type { StudyView } from '../study/points-chart.js';
import { createPointsCharts } from '../study/study-page.js';
import { h } from '../widgets/dom.js';
import {
  aboutView,
  cardsView,
  createSearchBox,
  leadView,
  notesFold,
  pageHead,
  swatch,
  tokenBar,
  wideTable,
} from '../widgets/page-parts.js';
import { followPlace, type Named, numberIn, placeLink, showPlace } from '../widgets/place.js';
import { rangeAround } from '../widgets/scale.js';
import { createStore, START, type Store, toRun, type View } from '../widgets/store.js';
import { createTooltip, type Tooltip } from '../widgets/tooltip.js';
import { compareView, sessionsView } from './compare-view.js';
import { createContextChart } from './context-chart.js';
import { createEventsView } from './events-view.js';
import { createFillChart, type FillChart } from './fill-chart.js';
import { createPromptCharts } from './prompt-charts.js';
import { type RequestRef, requestTip } from './request-chart.js';
import { createRequestsView } from './requests-view.js';

/** What the page comes to, and the notes on its table. */
function conclusionOf({ conclusion, comparison }: PageData): readonly (HTMLElement | null)[] {
  return [
    ...(conclusion === null ? [] : leadView(conclusion.result, conclusion.advice)),
    notesFold(comparison?.notes ?? []),
  ];
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
  const { element: charts, box: pointBox } = chartsOfRows(store, data);
  const own = [summary, timeline.element, layers, events.element, requests.element, policy, notes];
  const parts = [comparison, sessions, charts, ...own].flatMap((part) => part?.id || []);
  app.replaceChildren(
    pageHead(several ? data.title : runName({ ...data.runs[0]!, name: data.title }), parts, box.element),
    h(
      'main',
      ...conclusionOf(data),
      comparison,
      sessions,
      charts,
      several ? h('div.chips.runs', { role: 'group', 'aria-label': 'Run shown below' }, ...tabs) : null,
      ...own,
    ),
    tooltip.element,
    ...(pointBox === null ? [] : [pointBox]),
  );
}

/** The charts over the rows of a comparison; a chosen row shows its run below. */
function chartsOfRows(
  store: Store,
  { charts, comparison, runs }: PageData,
): { readonly element: HTMLElement | null; readonly box: HTMLElement | null } {
  if (charts.length === 0) return { element: null, box: null };
  const rows = comparison?.rows ?? [];
  const chosen = createStore<StudyView>({ row: null });
  chosen.watch(['row'], ({ row }) => {
    const run = runs.findIndex(({ name }) => row !== null && name === rows[row]?.name);
    if (run >= 0) store.update(toRun(run));
  });
  const { figures, box } = createPointsCharts(charts, rows, chosen);
  return { element: h('section', { id: 'charts' }, h('div.figures', ...figures)), box };
}

/** The first request of a turn, of the main conversation if it has one; the next that there is where it was left out. */
function requestOfTurn({ main, run, count }: RunModel, turn: number): number | null {
  const all = Array.from({ length: count }, (_, i) => i);
  const from = (list: readonly number[]): number | undefined =>
    list.find((index) => run.requests.turn[index]! >= turn);
  return from(main) ?? from(all) ?? null;
}

/** A place in words: `turn 73`, `request 120`, `event 4`, or a number alone, which is a turn. */
function wordsPlace(words: string): Named {
  const found = /^(?:(turn|request|event)\s*)?#?(\d+)$/i.exec(words);
  return found === null ? {} : { [found[1]?.toLowerCase() ?? 'turn']: found[2]! };
}

/** What goes to a place needs of the page. */
interface Going {
  readonly timeline: HTMLElement;
  reveal(): void;
  /** What the address names besides. */
  place(): Readonly<Record<string, number | null>>;
}

/** Follows addresses such as `#turn=73`, `#request=120`, `#run=2&event=4`, and keeps the address at what is chosen. */
function createGoing(
  store: Store,
  models: readonly RunModel[],
  { timeline, reveal, place }: Going,
): (to: Named) => void {
  const go = (to: Named): void => {
    const run = (numberIn(to, 'run') ?? store.view.run + 1) - 1;
    const model = models[run];
    if (model === undefined) return;
    const turn = numberIn(to, 'turn');
    const number = numberIn(to, 'request');
    const event = numberIn(to, 'event');
    if (event !== null && event <= model.run.events.length) {
      store.update({ ...toRun(run), event: event - 1, range: null });
      reveal();
      return;
    }
    const request =
      turn !== null ? requestOfTurn(model, turn) : number !== null ? model.nearest(number, 'request') : null;
    if (request === null) {
      if (numberIn(to, 'run') !== null) store.update(toRun(run));
      return;
    }
    store.update({ ...toRun(run), axis: 'request', request, range: rangeAround(model, request) });
    timeline.scrollIntoView({ block: 'start' });
  };
  const linkOf = ({ run, event, request }: View, before: View): string => {
    const isNewEvent = event !== null && event !== before.event;
    if (request !== null && !isNewEvent)
      return placeLink({ ...place(), request: models[run]!.number(request) });
    return placeLink({ ...place(), event: event === null ? null : event + 1 });
  };
  store.watch(['run', 'event', 'request'], (view, before) => showPlace(linkOf(view, before)));
  followPlace(go);
  return go;
}

/** Top of the context axis: the largest context, and limits that are not far above it. */
function highest(models: readonly RunModel[]): number {
  let used = 0;
  for (const { count, prompt, run } of models) {
    for (let i = 0; i < count; i++) used = Math.max(used, prompt[i]! + run.requests.output[i]!);
  }
  const limits = models.flatMap(({ run }) => run.thresholds.map(({ tokens }) => tokens));
  return Math.max(used, ...limits.filter((tokens) => tokens <= used * 2.5)) * 1.06;
}

/** The places of the compactions of a run's main conversations. */
function compactionsOf(model: RunModel, axis: Axis): readonly number[] {
  const main = new Set(model.run.threads.flatMap(({ id, parent }) => (parent === null ? [id] : [])));
  return model.run.events.flatMap((event) =>
    event.kind === 'layer' && event.action === 'compact' && event.outcome === 'done' && main.has(event.thread)
      ? [model.eventX(event, axis)]
      : [],
  );
}

/** The charts over time or requests, and what fills the prompt of one. */
interface TimelineView extends Pick<FillChart, 'describe'> {
  readonly element: HTMLElement;
}

/** Creates the charts over time or requests, which share their axis, with the tools to move on it. */
function createTimelineView(
  store: Store,
  models: readonly RunModel[],
  tooltip: Tooltip<RequestRef>,
  onEvent: () => void,
): TimelineView {
  const model = (): RunModel => models[store.view.run]!;
  const domain = (view: View): readonly [number, number] => {
    const all = models.map((item) => item.domain(view.axis));
    return [Math.min(...all.map(([from]) => from)), Math.max(...all.map(([, to]) => to))];
  };
  const shared = { tooltip, domain, yMax: highest(models), height: models.length === 1 ? 220 : 130, onEvent };
  const contexts = models.map((item, run) => {
    const title = models.length === 1 ? 'Context size and what happened to it' : item.run.name;
    return createContextChart(store, { ...shared, run, model: item, title });
  });
  const { tools, charts } = createPromptCharts(store, { tooltip, model, domain });
  const filled = createFillChart(store, {
    tooltip,
    model,
    domain,
    compactions: () => compactionsOf(model(), store.view.axis),
  });
  const noFill = h('p.quiet', '');
  const showEmpty = (): void => {
    noFill.textContent = model().run.noFill ?? '';
    noFill.toggleAttribute('hidden', noFill.textContent === '');
  };
  store.watch(['run'], showEmpty);
  showEmpty();
  const element = h(
    'section',
    { id: 'timeline' },
    h('h2', 'Timeline'),
    ...tools,
    ...contexts,
    ...filled.parts,
    noFill,
    ...charts,
  );
  return { element, describe: filled.describe };
}

function block(title: string, facts: readonly PageFact[]): HTMLElement {
  const rows = facts.map(({ label, value, note, tone }) =>
    h('tr', { class: tone }, h('th', { scope: 'row' }, label), h('td.right', value), h('td.quiet', note)),
  );
  return h('div.block', h('h3', title), h('table', h('tbody', ...rows)));
}

/** The summary of a run: the main numbers large, all of them below. */
function summaryView(run: PageRun): HTMLElement {
  const blocks = run.blocks.map(({ title, facts }) => block(title, facts));
  return h(
    'div',
    aboutView(run.about),
    run.unfinished === null ? null : h('p.alarm', { role: 'status' }, run.unfinished),
    cardsView(run.cards),
    notesFold(run.assumptions),
    h('details', h('summary', 'All numbers'), h('div.blocks', ...blocks)),
  );
}

/** Warnings and what the transcript could not support. */
function notesView(run: PageRun): HTMLElement {
  const warnings = run.warnings.map(({ message, remedy, count }) =>
    h(
      'li',
      count > 1 ? `${message} (${count} times)` : message,
      remedy === null ? null : h('div.quiet', `→ ${remedy}`),
    ),
  );
  const skipped = run.skipped.map(({ what, needs }) => h('li', `${what}: needs ${needs}`));
  return h(
    'div',
    warnings.length === 0 ? h('p.quiet', 'No warnings.') : h('ul.warnings', ...warnings),
    skipped.length === 0
      ? h('p.quiet', 'Nothing was skipped.')
      : h('div', h('h3', 'Skipped'), h('ul', ...skipped)),
    run.digest === null ? null : h('p.quiet.digest', `digest ${run.digest}`),
  );
}

/** What a layer prevented, in words; empty when nothing. */
function preventedText({ prevented, deferred }: PageLayer): string {
  const said = [
    ...(prevented > 0 ? [`prevented ${formatCount(prevented)}`] : []),
    ...(deferred > 0 ? [`deferred ${formatCount(deferred)}`] : []),
  ];
  const last = prevented + deferred === 1 ? 'compaction' : 'compactions';
  return said.length === 0 ? '' : `, ${said.join(' and ')} ${last}`;
}

/** Tokens each layer keeps out, beside the cached tokens it destroyed; nothing if no layer acted. */
function layersView({ layers }: PageRun): readonly HTMLElement[] {
  if (layers.length === 0) return [];
  const largest = Math.max(...layers.map(({ saved, destroyed }) => Math.max(saved, destroyed)), 1);
  const rows = Object.entries(LAYER_COLORS).flatMap(([name, color]) => {
    const layer = layers.find((item) => item.name === name);
    if (layer === undefined) return [];
    const cost = `its requests cost ${formatMoney(layer.cost / 1e9)}${preventedText(layer)}`;
    const carried = `${formatCount(layer.notCarried)} tokens not carried, summed over the requests`;
    return h(
      'div.layer',
      h('h3', swatch(color), name),
      h('p.quiet', `${actedText(layer)}, ${cost}`),
      tokenBar('out at the end', layer.saved, largest, 'after'),
      tokenBar('destroyed', layer.destroyed, largest, 'before'),
      layer.notCarried === 0 ? null : h('p.quiet', carried),
    );
  });
  return [h('section', { id: 'layers' }, h('h2', 'Tokens saved by layer'), h('div.layers', ...rows))];
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === null ? 'none' : JSON.stringify(value);
}

function paramRow({ path, value, from, unit, source, help }: PolicyParam): HTMLElement {
  const shown = `${valueText(value)}${unit === null || typeof value !== 'number' ? '' : ` ${unit}`}`;
  const cells = [shown, from, source ?? (from === 'default' ? 'default' : '–')].map((text) => h('td', text));
  return h('tr', { class: from }, h('th', { scope: 'row' }, path), ...cells, h('td.quiet', help));
}

function paramTable(params: readonly PolicyParam[]): HTMLElement {
  const heads = ['parameter', 'value', 'set by', 'source', 'meaning'];
  return wideTable('Parameters of the policy', heads, params.map(paramRow));
}

/** The scenario and the policy of a run, with the source of each number. */
function policyView({ policy, settings }: PageRun): HTMLElement {
  const rows = settings.map(([path, value]) => h('tr', h('th', { scope: 'row' }, path), h('td', value)));
  const scenario = [h('h3', 'Scenario'), wideTable('Settings of the scenario', [], rows)];
  if (policy === null) return h('div', ...scenario, h('p.quiet', 'Nothing more is known of the policy.'));
  const changed = policy.params.filter(({ from }) => from !== 'default');
  const rest = policy.params.filter(({ from }) => from === 'default');
  return h(
    'div',
    h('h3', `Policy ${policy.name}`),
    h('p', policy.summary),
    h('p.quiet', `${policy.kind} · layers in order: ${policy.layers.join(', ') || 'none'}`),
    changed.length === 0 ? null : paramTable(changed),
    h('details', h('summary', `${rest.length} parameters at their defaults`), paramTable(rest)),
    ...scenario,
  );
}
