import { CcbenchError, ProblemList } from '../../../base/errors.js';
import { planDigest } from '../../../engine/run/replay.js';
import { type CompiledRun, compileScenario, type ScenarioSource } from '../../../scenario/compile.js';
import { builtinContext } from '../../../scenario/context.js';
import type { VariantCompleteness, VariantRuns } from '../../../study/completeness.js';
import type { Job, MetricRecord } from '../../../study/job.js';
import type { Axis } from '../../../study/vary.js';
import type { CliSession } from '../../session.js';
import { breathe } from '../../terminal/interrupt.js';
import { createProgress } from '../../terminal/progress.js';

/** A setting of a study, compiled: the base of the scenario over each transcript. */
export interface Point {
  readonly values: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  /** `path=value` for each axis. */
  readonly set: readonly string[];
  readonly runs: readonly CompiledRun[];
}

/** A point with what its runs came to. */
export interface SweptPoint {
  readonly point: Point;
  /** Means over the compared transcripts. */
  readonly metrics: MetricRecord;
  readonly completeness: VariantCompleteness;
  readonly runs: VariantRuns;
}

/** The name of a point among others. */
export function pointName({ set }: Point): string {
  return set.length === 0 ? 'base' : set.join(', ');
}

/** Shows a problem of a varied setting at the option that varies it. */
function atOption(error: CcbenchError, axes: readonly Axis[], set: readonly string[]): CcbenchError {
  const at = set.findIndex((item) => error.place?.file === `--set ${item}`);
  if (at < 0) return error;
  return new CcbenchError(error.code, error.message, {
    place: { file: `--vary ${axes[at]!.path}=${set[at]!.slice(axes[at]!.path.length + 1)}` },
    ...(error.hint === null ? {} : { hint: error.hint }),
  });
}

/** Compiles a scenario's base with the values of a point. */
export function compilePoint(
  source: ScenarioSource,
  axes: readonly Axis[],
  values: readonly string[],
): Point {
  const set = axes.map((axis, i) => `${axis.path}=${values[i]!}`);
  try {
    const { runs } = compileScenario(
      { ...source, set: [...source.set, ...set], varied: set, runs: 'base' },
      builtinContext,
    );
    return {
      values,
      settings: Object.fromEntries(axes.map((axis, i) => [axis.path, values[i]!])),
      set,
      runs,
    };
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    const problems = (error instanceof ProblemList ? error.problems : [error]).map((problem) =>
      atOption(problem, axes, set),
    );
    throw problems.length === 1 ? problems[0]! : new ProblemList(error.code, source.file, problems);
  }
}

/** Wall time between two looks at the terminal. */
const BREATH_MS = 40;

/** Compiles the points of a study, pausing often enough to hear Ctrl-C and to show how far it is. */
export async function compilePoints(
  session: CliSession,
  source: ScenarioSource,
  axes: readonly Axis[],
  values: readonly (readonly string[])[],
): Promise<readonly Point[]> {
  const { host } = session;
  const progress = createProgress(host, session.json ? 'silent' : 'shown', 'points');
  const points: Point[] = [];
  let nextBreath = host.now() + BREATH_MS;
  progress.start('planning', values.length);
  try {
    for (const each of values) {
      points.push(compilePoint(source, axes, each));
      if (host.now() < nextBreath) continue;
      progress.update(points.length);
      await breathe(host.interrupt);
      nextBreath = host.now() + BREATH_MS;
    }
  } finally {
    progress.clear();
  }
  return points;
}

/** One run of a study over points. */
export interface PlannedPoint {
  readonly point: Point;
  /** Name of the transcript. */
  readonly transcript: string;
  /** A recording that the command line named; null for the scenario's own transcripts. */
  readonly recording: string | null;
  readonly job: Omit<Job, 'index'>;
}

/** The address of a run: equal plans over equal transcripts have equal results. */
export function runKey({ plan, transcript, share }: Omit<Job, 'index'>): string {
  return `${planDigest(plan)}-${transcript}${share === 1 ? '' : `-${share.toFixed(6)}`}`;
}
