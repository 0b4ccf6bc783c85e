import { paramSpecs } from '../../../policies/catalogue.js';
import type { NamedChart } from '../../../report/charts/chart-spec.js';
import type { ComparisonTable } from '../../../report/page-data.js';
import type { VariantCompleteness } from '../../../study/completeness.js';
import type { Axis } from '../../../study/vary.js';
import { metricAxis, pointMark } from './compare-report.js';
import type { SweptPoint } from './points.js';
import { writeCharts } from './study-files.js';
import type { SweepFolder } from './sweep-folder.js';

/** What the pictures of a sweep are made from. */
export interface SweepReport {
  readonly name: string;
  readonly axes: readonly Axis[];
  readonly names: readonly string[];
  readonly swept: readonly SweptPoint[];
  readonly table: ComparisonTable;
}

/** How far points came: nothing is best in it, and there is nothing to show where all came as far. */
const COMPLETION = new Set(['finishedShare', 'callsLost']);

function axisOf({ path }: Axis) {
  return { name: path, unit: paramSpecs().find((spec) => spec.path === path)?.unit ?? null };
}

function isNumeric(axis: Axis): boolean {
  return axis.values.every((value) => Number.isFinite(Number(value)));
}

/** The mark of a point beside a line: points over different sessions are not ranked, but finished. */
function lineMark(completeness: VariantCompleteness): { readonly mark?: 'unranked' } {
  return completeness.unfinished.length === 0 ? {} : pointMark(completeness);
}

/** Lines for one number, lines per value or a heat map for two, and cost against kept content. */
async function chartsOf({ name, axes, names, swept }: SweepReport): Promise<readonly NamedChart[]> {
  const [{ sweepLine }, { sweepHeatmap }, { pareto }] = await Promise.all([
    import('../../../report/charts/sweep-line.js'),
    import('../../../report/charts/sweep-heatmap.js'),
    import('../../../report/charts/pareto.js'),
  ]);
  const charts: NamedChart[] = [];
  const [first, second] = axes;
  const isRanked = swept.some(({ completeness }) => completeness.standing === 'ranked');
  for (const metric of names) {
    const shown = swept.filter(({ metrics }) => (metrics[metric] ?? null) !== null);
    if (first === undefined || shown.length < 2) continue;
    const isCompletion = COMPLETION.has(metric);
    if (isCompletion && new Set(shown.map(({ metrics }) => metrics[metric])).size === 1) continue;
    const axis = isCompletion || !isRanked ? { ...metricAxis(metric), better: null } : metricAxis(metric);
    const markOf = isCompletion ? () => ({}) : lineMark;
    if (!isCompletion && shown.every(({ completeness }) => lineMark(completeness).mark !== undefined))
      continue;
    if (axes.length === 1 && isNumeric(first)) {
      const points = swept.map(({ point, metrics, completeness }) => ({
        x: Number(point.values[0]),
        y: metrics[metric] ?? null,
        ...markOf(completeness),
      }));
      const spec = sweepLine({
        parameter: axisOf(first),
        metric: axis,
        scale: first.scale,
        points,
        subtitle: name,
      });
      charts.push({ name: `sweep-${metric}`, spec });
    } else if (axes.length === 2 && second !== undefined) {
      const cells = swept.map(({ point, metrics, completeness }) => ({
        x: numberOrText(point.values[0]!),
        y: numberOrText(point.values[1]!),
        value: metrics[metric] ?? null,
        ...markOf(completeness),
      }));
      const spec = sweepHeatmap({
        x: axisOf(first),
        y: axisOf(second),
        metric: axis,
        cells,
        subtitle: name,
      });
      charts.push({ name: `sweep-${metric}`, spec });
    }
  }
  const points = swept.flatMap(({ point, metrics, completeness }) => {
    const { costUsd, keptContentShare } = metrics;
    if (costUsd == null || keptContentShare == null) return [];
    return [{ label: point.values.join(' '), x: costUsd, y: keptContentShare, ...pointMark(completeness) }];
  });
  if (points.length >= 2 && isRanked) {
    const [x, y] = [metricAxis('costUsd'), metricAxis('keptContentShare')];
    charts.push({ name: 'cost-against-kept', spec: pareto({ x, y, points, subtitle: name }) });
  }
  return charts;
}

function numberOrText(value: string): number | string {
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

/** Charts and report.html of a sweep. */
export async function writeSweepReport(folder: SweepFolder, report: SweepReport): Promise<void> {
  const pictures = await writeCharts(folder, await chartsOf(report));
  const { reportHtml } = await import('../../../report/report-html.js');
  const html = reportHtml({ title: report.name, runs: [], comparison: report.table, pictures });
  await folder.write('', 'report.html', html);
}
