import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCounted, formatDecimal } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { findMetric } from '../../../metrics/registry.js';
import type { Said } from '../../../report/document/document.js';
import type { ComparisonTable } from '../../../report/page-data/page-data.js';
import { OPEN_LOOP } from '../../../report/text/as-recorded.js';
import { metricWords } from '../../../report/text/metric-words.js';
import { chosenMetrics, SWEPT_METRICS } from '../../../study/chosen-metrics.js';
import { bestRanked, completenessOf, leavesOutMore } from '../../../study/completeness.js';
import { JobRunner } from '../../../study/job-runner.js';
import { type SweptPoint, sweptPoints } from '../../../study/run-rows.js';
import { type Axis, grid } from '../../../study/vary.js';
import type { CommandOptions } from '../../commands.generated.js';
import type { WithSet } from '../../option-values.js';
import { pluggedIn } from '../../runs/with-plugins.js';
import type { CliSession, ExitCode } from '../../session.js';
import { runInterruptible } from '../../terminal/interrupt.js';
import {
  answeredExit,
  completenessNotes,
  meansNotes,
  partialNotes,
  standingJson,
  valuedSessions,
} from './completeness-notes.js';
import {
  closingOf,
  metricCell,
  openPointStudy,
  type PointFindings,
  type PointStudy,
  publish,
  referenceOf,
  rowHead,
} from './point-study.js';
import { costIntervalNotes } from './provider-notes.js';
import { referenceNotes } from './recorded-reference.js';
import { runRows } from './run-rows.js';
import { bestSetting, sweepConclusion } from './study-conclusion.js';

/** Points within this factor of the smallest value are fitted. */
const BAND = 1.05;
const MIN_POINTS = 4;

/** The smallest value of a smooth curve through noisy points. */
interface FittedMinimum {
  readonly x: number;
  readonly y: number;
  readonly points: number;
}

/**
 * Where a parabola through the points near the smallest value has its own: over ln x when `scale` is log. Null when the
 * points do not hold one inside.
 * @internal
 */
export function fitMinimum(
  points: readonly { readonly x: number; readonly y: number }[],
  scale: 'linear' | 'log',
): FittedMinimum | null {
  const usable = points.filter(({ x, y }) => Number.isFinite(y) && (scale === 'linear' || x > 0));
  const lowest = usable.reduce<{ x: number; y: number } | null>(
    (best, point) => (best === null || point.y < best.y ? point : best),
    null,
  );
  if (lowest === null) return null;
  const near = usable.filter(({ y }) => y <= lowest.y + Math.abs(lowest.y) * (BAND - 1));
  if (near.length < MIN_POINTS) return null;
  const place = (x: number): number => (scale === 'log' ? Math.log(x / lowest.x) : x - lowest.x);
  const places = near.map(({ x }) => place(x));
  const span = Math.max(...places.map(Math.abs));
  if (span === 0) return null;
  const sums = [0, 0, 0, 0, 0];
  const values = [0, 0, 0];
  near.forEach(({ y }, i) => {
    let power = 1;
    for (let k = 0; k < 5; k++) {
      sums[k]! += power;
      if (k < 3) values[k]! += power * (y - lowest.y);
      power *= places[i]! / span;
    }
  });
  const [s0, s1, s2, s3, s4] = sums as [number, number, number, number, number];
  const [t0, t1, t2] = values as [number, number, number];
  const base = s0 * (s2 * s4 - s3 * s3) - s1 * (s1 * s4 - s2 * s3) + s2 * (s1 * s3 - s2 * s2);
  if (base === 0) return null;
  const a = (t0 * (s2 * s4 - s3 * s3) - s1 * (t1 * s4 - s3 * t2) + s2 * (t1 * s3 - s2 * t2)) / base;
  const b = (s0 * (t1 * s4 - s3 * t2) - t0 * (s1 * s4 - s3 * s2) + s2 * (s1 * t2 - t1 * s2)) / base;
  const c = (s0 * (s2 * t2 - t1 * s3) - s1 * (s1 * t2 - t1 * s2) + t0 * (s1 * s3 - s2 * s2)) / base;
  if (!(c > 0)) return null;
  const best = -b / (2 * c);
  const scaled = places.map((value) => value / span);
  if (best <= Math.min(...scaled) || best >= Math.max(...scaled)) return null;
  const x = scale === 'log' ? lowest.x * Math.exp(best * span) : lowest.x + best * span;
  return { x, y: lowest.y + a - (b * b) / (4 * c), points: near.length };
}

/** Points that the terminal lists; the files hold all. */
const LISTED_POINTS = 40;

/** `ccbench sweep`: a grid of settings, resumable. */
export const sweepCommand = pluggedIn(sweep);

async function sweep(
  session: CliSession,
  files: readonly string[],
  options: WithSet<CommandOptions['sweep']>,
  opened: OpenPlugins,
): Promise<ExitCode> {
  const names = chosenMetrics(options.metrics, SWEPT_METRICS);
  const study = await openPointStudy(session, 'sweep', files, options, opened, grid);
  const { points, inputs, name, folder } = study;
  const runner = new JobRunner(options);
  try {
    const how = { label: name, runner, store: folder, metrics: names, repeat: study.repeatRun };
    const { runs, ran } = await runRows(session, points, inputs, how);
    const completeness = completenessOf(runs);
    const all = await runInterruptible(session.host.interrupt, () => sweptPoints(points, runs, completeness));
    const swept = all.filter((item) =>
      [...item.runs.byTranscript.values()].some((record) => record !== null),
    );
    if (swept.length === 0) throw new CcbenchError('bad-input', 'no run of the sweep finished');
    // Only the page sets points beside it.
    const beside = { ...how, label: `${name}, unchanged` };
    const asItIs = folder === null ? null : (await runRows(session, [study.base], inputs, beside)).runs[0]!;
    const findings = {
      completeness,
      runs,
      swept,
      discarded: [],
      asItIs,
      names,
      columns: names,
      ...(await referenceOf(study, completeness)),
    };
    await report(session, study, findings, ran);
    return answeredExit(session, runs);
  } finally {
    await runner.close();
  }
}

