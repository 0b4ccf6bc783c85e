import { formatCount, formatCounted, formatValue } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { findMetric } from '../../../metrics/registry.js';
import { DISTINCT, distinctColor } from '../../../report/charts/palette.js';
import { axisTitle } from '../../../report/charts/sweep-point.js';
import { card } from '../../../report/document/document.js';
import { type StudyPage, studyPage } from '../../../report/html/page-html.js';
import type {
  ComparisonRow,
  ComparisonTable,
  PageFact,
  StudyAxis,
  StudyChart,
  StudyPoint,
  StudySeries,
} from '../../../report/page-data/page-data.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { metricWords } from '../../../report/text/metric-words.js';
import { type Difference, pairedDifference } from '../../../study/comparison.js';
import { finishedOf, meansOf, type VariantRuns } from '../../../study/completeness.js';
import type { MetricRecord } from '../../../study/job.js';
import type { Point } from '../../../study/point.js';
import type { SweptPoint } from '../../../study/run-rows.js';
import type { Axis } from '../../../study/vary.js';
import { differenceText, intervalText, signed } from './comparison-table.js';
import { axisOf, isCompletion, isNumeric, lineMark, tradeoffCharts, valueAxis } from './study-axes.js';

/** A point that a search dropped after some of its sessions. */
export interface DiscardedPoint extends SweptPoint {
  readonly sessions: readonly string[];
}

/** What the page of a sweep or a search is made from. */
export interface SweepPageInput {
  readonly name: string;
  /** What the page is called. */
  readonly title: string;
  readonly conclusion: Conclusion;
  readonly axes: readonly Axis[];
  /** Metrics with a chart. */
  readonly names: readonly string[];
  /** In the order of the rows of the table. */
  readonly swept: readonly SweptPoint[];
  readonly table: ComparisonTable;
  /** The metrics of its first columns. */
  readonly columns: readonly string[];
  readonly discarded: readonly DiscardedPoint[];
  /** The unchanged scenario; null if it was not run. */
  readonly asItIs: VariantRuns | null;
  /** Sessions that means are taken over. */
  readonly compared: readonly string[];
  /** Means of what was recorded; null if it is not known. */
  readonly recorded: MetricRecord | null;
  repeat(point: Point): string;
}

/** Rows with a command: to work one out compiles the scenario. */
const COMMANDS = 300;

/** Values of a second axis that lines are drawn for. */
const MOST_LINES = 8;

/** What the unchanged scenario is called. */
const UNCHANGED = 'unchanged';

/** The ends of a point's bar: its difference to the unchanged scenario, drawn where that one lies. */
function barOf(swept: SweptPoint, metric: string, baseline: Baseline) {
  const level = baseline.level(metric);
  if (level === null || isCompletion(metric)) return {};
  const { low, high } = baseline.difference(swept, metric) ?? { low: null, high: null };
  if (low === null || high === null) return {};
  // No mean lies below nothing, no share above everything.
  const most = findMetric(metric)!.unit === 'share' ? 1 : Number.POSITIVE_INFINITY;
  return { low: level < 0 ? level + low : Math.max(0, level + low), high: Math.min(most, level + high) };
}

/** Where a discarded point lies: as far from the unchanged scenario as on the sessions it was tried on; null if that is not known. */
function placeOfDiscarded(point: DiscardedPoint, metric: string, baseline: Baseline): number | null {
  const level = baseline.level(metric);
  const relative = baseline.difference(point, metric, point.sessions)?.relative ?? null;
  return level === null || relative === null ? null : level * (1 + relative);
}

function parameterAxis(axis: Axis): StudyAxis {
  const title = axisTitle(axisOf(axis));
  if (isNumeric(axis)) {
    const isLog = axis.scale === 'log' && axis.values.every((value) => Number(value) > 0);
    return { title, unit: null, scale: isLog ? 'log' : 'linear' };
  }
  return { title, unit: null, scale: 'linear', names: axis.values };
}

function placeOn(axis: Axis, value: string): number {
  return isNumeric(axis) ? Number(value) : axis.values.indexOf(value);
}

/** Index of the row that the table marks as best in a column; −1 for none. */
function bestRow({ table: { rows }, columns }: SweepPageInput, metric: string): number {
  const column = columns.indexOf(metric);
  return rows.findIndex(({ cells }) => cells[column]?.mark === 'best');
}

function pointsOf(
  input: SweepPageInput,
  baseline: Baseline,
  metric: string,
  at: (point: Point) => number | null,
): readonly StudyPoint[] {
  const best = bestRow(input, metric);
  return input.swept.flatMap((swept, row) => {
    const y = ownValue(swept.metrics, metric) ?? null;
    const x = at(swept.point);
    if (y === null || x === null) return [];
    const { mark } = isCompletion(metric) ? {} : lineMark(swept.completeness);
    return [
      {
        x,
        y,
        row,
        ...barOf(swept, metric, baseline),
        ...(mark === undefined ? (row === best ? { mark: 'best' as const } : {}) : { mark }),
      },
    ];
  });
}

