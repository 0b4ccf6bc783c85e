import { formatValue } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { meanInterval } from '../../../core/base/stats.js';
import { findMetric } from '../../../metrics/registry.js';
import { distinctColor } from '../../../report/charts/palette.js';
import { axisTitle } from '../../../report/charts/sweep-point.js';
import { studyHtml } from '../../../report/html/study-html.js';
import type { ComparisonTable } from '../../../report/page-data/page-data.js';
import type {
  StudyAxis,
  StudyChart,
  StudyPoint,
  StudySeries,
} from '../../../report/page-data/study-page-data.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { finishedOf } from '../../../study/completeness.js';
import type { MetricRecord } from '../../../study/job.js';
import type { Point } from '../../../study/point.js';
import type { SweptPoint } from '../../../study/run-rows.js';
import type { Axis } from '../../../study/vary.js';
import { axisOf, isCompletion, isNumeric, lineMark, metricAxis } from './study-axes.js';

/** What the page of a sweep or a search is made from. */
export interface SweepPageInput {
  readonly name: string;
  readonly conclusion: Conclusion;
  readonly axes: readonly Axis[];
  /** Metrics with a chart. */
  readonly names: readonly string[];
  /** In the order of the rows of the table. */
  readonly swept: readonly SweptPoint[];
  readonly table: ComparisonTable;
  /** Sessions that means are taken over. */
  readonly compared: readonly string[];
  /** Means of what was recorded; null where it is not known. */
  readonly recorded: MetricRecord | null;
  repeat(point: Point): string;
}

/** Share of samples whose interval holds the true mean. */
const COVERAGE = 0.95;

/** Rows with a command: to work one out compiles the scenario. */
const COMMANDS = 300;

/** Values of a second axis that lines are drawn for. */
const MOST_LINES = 8;

/** Where the mean of a metric over the compared sessions lies, as far as such a mean can lie there; null for fewer than two. */
function intervalAt({ runs }: SweptPoint, compared: readonly string[], metric: string) {
  if (isCompletion(metric)) return null;
  const values = finishedOf(runs, compared).flatMap(
    (session) => ownValue(runs.byTranscript.get(session), metric) ?? [],
  );
  const interval = values.length < compared.length ? null : meanInterval(values, COVERAGE);
  if (interval === null) return null;
  const least = values.some((value) => value < 0) ? Number.NEGATIVE_INFINITY : 0;
  const most =
    findMetric(metric)!.unit === 'share' && values.every((value) => value <= 1)
      ? 1
      : Number.POSITIVE_INFINITY;
  return { low: Math.max(least, interval.low), high: Math.min(most, interval.high) };
}

function parameterAxis(axis: Axis): StudyAxis {
  const title = axisTitle(axisOf(axis));
  if (isNumeric(axis)) {
    const isLog = axis.scale === 'log' && axis.values.every((value) => Number(value) > 0);
    return { title, unit: null, scale: isLog ? 'log' : 'linear' };
  }
  return { title, unit: null, scale: 'linear', names: axis.values };
}

function valueAxis(metric: string): StudyAxis {
  const axis = metricAxis(metric);
  return { title: axisTitle(axis), unit: axis.unit, scale: 'linear' };
}

function placeOn(axis: Axis, value: string): number {
  return isNumeric(axis) ? Number(value) : axis.values.indexOf(value);
}

/** Index of the row that the table marks as best in a column; −1 for none. */
function bestRow({ rows, columns }: ComparisonTable, metric: string): number {
  const column = columns.indexOf(metric);
  return rows.findIndex(({ cells }) => cells[column]?.mark === 'best');
}

function pointsOf(
  input: SweepPageInput,
  metric: string,
  at: (point: Point) => number | null,
): readonly StudyPoint[] {
  const best = bestRow(input.table, metric);
  return input.swept.flatMap((swept, row) => {
    const y = ownValue(swept.metrics, metric) ?? null;
    const x = at(swept.point);
    if (y === null || x === null) return [];
    const interval = intervalAt(swept, input.compared, metric);
    const { mark } = isCompletion(metric) ? {} : lineMark(swept.completeness);
    return [
      {
        x,
        y,
        row,
        ...(interval === null ? {} : interval),
        ...(mark === undefined ? (row === best ? { mark: 'best' as const } : {}) : { mark }),
      },
    ];
  });
}