/** Where a smooth curve through a sweep over one number has its smallest value. */
function fitOf(axes: readonly Axis[], swept: readonly SweptPoint[], metric: string): FittedMinimum | null {
  const [axis] = axes;
  if (axis === undefined || axes.length !== 1 || findMetric(metric)!.better !== 'lower') return null;
  const points = swept.flatMap(({ point, metrics, completeness }) => {
    const x = Number(point.values[0]);
    const y = completeness.standing === 'ranked' ? (ownValue(metrics, metric) ?? null) : null;
    return Number.isFinite(x) && y !== null ? [{ x, y }] : [];
  });
  return fitMinimum(points, axis.scale);
}

type Swept = Omit<PointFindings, 'table' | 'closing' | 'json'>;

function tableOf(
  { name, axes }: PointStudy,
  { names, swept, completeness, runs }: Swept,
  notes: readonly Said[],
): ComparisonTable {
  const ranked = swept.filter((item) => item.completeness.standing === 'ranked');
  // Of several that are equally good none is better than the others.
  const best = new Map(
    names.map((metric) => {
      const values = new Set(ranked.map(({ metrics }) => ownValue(metrics, metric)));
      const first = values.size > 1 ? bestRanked(swept, findMetric(metric)!) : null;
      const all = ranked.map(({ metrics }) => metrics);
      const isSure = first !== null && !leavesOutMore(first.metrics, all, metric);
      return [metric, isSure ? (ownValue(first.metrics, metric) ?? null) : null] as const;
    }),
  );
  const alarms = [
    ...partialNotes(runs, completeness, names),
    ...completenessNotes(completeness, 'point', runs),
  ];
  return {
    caption: `${name}: ${axes.map(({ path }) => path).join(' × ')}`,
    alarms,
    columns: names.map(metricWords),
    metrics: names,
    rows: swept.map((item) => ({
      ...rowHead(item, completeness),
      cells: names.map((metric) => {
        const value = ownValue(item.metrics, metric) ?? null;
        const isRanked = item.completeness.standing === 'ranked';
        return metricCell(item.metrics, metric, isRanked && value !== null && value === best.get(metric));
      }),
    })),
    notes: [...meansNotes(completeness), ...alarms, ...notes.filter((note) => note !== false)],
  };
}

async function report(session: CliSession, study: PointStudy, found: Swept, ran: number): Promise<void> {
  const { axes } = study;
  const { names, swept, completeness } = found;
  const [metric] = names as [string];
  const best = bestRanked(swept, findMetric(metric)!);
  const value = ownValue(best?.metrics, metric) ?? null;
  const fit = fitOf(axes, swept, metric);
  const conclusion = sweepConclusion(
    metric,
    best === null ? null : bestSetting(best, swept, metric),
    completeness,
    valuedSessions(found.runs, completeness, metric),
  );
  const table = tableOf(study, found, [
    ...(best !== null && metric === 'costUsd'
      ? costIntervalNotes('the best point', best.metrics, completeness.compared.length)
      : []),
    fit !== null &&
      `a curve through the ${fit.points} points near it has its minimum at ${axes[0]!.path}=${formatDecimal(fit.x, fit.x >= 100 ? 0 : 2)}`,
    ...referenceNotes(found.recorded, names),
    OPEN_LOOP,
    ...found.assumed,
  ]);
  const bestAt = best === null ? -1 : swept.indexOf(best);
  const rows = table.rows.filter((_, i) => i < LISTED_POINTS || i === bestAt);
  const more = table.rows.length - rows.length;
  const notes = more > 0 ? [leftOutNote(more, bestAt), ...table.notes] : table.notes;
  const findings = {
    ...found,
    table,
    closing: closingOf(study, conclusion, best),
    json: (standings: object) => ({
      axes: axes.map(({ path, values, scale }) => ({ path, values, scale })),
      points: swept.map((item) => ({
        settings: item.point.settings,
        ...standingJson(item.completeness),
        metrics: item.metrics,
        runs: [...item.runs.byTranscript].flatMap(([transcript, metrics]) =>
          metrics === null ? [] : [{ transcript, metrics }],
        ),
      })),
      best:
        best === null
          ? null
          : { metric, settings: best.point.settings, value, command: study.repeat(best.point) },
      ...standings,
      fitted: fit === null ? null : { metric, path: axes[0]!.path, ...fit },
    }),
  };
  await publish(session, study, findings, { ...table, rows, notes }, { ran });
}

/** Says what the table of a large sweep leaves out. */
function leftOutNote(more: number, bestAt: number): string {
  const best = bestAt >= LISTED_POINTS ? '; the last row is the best of all' : '';
  return `… and ${formatCounted(more, 'more point')}${best}`;
}