/** Points that a search dropped, in grey. */
function discardedSeries(
  input: SweepPageInput,
  at: (point: DiscardedPoint) => readonly [number | null, number | null],
): readonly StudySeries[] {
  const points = input.discarded.flatMap((point, i): readonly StudyPoint[] => {
    const [x, y] = at(point);
    const row = input.swept.length + i;
    return x === null || y === null ? [] : [{ x, y, row, mark: 'discarded' }];
  });
  return points.length === 0 ? [] : [{ name: 'discarded', color: DISTINCT.grey, drawn: 'dots', points }];
}

/** A metric over the first axis, with a line for each value of the second; over more axes, dots over one of them. */
function chartOver(input: SweepPageInput, baseline: Baseline, metric: string, over: number): StudyChart {
  const { axes } = input;
  const axis = axes[over]!;
  const second = axes.length === 2 && over === 0 && axes[1]!.values.length <= MOST_LINES ? axes[1]! : null;
  const values = second === null ? [null] : second.values;
  const isLine = axes.length === 1 || second !== null;
  const words = metricWords(metric);
  const series: StudySeries[] = values.map((value, i) => ({
    name: value === null ? words : `${second!.path} = ${value}`,
    color: distinctColor(i),
    drawn: isLine && isNumeric(axis) ? 'line' : 'dots',
    points: [
      ...pointsOf(input, baseline, metric, (point) =>
        value === null || point.values[1] === value ? placeOn(axis, point.values[over]!) : null,
      ),
    ].sort((a, b) => (isLine ? a.x - b.x : 0)),
  }));
  const discarded = discardedSeries(input, (point) => [
    placeOn(axis, point.point.values[over]!),
    placeOfDiscarded(point, metric, baseline),
  ]);
  const levels = [
    { name: 'as recorded', y: ownValue(input.recorded, metric) ?? null },
    { name: UNCHANGED, y: baseline.level(metric) },
  ].flatMap(({ name, y }) => (y === null ? [] : [{ name, y }]));
  return {
    name: axes.length > 2 ? `sweep-${metric}-${over + 1}` : `sweep-${metric}`,
    title: `${words} over ${axis.path}`,
    x: parameterAxis(axis),
    y: valueAxis(metric),
    series: [...discarded, ...series.filter(({ points }) => points.length > 0)],
    ...(levels.length === 0 ? {} : { guide: levels }),
  };
}

/** The first metric against what the model still sees and misses, with the unchanged scenario and what was discarded. */
function tradeoffs(input: SweepPageInput, baseline: Baseline): readonly StudyChart[] {
  const { swept, axes } = input;
  const [metric] = input.names;
  if (metric === undefined) return [];
  const rows = swept.map(({ point, metrics, completeness }, row) => ({
    label: point.values.join(', '),
    row,
    metrics,
    completeness,
  }));
  return tradeoffCharts(rows, metric, `, with ${axes.map(({ path }) => path).join(', ')}`, (against) => {
    const [x, y] = [baseline.level(metric), baseline.level(against)];
    return [
      ...discardedSeries(input, (point) => [
        placeOfDiscarded(point, metric, baseline),
        placeOfDiscarded(point, against, baseline),
      ]),
      {
        name: UNCHANGED,
        color: DISTINCT.green,
        drawn: 'dots',
        points: x === null || y === null ? [] : [{ x, y, row: null, label: UNCHANGED }],
      },
    ];
  });
}

/** The table with what only a page shows: paired differences, the points that were dropped, and the commands of the first rows. */
function pageTable(input: SweepPageInput, baseline: Baseline): ComparisonTable {
  const { table, swept, columns, discarded } = input;
  const differing = (point: SweptPoint, metric: string | undefined, over?: readonly string[]) => {
    if (metric === undefined || isCompletion(metric)) return {};
    const difference = baseline.difference(point, metric, over);
    if (difference === null) return {};
    const interval = intervalText(difference, metric);
    return {
      note: differenceText(difference, metric),
      ...(interval === '' || difference.verdict === 'same' ? {} : { interval }),
    };
  };
  const dropped = discarded.map(
    (item): ComparisonRow => ({
      name: item.point.name,
      note: `discarded after ${formatCounted(item.sessions.length, 'session')}${item.completeness.unfinished.length === 0 ? '' : ', unfinished'}`,
      isDiscarded: true,
      cells: table.columns.map((_, i) => {
        const metric = columns[i];
        if (metric === undefined) return { text: '' };
        const text = formatValue(ownValue(item.metrics, metric) ?? null, findMetric(metric)!.unit);
        return { text, ...differing(item, metric, item.sessions) };
      }),
    }),
  );
  return {
    ...table,
    caption: input.discarded.length === 0 ? 'All points' : 'All points that were tried',
    rows: [
      ...table.rows.map((row, i) => ({
        ...row,
        ...(i < COMMANDS ? { command: input.repeat(swept[i]!.point) } : {}),
        cells: row.cells.map((cell, column) => ({ ...cell, ...differing(swept[i]!, columns[column]) })),
      })),
      ...dropped,
    ],
  };
}

