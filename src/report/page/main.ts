import type { PageData, PageRun } from '../page-data.js';
import { compareView } from './compare-view.js';
import { h } from './dom.js';
import { createEventsView } from './events-view.js';
import { layersView } from './layers-view.js';
import { policyView } from './policy-view.js';
import { createRequestsView } from './requests-view.js';
import { createRunModel, type RunModel } from './run-model.js';
import { createStore } from './store.js';
import { notesView, summaryView } from './summary-view.js';
import { createTimelineView } from './timeline-view.js';
import { createTooltip } from './tooltip.js';

const THEMES = ['auto', 'light', 'dark'] as const;

function themeButton(): HTMLElement {
  let current = 0;
  const button = h('button', { type: 'button', class: 'theme' }, 'theme: auto');
  button.addEventListener('click', () => {
    current = (current + 1) % THEMES.length;
    const theme = THEMES[current]!;
    button.textContent = `theme: ${theme}`;
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  });
  return button;
}

/** The page of many runs without their logs: the table and the pictures. */
function startTable(app: HTMLElement, data: PageData): void {
  const table = data.comparison === null ? null : compareView(createStore(), data, data.comparison);
  app.replaceChildren(
    h('header', {}, h('h1', {}, data.title), h('span', { class: 'space' }), themeButton()),
    h('main', {}, document.getElementById('pictures'), table),
  );
}

/** The name of a run, with the warning that goes wherever it is shown. */
function runName({ name, unfinished }: PageRun): string {
  return unfinished === null ? name : `${name} (unfinished)`;
}

function startRuns(app: HTMLElement, data: PageData): void {
  const store = createStore();
  const models = data.runs.map(createRunModel);
  const model = (): RunModel => models[store.view.run]!;
  const tooltip = createTooltip();
  const several = data.runs.length > 1;

  const tabs = data.runs.map((run, index) =>
    h(
      'button',
      { type: 'button', click: () => store.update({ run: index, event: null, cursor: null }) },
      h('i', { class: 'swatch', style: `background:${data.colors.runs[index]}` }),
      runName(run),
    ),
  );
  const summary = h('section', { id: 'summary' });
  const layers = h('div');
  const policy = h('section', { id: 'policy' });
  const notes = h('section', { id: 'notes' });
  const requests = createRequestsView(store, model);
  const events = createEventsView(store, data, model, (index) => requests.show(index));
  const timeline = createTimelineView(store, { data, models, tooltip, onEvent: () => events.reveal() });

  const fill = (): void => {
    const { run } = model();
    for (const [index, tab] of tabs.entries())
      tab.setAttribute('aria-pressed', String(index === store.view.run));
    summary.replaceChildren(
      h('h2', {}, several ? `Summary of ${runName(run)}` : 'Summary'),
      summaryView(run),
    );
    const shown = layersView(run, data);
    layers.replaceChildren(...(shown === null ? [] : [shown]));
    policy.replaceChildren(h('h2', {}, 'Scenario and policy'), policyView(run));
    notes.replaceChildren(h('h2', {}, 'Warnings and what was skipped'), notesView(run));
  };
  store.listen((view, before) => {
    if (view.run !== before.run) fill();
  });
  fill();

  const links = [
    ...(data.comparison === null ? [] : ['comparison']),
    'summary',
    'timeline',
    'events',
    'requests',
    'policy',
    'notes',
  ].map((id) => h('a', { href: `#${id}` }, id));
  const pictures = document.getElementById('pictures');
  app.replaceChildren(
    h(
      'header',
      {},
      h('h1', {}, several ? data.title : runName({ ...data.runs[0]!, name: data.title })),
      h('nav', { 'aria-label': 'Parts of the report' }, ...links),
      themeButton(),
    ),
    h(
      'main',
      {},
      data.comparison === null ? null : compareView(store, data, data.comparison),
      pictures,
      several
        ? h('div', { class: 'chips runs', role: 'group', 'aria-label': 'Run shown below' }, ...tabs)
        : null,
      summary,
      timeline,
      layers,
      events.element,
      requests.element,
      policy,
      notes,
    ),
    tooltip.element,
  );
}

const source = document.getElementById('data');
const app = document.getElementById('app');
if (source !== null && app !== null) {
  const data = JSON.parse(source.textContent ?? '') as PageData;
  if (data.runs.length === 0) startTable(app, data);
  else startRuns(app, data);
}
