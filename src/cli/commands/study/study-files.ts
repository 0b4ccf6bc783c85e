import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ownValue } from '../../../core/base/own-value.js';
import type { NamedChart } from '../../../report/charts/chart-spec.js';
import { sweepHeatmap } from '../../../report/charts/sweep-heatmap.js';
import { type FileContent, unwritable, writeWhole } from '../../../study/results/part-file.js';
import { openRunStore, type RunStore } from '../../../study/results/run-store.js';
import { pagesWritten } from '../../files/last-page.js';
import { packageVersion } from '../../host.js';
import { type CliSession, warnUnwritten } from '../../session.js';
import type { PictureOptions } from '../../terminal/report-pictures.js';
import { axisOf, isCompletion, lineMark, metricAxis } from './study-axes.js';
import type { SweepPageInput } from './sweep-page.js';

/** The page of a study, in its report folder. */
export const STUDY_PAGE = 'report.html';

/** The report folder of a sweep or a search. Results stay; everything else is replaced. */
export interface StudyFolder extends RunStore {
  /** As the user would write it. */
  readonly shown: string;
  /** Whether everything so far is written. */
  isWritten(): boolean;
  write(folder: string, name: string, content: FileContent): Promise<void>;
  /** Removes what is below it under a name. */
  remove(folder: string): void;
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
    remove(below) {
      attempt(() => rmSync(join(folder, below), { recursive: true, force: true }));
    },
    async write(below, file, content) {
      const path = join(folder, below, file);
      attempt(() => writeWhole(path, content, (error) => unwritable(shown, error, ELSEWHERE)));
      if (!isLost) pagesWritten([path]);
    },
  };
}

/** A heat map of each metric over two settings, which no page draws. */
function heatMaps({ name, axes, names, swept }: SweepPageInput): readonly NamedChart[] {
  const [first, second] = axes;
  if (axes.length !== 2 || first === undefined || second === undefined) return [];
  const isRanked = swept.some(({ completeness }) => completeness.standing === 'ranked');
  return names.flatMap((metric) => {
    const isOfCompletion = isCompletion(metric);
    const values = swept.map(({ metrics }) => ownValue(metrics, metric) ?? null);
    if (new Set(values.filter((value) => value !== null)).size < 2) return [];
    const cells = swept.map(({ point, completeness }, i) => ({
      x: numberOrText(point.values[0]!),
      y: numberOrText(point.values[1]!),
      value: values[i]!,
      ...(isOfCompletion ? {} : lineMark(completeness)),
    }));
    if (!isOfCompletion && cells.every(({ mark }) => mark !== undefined)) return [];
    const axis = metricAxis(metric);
    const shown = isOfCompletion || !isRanked ? { ...axis, better: null } : axis;
    const spec = sweepHeatmap({
      x: axisOf(first),
      y: axisOf(second),
      metric: shown,
      cells,
      subtitle: name,
    });
    return [{ name: `heat-map-${metric}`, spec }];
  });
}

function numberOrText(value: string): number | string {
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

/** report.html of a sweep, and its charts if requested; none of an earlier sweep stays. */
export async function writeSweepReport(
  { host }: CliSession,
  folder: StudyFolder,
  report: SweepPageInput,
  options: PictureOptions,
): Promise<void> {
  const { chartFiles, pageFiles } = await import('../../terminal/report-pictures.js');
  const { sweepPage } = await import('./sweep-page.js');
  folder.remove('charts');
  const files = [
    chartFiles(() => heatMaps(report), options, host.interrupt),
    pageFiles(STUDY_PAGE, sweepPage(report), options, host.interrupt),
  ];
  for (const some of files)
    for await (const { folder: below, name, content } of some) await folder.write(below, name, content);
}
