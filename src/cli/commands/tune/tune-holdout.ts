import { formatCount, formatCounted, formatShare, formatValue } from '../../../core/base/format.js';
import { holds } from '../../../metrics/expect.js';
import { findMetric } from '../../../metrics/registry.js';
import type { MetricRecord } from '../../../study/job.js';
import { type Halves, type OutOfSample, outOfSample, type Saving } from '../../../study/out-of-sample.js';
import { type Point, runKey } from '../../../study/point.js';
import type { StoredResult } from '../../../study/results-file.js';
import type { Goal } from '../../../study/trial.js';
import type { CliSession } from '../../session.js';
import type { PlannedPoint } from '../study/points.js';
import { type Elsewhere, runPoints } from '../study/run-points.js';
import type { StudyInputs } from '../study/study-inputs.js';
import type { SweepFolder } from '../study/sweep-folder.js';

/** What is needed to try a setting on sessions that the search did not see. */
export interface HoldoutTrial {
  readonly session: CliSession;
  readonly goal: Goal;
  readonly inputs: StudyInputs;
  readonly workers: number | undefined;
  readonly folder: SweepFolder | null;
  readonly label: string;
  readonly globbed: boolean;
  /** The settings that are varied. */
  readonly paths: readonly string[];
  /** Where the runs are made; null for here. */
  readonly elsewhere: Elsewhere | null;
  repeat(point: Point, recordings: readonly string[] | null): string;
}

/** Inputs with some of their sessions. */
export function onlySessions(inputs: StudyInputs, labels: readonly string[]): StudyInputs {
  const kept = new Set(labels);
  return {
    ...inputs,
    sessions: inputs.sessions.filter((label) => kept.has(label)),
    transcripts: inputs.transcripts.filter(({ label }) => kept.has(label)),
  };
}

/** Runs the scenario as it is and the best setting over all sessions, and holds the promise of the search against the outcome. */
export async function tryHeldOut(
  trial: HoldoutTrial,
  halves: Halves,
  base: Point,
  tuned: Point,
): Promise<OutOfSample> {
  const { goal, inputs } = trial;
  const wanted = [goal.metric, ...goal.constraints.map(({ metric }) => metric)];
  const planOf = (point: Point): readonly PlannedPoint[] =>
    point.runs.flatMap(({ plan, transcript: ref }) => {
      const transcript = inputs.of(ref);
      if (transcript === null) return [];
      return {
        point,
        transcript: transcript.label,
        recording: trial.globbed ? transcript.path : null,
        job: { plan, transcript: transcript.input.key, share: 1, metrics: wanted },
      };
    });
  const planned = { base: planOf(base), tuned: planOf(tuned) };
  const made = await madeElsewhere(trial, tuned, wanted);
  const { found } = await runPoints(trial.session, [...planned.base, ...planned.tuned], inputs, {
    label: trial.label,
    workers: trial.workers,
    folder: trial.folder,
    metrics: wanted,
    ...(made === null ? {} : { made }),
    commandOf: ({ point, recording }) => trial.repeat(point, recording === null ? null : [recording]),
  });
  const recordsOf = (list: readonly PlannedPoint[]): ReadonlyMap<string, MetricRecord | null> =>
    new Map(list.map(({ transcript, job }) => [transcript, found.get(runKey(job))?.metrics ?? null]));
  const runs = { base: recordsOf(planned.base), tuned: recordsOf(planned.tuned) };
  const broken = goal.constraints.filter((rule) =>
    halves.heldOut.some((label) => {
      const record = runs.tuned.get(label) ?? null;
      return record !== null && !holds(rule, record[rule.metric] ?? null);
    }),
  );
  return outOfSample(
    halves,
    { ...runs, metric: goal.metric, sign: goal.sign },
    broken.map(({ text }) => text),
  );
}

/** The scenario as it is and the best setting, each over all sessions, made by other machines where there are some. */
async function madeElsewhere(
  { elsewhere, paths, inputs, label }: HoldoutTrial,
  tuned: Point,
  wanted: readonly string[],
): Promise<readonly StoredResult[] | null> {
  if (elsewhere === null) return null;
  const work = { sessions: inputs.sessions, share: 1 };
  const base = await elsewhere({ paths: [], points: [[]], ...work }, wanted, label);
  return [...base, ...(await elsewhere({ paths, points: [tuned.values], ...work }, wanted, label))];
}

function savingText(saving: Saving | null, metric: string, meanOf: string): string {
  if (saving === null) return 'nothing to compare';
  const { unit } = findMetric(metric)!;
  const share = saving.share === null ? '' : ` (${formatShare(saving.share)})`;
  const interval =
    saving.low === null || saving.high === null
      ? ''
      : `, 95 % interval for the mean of ${meanOf} ${formatValue(saving.low, unit)} to ${formatValue(saving.high, unit)}`;
  return `${formatValue(saving.mean, unit)} a session${share}${interval}, over ${formatCounted(saving.sessions, 'session')}`;
}

/** The promise and the outcome in lines. */
export function holdoutNotes(result: OutOfSample, metric: string): readonly string[] {
  const { promised, realised, isWithin } = result;
  return [
    `searched on ${formatCounted(result.searched.length, 'session')}, tried on ${result.heldOut.length} others, against the scenario as it is (${metric}):`,
    `  promised saving: ${savingText(promised, metric, `the ${formatCount(realised?.sessions ?? result.heldOut.length)} others`)}`,
    `  realised saving: ${savingText(realised, metric, 'such sessions')}`,
    ...(isWithin === null
      ? []
      : [`  the realised saving lies ${isWithin ? 'within' : 'outside'} the promised interval`]),
  ];
}
