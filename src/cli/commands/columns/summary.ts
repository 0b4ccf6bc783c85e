import { formatCount, formatCounted, formatValue, printable } from '../../../core/base/format.js';
import { findMetric } from '../../../metrics/registry.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { metricWords } from '../../../report/text/metric-words.js';
import type { CellValue } from '../../../study/result-rows.js';
import { type Ranking, rankPoints, settingsOf } from '../../../study/results/read-results.js';
import type { ResultStore } from '../../../study/results/result-store.js';
import { yieldToEventLoop } from '../../terminal/interrupt.js';

/** What a study came to, in short. */
export interface StudySummary {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly runs: number;
  readonly finished: number;
  readonly failed: number;
  readonly parts: number;
  readonly sessions: readonly string[];
  readonly axes: readonly { readonly path: string; readonly values: number }[];
  readonly best: {
    readonly metric: string;
    /** Sessions that the means are taken over. */
    readonly sessions: number;
    readonly ranked: number;
    readonly points: readonly {
      readonly settings: Readonly<Record<string, CellValue>>;
      readonly value: number;
    }[];
    /** Why no point is best; null if one is. */
    readonly reason: string | null;
  };
}

/** Sums up what is in a folder of a study: counts, and the best points by a metric. */
export async function summarise(
  results: ResultStore,
  metricName: string,
  top: number,
  interrupt: AbortSignal,
): Promise<StudySummary> {
  const { study } = results;
  const metric = findMetric(metricName)!;
  const pause = () => yieldToEventLoop(interrupt);
  const { rows, failed, ...ranking } = await rankPoints(results, metric, top, pause);
  const places = ranking.best.map(({ point }) => point);
  const settings = places.length === 0 ? new Map() : await settingsOf(results, places, pause);
  return {
    id: study.id,
    name: study.name,
    version: study.version,
    runs: study.partition.runs,
    finished: rows,
    failed,
    parts: results.sources().filter(({ kind }) => kind === 'part').length,
    sessions: study.transcripts,
    axes: study.axes,
    best: {
      metric: metricName,
      sessions: ranking.sessions,
      ranked: ranking.ranked,
      points:
        metric.better === null
          ? []
          : ranking.best.map(({ point, value }) => ({ settings: settings.get(point) ?? {}, value })),
      reason: reasonOf(metric.better, ranking),
    },
  };
}

function reasonOf(
  better: string | null,
  { isAlike, isApart, ranked, sessions, best }: Ranking,
): string | null {
  if (better === null) return 'neither higher nor lower is better';
  if (isApart)
    return 'points were run over different sessions; --group with --mean compares settings over them';
  if (sessions === 0) return 'no point finished a session';
  if (ranked === 0) return 'no point finished every session';
  if (!isAlike) return 'points stopped at different calls of a session that none finished';
  return best.length === 0 ? 'no point has a value for it' : null;
}

/** The settings of a point as a command line would give them. */
export function settingsText(settings: Readonly<Record<string, CellValue>>): string {
  return printable(
    Object.entries(settings)
      .map(([path, value]) => `${path}=${value}`)
      .join(', '),
  );
}

/** A summary in lines, without what its conclusion says; `rest` says who makes the runs that are not finished. */
export function summaryLines(summary: StudySummary, rest: string): readonly string[] {
  const { best } = summary;
  const { unit } = findMetric(best.metric)!;
  const open = summary.runs - summary.finished;
  return [
    `${printable(summary.name)}: ${formatCount(summary.finished)} of ${formatCounted(summary.runs, 'run')} in ${formatCounted(summary.parts, 'part')}, study ${summary.id}, ccbench ${summary.version}`,
    open > 0 && `${formatCounted(open, 'run is', 'runs are')} not finished: ${rest}`,
    summary.failed > 0 && `${formatCounted(summary.failed, 'run')} failed; the column error says why`,
    best.reason === null &&
      `best ${metricWords(best.metric)}, mean over ${formatCounted(best.sessions, 'session')}, of ${formatCounted(best.ranked, 'point')} that finished:`,
    ...best.points.map(({ settings, value }) => `  ${formatValue(value, unit)}  ${settingsText(settings)}`),
  ].filter((line) => line !== false);
}

/** What the studies of a folder came to. Of those of one name, as a search makes them, the ones that saw most of its sessions speak. */
export function studiesConclusion(summaries: readonly StudySummary[]): Conclusion {
  const last = summaries.filter((one) =>
    summaries.every((other) => other.name !== one.name || other.sessions.length <= one.sessions.length),
  );
  const isNamesake = (one: StudySummary): boolean =>
    last.some((other) => other !== one && other.name === one.name);
  const conclusions = last.map((one) =>
    studyConclusion(isNamesake(one) ? { ...one, name: `${one.name} (study ${one.id})` } : one),
  );
  const steps = summaries.length - last.length;
  const left = `${formatCounted(steps, 'study', 'studies')} over fewer sessions ${steps === 1 ? 'is an intermediate step' : 'are intermediate steps'}.`;
  return {
    result: [...conclusions.map(({ result }) => result), ...(steps > 0 ? [left] : [])].join(' '),
    advice: [...new Set(conclusions.map(({ advice }) => advice))].join(' '),
  };
}

/** The best point of a study, and what is to be doubted of it. */
export function studyConclusion({ best, runs, finished, name }: StudySummary): Conclusion {
  const { unit } = findMetric(best.metric)!;
  const [first] = best.points;
  const soFar = finished < runs ? ' so far' : '';
  return {
    result:
      first === undefined
        ? `No point of ${name} is best in ${metricWords(best.metric)}${soFar}: ${best.reason}.`
        : `The best ${metricWords(best.metric)} of ${name}${soFar} is ${formatValue(first.value, unit)}, at ${settingsText(first.settings)}.`,
    advice:
      finished < runs
        ? 'The study is not finished: another point may turn out better.'
        : first === undefined
          ? '--best with another metric may rank them; --group with --mean shows means and marks groups with unfinished runs.'
          : 'The best of many points looks better than it is: ccbench tune tests its choice on held-out sessions.',
  };
}
