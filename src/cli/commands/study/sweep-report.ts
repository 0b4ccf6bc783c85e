import { ownValue } from '../../../core/base/own-value.js';
import type { NamedChart } from '../../../report/charts/chart-spec.js';
import { axisOf, costCharts, isCompletion, isNumeric, lineMark, metricAxis } from './study-axes.js';
import { STUDY_PAGE, type StudyFolder, writeCharts } from './study-files.js';
import type { SweepPageInput } from './sweep-page.js';

/** What the pictures of a sweep are made from. */
export type SweepReport = SweepPageInput;

/** Lines for one number, lines per value or a heat map for two, and cost against kept content or faults. */
async function chartsOf({ name, axes, names, swept }: SweepReport): Promise<readonly NamedChart[]> {
  const [{ sweepLine }, { sweepHeatmap }] = await Promise.all([
    import('../../../report/charts/sweep-line.js'),
    import('../../../report/charts/sweep-heatmap.js'),
  ]);
  const charts: NamedChart[] = [];
  const [first, second] = axes;
  const isRanked = swept.some(({ completeness }) => completeness.standing === 'ranked');
  for (const metric of names) {
    const shown = swept.filter(({ metrics }) => (ownValue(metrics, metric) ?? null) !== null);
    if (first === undefined || shown.length < 2) continue;
    const ofCompletion = isCompletion(metric);
    if (ofCompletion && new Set(shown.map(({ metrics }) => ownValue(metrics, metric))).size === 1) continue;
    const axis = ofCompletion || !isRanked ? { ...metricAxis(metric), better: null } : metricAxis(metric);
    const markOf = ofCompletion ? () => ({}) : lineMark;
    if (!ofCompletion && shown.every(({ completeness }) => lineMark(completeness).mark !== undefined))
      continue;
    if (axes.length === 1 && isNumeric(first)) {
      const points = swept.map(({ point, metrics, completeness }) => ({
        x: Number(point.values[0]),
        y: ownValue(metrics, metric) ?? null,
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
        value: ownValue(metrics, metric) ?? null,
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
  const rows = swept.map(({ point, ...own }) => ({ ...own, label: point.values.join(' ') }));
  return [...charts, ...(await costCharts(rows, name))];
}

function numberOrText(value: string): number | string {
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

/** Charts and report.html of a sweep. */
export async function writeSweepReport(folder: StudyFolder, report: SweepReport): Promise<void> {
  await writeCharts(folder, await chartsOf(report));
  const { sweepHtml } = await import('./sweep-page.js');
  await folder.write('', STUDY_PAGE, sweepHtml(report));
}
