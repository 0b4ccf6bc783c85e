import { formatCount } from '../../../core/base/format.js';
import type { ComparisonRow, StudyChart, StudyPageData } from '../../page-data/page-data.js';
import { createRunModel } from '../../page-data/run-model.js';
import { createCompareView } from '../run/compare-view.js';
import { createMultiples } from '../run/multiples.js';
import { h } from '../widgets/dom.js';
import { breakable, cardsView, leadView, notesFold, pageHead } from '../widgets/page-parts.js';
import { followPlace, numberIn, placeLink, showPlace } from '../widgets/place.js';
import { createStore, type Store } from '../widgets/store.js';
import { createTooltip, type Tip } from '../widgets/tooltip.js';
import { axisText } from './point-axes.js';
import { createPointsChart, type PointRef, type StudyView } from './points-chart.js';

function pointTip(rows: readonly ComparisonRow[], { chart, series, point }: PointRef): Tip {
  const name = point.row === null ? undefined : rows[point.row]?.name;
  const span =
    point.low === undefined
      ? []
      : [['between', `${axisText(chart.y, point.low)} and ${axisText(chart.y, point.high!)}`] as const];
  return {
    title: name ?? series.name,
    lines: [
      [chart.x.title, axisText(chart.x, point.x)],
      [chart.y.title, axisText(chart.y, point.y)],
      ...span,
      ...(chart.series.length > 1 && name !== undefined ? [['of', series.name] as const] : []),
      ...(point.mark === 'unranked' ? [['not ranked', 'calls went unanswered'] as const] : []),
      ...(point.mark === 'discarded' ? [['discarded', 'before it was tried on all sessions'] as const] : []),
    ],
  };
}

/** Charts of points over rows, with the box that describes one. */
export function createPointsCharts(
  charts: readonly StudyChart[],
  rows: readonly ComparisonRow[],
  store: Store<StudyView>,
): { readonly figures: readonly HTMLElement[]; readonly box: HTMLElement } {
  const tooltip = createTooltip((ref: PointRef) => pointTip(rows, ref));
  const figures = charts.map((chart) => createPointsChart(store, chart, tooltip));
  return { figures, box: tooltip.element };
}

/** The chosen row with all of its numbers, and how to get at its run. */
function rowPanel(data: StudyPageData, store: Store<StudyView>): HTMLElement {
  const element = h('aside.panel.row', { 'aria-live': 'polite', 'aria-label': `The chosen ${data.of}` });
  const fill = (): void => {
    const row = store.view.row === null ? undefined : data.table.rows[store.view.row];
    if (row === undefined) {
      element.replaceChildren(h('p.quiet', `Choose a ${data.of} in a chart or in the table.`));
      return;
    }
    const lines = row.cells.flatMap(({ text, interval }, i) => [
      h('dt', data.table.columns[i] ?? ''),
      h('dd', text, interval === undefined ? null : h('small', ` ${interval}`)),
    ]);
    element.replaceChildren(
      h('h3', row.name),
      row.note === undefined ? '' : h('p.alarm', row.note),
      h('dl', ...lines),
      row.command === undefined
        ? ''
        : h('div.part', h('h4', 'The command that makes its run'), h('code', row.command)),
    );
  };
  store.watch(['row'], fill);
  fill();
  return element;
}

/** A slider over the rows. */
function rowSlider({ table, of }: StudyPageData, store: Store<StudyView>): HTMLElement {
  const count = table.rows.length;
  const label = `Choose a ${of}`;
  const slider = h('input', { type: 'range', min: 1, max: count, step: 1, value: 1, 'aria-label': label });
  const said = h('output', '');
  slider.addEventListener('input', () => store.update({ row: Number(slider.value) - 1 }));
  const fill = (): void => {
    const row = store.view.row ?? 0;
    slider.value = String(row + 1);
    slider.setAttribute('aria-valuetext', table.rows[row]?.name ?? '');
    said.textContent = `${of} ${formatCount(row + 1)} of ${formatCount(count)}: ${table.rows[row]?.name ?? ''}`;
  };
  store.watch(['row'], fill);
  fill();
  return h('div.slider', slider, said);
}

/** The row that is shown first: the best one, by the first column if that marks one. */
function firstRow({ rows }: StudyPageData['table']): number | null {
  if (rows.length === 0) return null;
  const first = rows.findIndex(({ cells }) => cells[0]?.mark === 'best');
  const any = rows.findIndex(({ cells }) => cells.some(({ mark }) => mark === 'best'));
  return Math.max(0, first < 0 ? any : first);
}

/** The part of a page with the small charts of its rows. */
function multiplesOf(data: StudyPageData): HTMLElement | null {
  if (data.runs.every((run) => run === null)) return null;
  const minis = createMultiples(
    data.table.rows.map(({ name, page, cells }, i) => {
      const run = data.runs[i] ?? null;
      const model = run === null ? null : createRunModel(run);
      const link = page ?? placeLink({ [data.of]: i + 1 });
      return { name, value: cells[0]?.text ?? '', link, model: () => model };
    }),
    `Every ${data.of} as a small chart`,
  );
  const drawn = data.runs.flatMap((run, i) => (run === null ? [] : [i]));
  requestAnimationFrame(() => minis.setShown(drawn));
  const title = h('h2', `Every ${data.of}: prompts by request, breaks marked`);
  return h('section', { id: `every-${data.of}` }, title, minis.element);
}

/** Starts the page of a study: charts and a table over the same rows. */
export function startStudy(app: HTMLElement, data: StudyPageData): void {
  const store = createStore<StudyView>({ row: firstRow(data.table) });
  const { figures: charts, box } = createPointsCharts(data.charts, data.table.rows, store);
  const table = createCompareView(data.table, {
    id: 'table',
    of: data.of,
    label: ({ name, page }, index) => [
      page === undefined
        ? h('button.link', { click: () => store.update({ row: index }) }, ...breakable(name))
        : h('a', { href: page }, ...breakable(name)),
    ],
  });
  const isSliding = data.table.rows.length > 1;
  const hasRows = data.table.rows.length > 0;
  const figures = h('div.figures', ...charts);
  const look =
    charts.length === 0
      ? null
      : h(
          'section',
          { id: 'charts' },
          isSliding ? rowSlider(data, store) : null,
          hasRows ? h('div.split', figures, rowPanel(data, store)) : figures,
        );
  store.watch(['row'], ({ row }) => {
    table.choose(row);
    if (row !== null) showPlace(placeLink({ [data.of]: row + 1 }));
  });
  if (look !== null) table.choose(store.view.row);
  const parts = [look, hasRows ? table.element : null, multiplesOf(data)];
  app.replaceChildren(
    pageHead(
      data.title,
      parts.flatMap((part) => part?.id ?? []),
    ),
    h(
      'main',
      h(
        'section',
        { id: 'summary' },
        ...leadView(data.lead, data.advice),
        data.cards.length === 0 ? null : cardsView(data.cards),
        notesFold([...data.notes, ...data.table.notes]),
      ),
      ...parts,
    ),
    box,
  );
  followPlace((place) => {
    const row = numberIn(place, data.of);
    if (row === null || row > data.table.rows.length) return;
    store.update({ row: row - 1 });
    look?.scrollIntoView({ block: 'start' });
  });
}