/** A metric over the first axis, with a line for each value of the second; over more axes, dots over one of them. */
function chartOver(input: SweepPageInput, metric: string, over: number): StudyChart {
  const { axes } = input;
  const axis = axes[over]!;
  const second = axes.length === 2 && over === 0 && axes[1]!.values.length <= MOST_LINES ? axes[1]! : null;
  const values = second === null ? [null] : second.values;
  const isLine = axes.length === 1 || second !== null;
  const series: StudySeries[] = values.map((value, i) => ({
    name: value === null ? metric : `${second!.path} = ${value}`,
    color: distinctColor(i),
    drawn: isLine && isNumeric(axis) ? 'line' : 'dots',
    points: [
      ...pointsOf(input, metric, (point) =>
        value === null || point.values[1] === value ? placeOn(axis, point.values[over]!) : null,
      ),
    ].sort((a, b) => (isLine ? a.x - b.x : 0)),
  }));
  const level = ownValue(input.recorded, metric) ?? null;
  return {
    title: `${metric} over ${axis.path}`,
    x: parameterAxis(axis),
    y: valueAxis(metric),
    series: series.filter(({ points }) => points.length > 0),
    ...(level === null ? {} : { guide: { name: 'as recorded', y: level } }),
  };
}

/** Cost against what the model still sees. */
function tradeOff({ swept }: SweepPageInput): readonly StudyChart[] {
  const points = swept.flatMap(({ metrics, completeness }, row): StudyPoint[] => {
    const { costUsd, contentRetention } = metrics;
    if (costUsd == null || contentRetention == null) return [];
    return [{ x: costUsd, y: contentRetention, row, ...lineMark(completeness) }];
  });
  const isFlat = (values: readonly number[]): boolean => new Set(values).size < 2;
  if (isFlat(points.map(({ x }) => x)) || isFlat(points.map(({ y }) => y))) return [];
  return [
    {
      title: 'What it costs, and what the model still sees',
      x: valueAxis('costUsd'),
      y: valueAxis('contentRetention'),
      series: [{ name: 'settings', color: distinctColor(0), drawn: 'dots', points }],
    },
  ];
}

/** The table with what only a page shows: intervals of means, and the commands of the first rows. */
function pageTable(input: SweepPageInput): ComparisonTable {
  const { table, swept, compared } = input;
  return {
    ...table,
    rows: table.rows.map((row, i) => ({
      ...row,
      ...(i < COMMANDS ? { command: input.repeat(swept[i]!.point) } : {}),
      cells: row.cells.map((cell, column) => {
        const metric = findMetric(table.metrics?.[column] ?? '');
        const interval = metric === null ? null : intervalAt(swept[i]!, compared, metric.name);
        if (metric === null || interval === null) return cell;
        const { low, high } = interval;
        return { ...cell, interval: `${formatValue(low, metric.unit)} … ${formatValue(high, metric.unit)}` };
      }),
    })),
  };
}

/** report.html of a sweep or a search: every point can be asked for its numbers and its command. */
export function sweepHtml(input: SweepPageInput): string {
  const { names, swept, axes, compared } = input;
  const constant = names.filter(
    (metric) => new Set(swept.map(({ metrics }) => ownValue(metrics, metric) ?? null)).size === 1,
  );
  const shown = names.filter((metric) => !constant.includes(metric));
  const over = axes.length <= 2 ? [0] : axes.map((_axis, i) => i);
  const charts = shown.flatMap((metric) => over.map((axis) => chartOver(input, metric, axis)));
  const same = constant.flatMap((metric) => {
    const value = ownValue(swept[0]?.metrics, metric) ?? null;
    return value === null ? [] : [`${metric} ${formatValue(value, findMetric(metric)!.unit)}`];
  });
  const notes = [
    ...(same.length === 0 ? [] : [`The same everywhere: ${same.join(', ')}.`]),
    ...(compared.length < 2
      ? []
      : [
          `Bars and small numbers are 95 % intervals of means over ${compared.length} sessions. They end where no mean can lie, and hold how sessions differ from each other, so points may differ surely though their bars overlap; ccbench compare pairs sessions.`,
        ]),
    ...(swept.length > COMMANDS ? [`The first ${COMMANDS} rows have the command of their run.`] : []),
  ];
  return studyHtml(
    {
      title: input.name,
      lead: input.conclusion.result,
      advice: input.conclusion.advice,
      of: 'point',
      table: pageTable(input),
      charts: [...charts.filter(({ series }) => series.length > 0), ...tradeOff(input)],
      notes,
    },
    'the JSON and CSV files beside it hold the same numbers.',
  );
}