/** The best point beside the unchanged scenario and the record. */
function cardsOf(input: SweepPageInput, baseline: Baseline): readonly PageFact[] {
  const { swept, discarded, compared, recorded } = input;
  const [metric] = input.names as [string];
  const { unit } = findMetric(metric)!;
  const words = metricWords(metric);
  const best = swept[bestRow(input, metric)];
  const level = baseline.level(metric);
  const difference = best === undefined ? null : baseline.difference(best, metric);
  const known = ownValue(recorded, metric) ?? null;
  const between = difference === null ? '' : intervalText(difference, metric);
  return [
    ...(best === undefined
      ? []
      : [card(`Best ${words}`, formatValue(ownValue(best.metrics, metric) ?? null, unit), best.point.name)]),
    ...(level === null ? [] : [card('Unchanged', formatValue(level, unit), 'the scenario without a change')]),
    ...(difference === null
      ? []
      : [
          card(
            'Best against unchanged',
            difference.mean === null ? '–' : signed(difference.mean, metric),
            between === ''
              ? 'one session, no interval'
              : `${difference.verdict === 'within-noise' ? 'within noise, ' : ''}95 %: ${between}`,
          ),
        ]),
    ...(known === null ? [] : [card('As recorded', formatValue(known, unit), 'by the recording’s usage')]),
    card(
      'Points tried',
      formatCount(swept.length + discarded.length),
      `${discarded.length === 0 ? '' : `${formatCount(discarded.length)} discarded early, `}${formatCounted(compared.length, 'session')}`,
    ),
  ];
}

/** report.html of a sweep or a search: every point can be asked for its numbers and its command. */
export function sweepPage(input: SweepPageInput): StudyPage {
  const { names, swept, axes, compared } = input;
  const constant = names.filter(
    (metric) => new Set(swept.map(({ metrics }) => ownValue(metrics, metric) ?? null)).size === 1,
  );
  const shown = names.filter((metric) => !constant.includes(metric));
  const over = axes.length <= 2 ? [0] : axes.map((_axis, i) => i);
  const baseline = baselineOf(input.asItIs, compared);
  const charts = shown.flatMap((metric) => over.map((axis) => chartOver(input, baseline, metric, axis)));
  const isPaired = swept.some((point) => baseline.difference(point, names[0]!) !== null);
  const notes = [
    isPaired && 'Small numbers are differences to the unchanged scenario, session by session.',
    !isPaired &&
      input.asItIs !== null &&
      'The unchanged scenario did not finish these sessions: there are no differences to it.',
    isPaired &&
      compared.length > 1 &&
      `Bars and ranges show 95 % intervals of these differences over ${compared.length} sessions; a bar that crosses the line “${UNCHANGED}” may be due to chance.`,
    input.discarded.length > 0 &&
      'Grey points were discarded after some sessions. Their values cover only those sessions, so they show the difference to the unchanged scenario on these; points that finished none are only in the table.',
    swept.length > COMMANDS && `The first ${COMMANDS} rows have the command of their run.`,
  ].filter((note) => note !== false);
  return studyPage(
    {
      title: input.title,
      lead: input.conclusion.result,
      advice: input.conclusion.advice,
      cards: cardsOf(input, baseline),
      of: 'point',
      table: pageTable(input, baseline),
      charts: [...charts.filter(({ series }) => series.length > 0), ...tradeoffs(input, baseline)],
      notes,
    },
    'the JSON and CSV files beside it hold the same numbers.',
  );
}

/** What points are held against: the unchanged scenario, over the same sessions. */
interface Baseline {
  /** Its mean over all compared sessions; null if it did not finish them all, or has no value. */
  level(metric: string): number | null;
  /** How a point differs from it over some sessions that both finished; null if there is no such session. */
  difference(point: SweptPoint, metric: string, over?: readonly string[]): Difference | null;
}

/** The unchanged scenario, as what points are held against. */
function baselineOf(runs: VariantRuns | null, compared: readonly string[]): Baseline {
  const finished = runs === null ? [] : finishedOf(runs, compared);
  const isWhole = finished.length > 0 && finished.length === compared.length;
  const records = isWhole ? finished.map((session) => runs!.byTranscript.get(session)!) : [];
  const means = meansOf(records);
  return {
    level: (metric) => ownValue(means, metric) ?? null,
    difference(point, metric, over = compared) {
      if (runs === null || point.completeness.standing === 'apart') return null;
      const paired = { variant: point.runs, baseline: runs, compared: over, kind: 'ranked' as const };
      const found = pairedDifference(findMetric(metric)!, paired);
      return found.pairs === 0 ? null : found;
    },
  };
}
