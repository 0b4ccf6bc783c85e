import { CcbenchError } from '../../../core/base/errors.js';
import { holds, parseExpectation } from '../../../metrics/expect.js';
import { chosenMetric } from '../../../study/chosen-metrics.js';
import type { Completeness, VariantRuns } from '../../../study/completeness.js';
import type { JobRunner } from '../../../study/job-runner.js';
import { type Halves, type OutOfSample, outOfSample } from '../../../study/out-of-sample.js';
import type { Point } from '../../../study/point.js';
import type { StoredResult } from '../../../study/results/run-store.js';
import type { SweptPoint } from '../../../study/run-rows.js';
import { type Candidate, type Goal, judge, rungWork, type Trial } from '../../../study/search.js';
import type { SearchStep } from '../../../study/vary.js';
import type { CliSession } from '../../session.js';
import type { PointStudy } from '../study/point-study.js';
import { runRows } from '../study/run-rows.js';
import type { StudyInputs } from '../study/study-inputs.js';

/** The options that say what a search wants. */
export interface GoalOptions {
  readonly minimise?: string;
  readonly maximise?: string;
  readonly subjectTo: readonly string[];
}

/** What a search wants, as the command line says it. */
export function goalOf(options: GoalOptions): Goal {
  const { minimise, maximise } = options;
  if ((minimise === undefined) === (maximise === undefined)) {
    throw new CcbenchError('bad-usage', 'say what to search for: --minimise or --maximise, one of them', {
      hint: 'for example: --minimise costUsd',
    });
  }
  const option = minimise === undefined ? '--maximise' : '--minimise';
  const metric = chosenMetric(minimise ?? maximise!, option).name;
  const constraints = options.subjectTo.map((text) =>
    parseExpectation(text, { file: `--subject-to ${text}` }),
  );
  return { metric, sign: minimise === undefined ? -1 : 1, constraints };
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
  { label, share }: { readonly label: string; readonly share: number },
): Promise<readonly VariantRuns[]> {
  const metrics = [goal.metric, ...goal.constraints.map(({ metric }) => metric)];
  const made: StoredResult[] = [];
  // The scenario as it is has no settings: a step of its own.
  for (const paths of [[], study.axes.map(({ path }) => path)]) {
    const own = points.filter(({ values }) => values.length === paths.length);
    if (remote === null || own.length === 0) continue;
    const step = { paths, points: own.map(({ values }) => values), sessions: inputs.sessions, share };
    made.push(...(await remote(step, metrics, label)));
  }
  const { runs } = await runRows(session, points, inputs, {
    label,
    share,
    runner,
    store: study.folder,
    metrics,
    ...(remote === null ? {} : { made }),
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

/** Runs the settings of a rung over its share of the sessions, and judges them. */
export async function runRung(
  search: Search,
  inputs: StudyInputs,
  candidates: readonly Candidate[],
  { label, share }: { readonly label: string; readonly share: number },
): Promise<JudgedRung> {
  const work = rungWork(inputs.sessions.length, share);
  const used = onlySessions(inputs, inputs.sessions.slice(0, work.transcripts));
  const points = candidates.map(({ index }) => search.study.points[index]!);
  const runs = await tryPoints(search, points, used, { label, share: work.share });
  const { completeness, tried } = judge(
    candidates.map((candidate, i) => ({ candidate, ...runs[i]! })),
    search.goal,
    share,
  );
  return {
    completeness,
    tried: tried.map((each, i) => ({
      ...each,
      point: points[i]!,
      completeness: completeness.variants[i]!,
      runs: runs[i]!,
    })),
  };
}

/** Runs the scenario as it is and the best setting over all sessions, and compares what the search promised with the outcome. */
export async function tryHeldOut(search: Search, halves: Halves, tuned: Point): Promise<OutOfSample> {
  const { goal, study } = search;
  const label = `${study.name}, held out`;
  const runs = await tryPoints(search, [study.base, tuned], study.inputs, { label, share: 1 });
  const [base, best] = runs.map(({ byTranscript }) => byTranscript);
  const broken = goal.constraints.filter((rule) =>
    halves.heldOut.some((session) => {
      const record = best!.get(session) ?? null;
      return record !== null && !holds(rule, record[rule.metric] ?? null);
    }),
  );
  return outOfSample(
    halves,
    { base: base!, tuned: best!, metric: goal.metric, sign: goal.sign },
    broken.map(({ text }) => text),
  );
}
