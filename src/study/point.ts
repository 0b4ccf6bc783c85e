import { PolicySettings } from '../config/check/policy-settings.js';
import { type CompiledRun, compileScenario, type ScenarioSource } from '../config/compile.js';
import { builtinContext, type ScenarioContext } from '../config/context.js';
import { CcbenchError, ProblemList } from '../core/base/errors.js';
import { oncePer } from '../core/base/once.js';
import { planDigest } from '../engine/run/replay.js';
import { checkCassette } from '../provider/fake-llm/summaries/cassette.js';
import type { Job } from './job.js';
import type { Axis } from './vary.js';

/** A setting of a study, compiled: the base of the scenario over each transcript. */
export interface Point {
  /** Its name among others. */
  readonly name: string;
  readonly values: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  /** `path=value` for each axis. */
  readonly set: readonly string[];
  readonly runs: readonly CompiledRun[];
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

/** Compiles the points of a study one after the other. */
export function pointCompiler(
  source: ScenarioSource,
  axes: readonly Axis[],
  world: ScenarioContext = builtinContext,
): (values: readonly string[]) => Point {
  const settings = new PolicySettings(source, world);
  return (values) => {
    const runs = settings.runsWith(changesOf(axes, values));
    return runs === null ? compilePoint(source, axes, values, world) : pointOf(axes, values, runs);
  };
}

/** `path=value` for each axis. */
function changesOf(axes: readonly Axis[], values: readonly string[]): readonly string[] {
  return axes.map((axis, i) => `${axis.path}=${values[i]!}`);
}

function pointOf(axes: readonly Axis[], values: readonly string[], runs: readonly CompiledRun[]): Point {
  for (const { plan } of runs) checkCassette(plan);
  const settings = Object.fromEntries(axes.map((axis, i) => [axis.path, values[i]!]));
  const set = changesOf(axes, values);
  return { name: set.length === 0 ? 'base' : set.join(', '), values, settings, set, runs };
}

/** Compiles a scenario's base with the values of a point. */
export function compilePoint(
  source: ScenarioSource,
  axes: readonly Axis[],
  values: readonly string[],
  world: ScenarioContext = builtinContext,
): Point {
  const set = changesOf(axes, values);
  try {
    const { runs } = compileScenario(
      { ...source, set: [...source.set, ...set], varied: set, runs: 'base' },
      world,
    );
    return pointOf(axes, values, runs);
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    const problems = (error instanceof ProblemList ? error.problems : [error]).map((problem) =>
      atOption(problem, axes, set),
    );
    throw problems.length === 1 ? problems[0]! : new ProblemList(error.code, source.file, problems);
  }
}

const digestOf = oncePer(planDigest);

/** The address of a run: equal plans over equal transcripts have equal results. */
export function runKey({ plan, transcript }: Pick<Job, 'plan' | 'transcript'>): string {
  return `${digestOf(plan)}-${transcript}`;
}
