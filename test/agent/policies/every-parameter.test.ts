import { describe, expect, it } from 'vitest';
import { paramsOf, policyRegistry } from '../../../src/agent/policies/catalogue.js';
import { resolvePolicy } from '../../../src/agent/policies/plan-policy.js';
import { CcbenchError } from '../../../src/core/base/errors.js';
import type { ParamSpec, ParamValue } from '../../../src/core/run/params.js';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { effective } from '../../helpers/effective.js';
import { otherValues } from '../../helpers/generators/other-values.js';
import { VARIED_POLICIES } from '../../helpers/generators/varied-policies.js';
import { LogCompare } from '../../helpers/log-compare.js';
import { planOf } from '../../helpers/plan.js';
import { SITUATIONS, type Situation } from '../../helpers/situations/situations.js';

/** Refusals of settings beside others (FLG-2, R1). */
const EXCLUDING = /exclude each other|reads no window from its settings|wins over it/;

/** A situation under a policy: the plan, and the log as it is. */
class Stage {
  readonly #compare: LogCompare;
  readonly #set: Readonly<Record<string, unknown>>;

  constructor(
    private readonly policy: string,
    readonly situation: Situation,
  ) {
    this.#set = effective(policy, situation.set ?? {});
    const plan = planOf({ ...situation.init, policy, set: this.#set });
    this.#compare = new LogCompare(plan, situation.transcript);
  }

  valueOf(path: string): ParamValue {
    return this.#compare.plan.policy.params[path]!;
  }

  /** Whether the log is another one with a setting that the policy takes. */
  isChangedBy(path: string, value: ParamValue): boolean {
    const params = this.#resolve({ ...this.#set, [path]: value });
    if (params === null) return false;
    const { plan } = this.#compare;
    return this.#compare.isChangedBy({ ...plan, policy: { ...plan.policy, params } });
  }

  /** The parameters with some settings; null where they exclude each other. */
  #resolve(set: Readonly<Record<string, unknown>>): RunPlan['policy']['params'] | null {
    try {
      return resolvePolicy(this.policy, set);
    } catch (error) {
      if (error instanceof CcbenchError && EXCLUDING.test(error.message)) return null;
      throw error;
    }
  }
}

/** How well a situation fits a parameter: the length of what names it. */
function closeness({ shows }: Situation, path: string): number {
  return Math.max(0, ...shows.filter((name) => path.startsWith(name)).map((name) => name.length));
}

/** Where each parameter showed under the policy before: the situation, and the place of the value. It mostly shows there again. */
const shownAt = new Map<string, { readonly situation: Situation; readonly nth: number }>();

/** Whether a parameter changes the log of some situation, those that name it asked first. */
function effectOf(stages: readonly Stage[], spec: ParamSpec): 'matters' | 'none' {
  const { path } = spec;
  const before = shownAt.get(path);
  const known = stages.find(({ situation }) => situation === before?.situation);
  const value = known && otherValues(spec, known.valueOf(path))[before!.nth];
  if (value !== undefined && known!.isChangedBy(path, value)) return 'matters';
  const ordered = stages
    .map((stage) => ({ stage, close: closeness(stage.situation, path) }))
    .sort((a, b) => b.close - a.close);
  for (const { stage } of ordered) {
    const nth = otherValues(spec, stage.valueOf(path)).findIndex((other) => stage.isChangedBy(path, other));
    if (nth === -1) continue;
    shownAt.set(path, { situation: stage.situation, nth });
    return 'matters';
  }
  return 'none';
}

describe('every parameter that a policy lists', () => {
  it.each(VARIED_POLICIES)('C39 changes the log of some run under %s', (name) => {
    const stages = SITUATIONS.map((situation) => new Stage(name, situation));
    const idle = paramsOf(policyRegistry.get(name)).filter((spec) => effectOf(stages, spec) === 'none');
    expect(idle.map(({ path }) => path)).toEqual([]);
  });

  it('C39 the walk takes no run for a changed one whose setting stays as it is', () => {
    const stages = SITUATIONS.map((situation) => new Stage('claude-code/2026', situation));
    const path = 'client.retries';
    const changed = stages.filter((stage) => stage.isChangedBy(path, stage.valueOf(path)));
    expect(changed.map(({ situation }) => situation.name)).toEqual([]);
  });
});
