import { CcbenchError } from '../../core/base/errors.js';
import type { OverrideName, ScenarioContext } from '../context.js';
import type { NormalRun } from '../normalise.js';

/** The largest percentage that may be meant as a share of one. */
const MOST_DOUBTED = 1;

/** The doubt about a percentage that looks like a share; null where there is none. */
export function percentDoubt(
  { policies }: ScenarioContext,
  path: string,
  value: unknown,
): CcbenchError | null {
  if (typeof value !== 'number' || !(value > 0 && value <= MOST_DOUBTED)) return null;
  if (policies.specs.find((spec) => spec.path === path)?.unit !== '%') return null;
  const meant = Number((value * 100).toPrecision(12));
  return new CcbenchError('bad-value', `${path} is a percentage, and at most 1 here`, {
    hint: `${value} is ${value} % of the window, ${meant} would be ${meant} %`,
  });
}

/** What is doubtful in the percentages that runs set by themselves or by an override. */
export function smallPercents(context: ScenarioContext, runs: readonly NormalRun[]): readonly CcbenchError[] {
  const { overrides } = context;
  return runs.flatMap((run) => {
    const overridden = (Object.keys(overrides) as OverrideName[]).map(
      (name) => [overrides[name].path, run.overrides[name]] as const,
    );
    return [...Object.entries(run.policy.set), ...overridden].flatMap(
      ([path, value]) => percentDoubt(context, path, value) ?? [],
    );
  });
}
