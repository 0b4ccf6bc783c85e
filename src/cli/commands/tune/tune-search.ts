import { CcbenchError } from '../../../core/base/errors.js';
import { chosenMetric, rulesOf } from '../../../study/chosen-metrics.js';
import { brokenRules, type Completeness, type VariantRuns } from '../../../study/completeness.js';
import type { JobRunner } from '../../../study/job-runner.js';
import type { StoredResult } from '../../../study/kept-runs.js';
import {
  type Halves,
  type InSample,
  inSampleOf,
  type OutOfSample,
  outOfSample,
} from '../../../study/out-of-sample.js';
import type { Point } from '../../../study/point.js';
import type { SweptPoint } from '../../../study/run-rows.js';
import { type Candidate, chosenOf, type Goal, judge, type Trial } from '../../../study/search.js';
import type { SearchStep } from '../../../study/vary.js';
import type { CommandOptions } from '../../commands.generated.js';
import type { CliSession } from '../../session.js';
import type { PointStudy } from '../study/point-study.js';
import { runRows } from '../study/run-rows.js';
import type { StudyInputs } from '../study/study-inputs.js';

/** The options that say what a search wants. */
type GoalOptions = Pick<CommandOptions['tune'], 'minimise' | 'maximise' | 'subjectTo'>;

/** The metric that a search minimises by default. */
const USUAL_GOAL = 'costUsd';

/** What a search wants, as the command line says it. */
export function goalOf(options: GoalOptions): Goal {
  const { minimise, maximise } = options;
  if (minimise !== undefined && maximise !== undefined)
    throw new CcbenchError('bad-usage', '--minimise and --maximise cannot be combined', {
      hint: 'leave out one of them, and limit the other metric with --subject-to',
    });
  const option = maximise === undefined ? '--minimise' : '--maximise';
  const metric = chosenMetric(minimise ?? maximise ?? USUAL_GOAL, option).name;
  return { metric, sign: maximise === undefined ? 1 : -1, constraints: rulesOf(options.subjectTo) };
}

/** Has other machines make the runs of a step, and waits for them; a run that failed there is not among the results. */
export type RemoteRunner = (
  step: SearchStep,
  metrics: readonly string[],
  label: string,
) => Promise<readonly StoredResult[]>;

/** A search that is under way. */
export interface Search {
  readonly session: CliSession;
  readonly study: PointStudy;
  readonly goal: Goal;
  readonly runner: JobRunner;
  /** Where the runs are made; null for here. */
  readonly remote: RemoteRunner | null;
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

/** Runs points over sessions, here or on other machines. */
async function tryPoints(
  { session, study, goal, runner, remote }: Search,
  points: readonly Point[],
  inputs: StudyInputs,
  label: string,
): Promise<readonly VariantRuns[]> {
  const metrics = [goal.metric, ...goal.constraints.map(({ metric }) => metric)];
  const paths = points.every(({ values }) => values.length === 0) ? [] : study.axes.map(({ path }) => path);
  const step = { paths, points: points.map(({ values }) => values), sessions: inputs.sessions };
  const { runs } = await runRows(session, points, inputs, {
    label,
    runner,
    store: study.folder,
    metrics,
    ...(remote === null ? {} : { made: await remote(step, metrics, label) }),
    repeat: study.repeatRun,
  });
  return runs;
}

/** A setting that was tried, with what came of it. */
export interface Tried extends SweptPoint {
  readonly trial: Trial;
}

/** What came of a rung. */
export interface JudgedRung {
  readonly completeness: Completeness;
  readonly tried: readonly Tried[];
}

/** Runs the settings of a rung over its sessions, and judges them. */
export async function runRung(
  search: Search,
  inputs: StudyInputs,
  candidates: readonly Candidate[],
  label: string,
): Promise<JudgedRung> {
  const points = candidates.map(({ index }) => search.study.points[index]!);
  const runs = await tryPoints(search, points, inputs, label);
  const { completeness, tried } = judge(
    candidates.map((candidate, i) => ({ candidate, ...runs[i]! })),
    search.goal,
  );
  return { completeness, tried: tried.map((each, i) => ({ ...each, point: points[i]!, runs: runs[i]! })) };
}

/** Runs the unchanged scenario. */
export async function tryAsItIs(search: Search): Promise<VariantRuns> {
  const { study } = search;
  const [runs] = await tryPoints(search, [study.base], study.inputs, `${study.name}, unchanged`);
  return runs!;
}

/** Holds the optimum against the unchanged scenario. */
export function tryInSample({ goal, study }: Search, { runs }: Tried, base: VariantRuns): InSample {
  const compared = { ...goal, base: base.byTranscript, optimum: runs.byTranscript };
  return inSampleOf(compared, study.inputs.sessions);
}

/** Holds what one half of the sessions would choose against what comes of it on the other. */
export function tryHeldOut(
  { goal }: Search,
  halves: Halves,
  tried: readonly Tried[],
  optimum: Tried,
  base: VariantRuns,
): OutOfSample {
  const seen = new Set(halves.searched);
  const half = tried.map(({ trial, runs: { name, byTranscript } }) => ({
    candidate: trial.candidate,
    name,
    byTranscript: new Map([...byTranscript].filter(([session]) => seen.has(session))),
  }));
  const judged = judge(half, goal).tried;
  const first = chosenOf(judged, goal);
  const chosen = first === null ? null : tried[judged.indexOf(first)]!;
  const unseen = new Map([...(chosen?.runs.byTranscript ?? [])].filter(([session]) => !seen.has(session)));
  return outOfSample(halves, {
    base: base.byTranscript,
    optimum: optimum.runs.byTranscript,
    chosen:
      chosen === null
        ? null
        : {
            runs: chosen.runs.byTranscript,
            settings: chosen.point.settings,
            broken: brokenRules({ byTranscript: unseen }, goal.constraints).map(({ rule }) => rule),
          },
    metric: goal.metric,
    sign: goal.sign,
  });
}
