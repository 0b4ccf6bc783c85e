import { join, resolve } from 'node:path';
import { ownValue } from '../../../core/base/own-value.js';
import type { NamedChart } from '../../../report/charts/chart-spec.js';
import type { PagePicture } from '../../../report/page-data/page-data.js';
import { unwritable, writeWhole } from '../../../study/results/part-file.js';
import { openRunStore, type RunStore } from '../../../study/results/run-store.js';
import { pagesWritten } from '../../files/last-page.js';
import { type CliSession, warnUnwritten } from '../../session.js';
import { packageVersion } from '../../version.js';
import { axisOf, costCharts, isCompletion, isNumeric, lineMark, metricAxis } from './study-axes.js';
import type { SweepPageInput } from './sweep-page.js';

/** The page of a study, in its report folder. */
export const STUDY_PAGE = 'report.html';

/** Where the files of a report go. */
interface FileSink {
  write(folder: string, name: string, text: string): Promise<void>;
}

/** The report folder of a sweep or a search. Results stay; everything else is replaced. */
export interface StudyFolder extends RunStore, FileSink {
  /** As the user would write it. */
  readonly shown: string;
  /** Whether everything so far is written. */
  isWritten(): boolean;
}

/** What helps where the folder cannot be written. */
const ELSEWHERE = 'choose another folder with --out, or --no-files';

/**
 * Opens the report folder of a sweep or a search, with the runs that earlier starts finished. Where it cannot be written, now or later, that
 * costs a warning, and nothing more is written.
 */
export function openStudyFolder(session: CliSession, root: string, name: string): StudyFolder | null {
  const shown = join(root, name);
  const folder = resolve(session.host.cwd, root, name);
  let isLost = false;
  const attempt = <Value>(act: () => Value): Value | null => {
    if (isLost) return null;
    try {
      return act();
    } catch (error) {
      isLost = true;
      warnUnwritten(session, '--out', error);
      return null;
    }
  };
  const store = attempt(() =>
    openRunStore(folder, shown, { program: packageVersion(), elsewhere: ELSEWHERE }),
  );
  if (store === null) return null;
  return {
    shown,
    ...store,
    append: (result) => attempt(() => store.append(result)) ?? undefined,
    sort: () => attempt(() => store.sort()) ?? undefined,
    isWritten: () => !isLost,
    async write(below, file, text) {
      const path = join(folder, below, file);
      attempt(() => writeWhole(path, text, (error) => unwritable(shown, error, ELSEWHERE)));
      if (!isLost) pagesWritten([path]);
    },
  };
}

/** Pictures of a study: the specification and its SVG, written below `charts`. */
export async function writeCharts(
  folder: FileSink,
  charts: readonly NamedChart[],
): Promise<readonly PagePicture[]> {
  if (charts.length === 0) return [];
  const [{ chartJson, narrowSpec }, { renderSvg }] = await Promise.all([
    import('../../../report/charts/chart-spec.js'),
    import('../../../report/charts/render.js'),
  ]);
  const pictures: PagePicture[] = [];
  for (const { name, spec } of charts) {
    const svg = await renderSvg(spec);
    await folder.write('charts', `${name}.vl.json`, chartJson(spec));
    await folder.write('charts', `${name}.svg`, svg);
    pictures.push({ title: spec.title.text, svg, narrow: await renderSvg(narrowSpec(spec)) });
  }
  return pictures;
}

/** A value as the text of a JSON file. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Lines for one number, lines per value or a heat map for two, and cost against kept content or faults. */
async function chartsOf({ name, axes, names, swept }: SweepPageInput): Promise<readonly NamedChart[]> {
  const { sweepLine, sweepHeatmap } = await import('../../../report/charts/sweep-heatmap.js');
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
export async function writeSweepReport(folder: StudyFolder, report: SweepPageInput): Promise<void> {
  await writeCharts(folder, await chartsOf(report));
  const { sweepHtml } = await import('./sweep-page.js');
  await folder.write('', STUDY_PAGE, sweepHtml(report));
}
