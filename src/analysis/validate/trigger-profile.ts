import { compactsOn } from '../../agent/layers/auto-compact/may-compact.js';
import { type ModelLimits, thresholds } from '../../agent/layers/thresholds/thresholds.js';
import { policyRegistry } from '../../agent/policies/catalogue.js';
import { rangeOf } from '../../agent/policies/own-policy.js';
import { planPolicy, resolvePolicy } from '../../agent/policies/plan-policy.js';
import { compactsAt } from '../../agent/policy-file/check-rules.js';
import { MS_PER_MINUTE } from '../../core/base/clock.js';
import { thinkingRule } from '../../core/model/model-name.js';
import type { ParamValues } from '../../core/run/params.js';
import { type Counted, type CounterRules, counterRules } from '../../engine/counting/seen-counter.js';
import { findModel } from '../../provider/prices/models.js';

/** A policy as its triggers are checked: what it counts, and from which count on it acts. */
export interface TriggerProfile {
  readonly name: string;
  readonly counter: CounterRules;
  readonly counted: Counted;
  /** Infinite where it has no threshold. */
  readonly compactAt: number;
  /** Compactions may run on the model. */
  readonly compacts: boolean;
  readonly clears: ClearRules;
  /** When it compacts because the user is away; null if it does not. */
  readonly idle: IdleRules | null;
}

/** From which pause and which count on a profile compacts while its user is away. */
interface IdleRules {
  readonly afterMs: number;
  readonly minTokens: number;
}

/** When a profile clears old results, and how many (MIC-1). */
interface ClearRules {
  readonly at: number;
  /** Whether recordings show it. */
  readonly shows: boolean;
  readonly target: number;
  readonly minSaving: number;
  readonly keepRecent: number;
}

/** The model of a thread, as far as thresholds go by it. */
export type TriggerModel = ModelLimits & { readonly name: string };

/** A policy that clears nothing by size. */
const CLEARS_NOTHING: ClearRules = {
  at: Number.POSITIVE_INFINITY,
  shows: false,
  target: 0,
  minSaving: Number.POSITIVE_INFINITY,
  keepRecent: 0,
};

/** The profile of a version of Claude Code. */
export function claudeCodeProfile(version: string | null, model: TriggerModel): TriggerProfile {
  const { profile, set, microcompact } = rangeOf(version);
  const params = resolvePolicy(profile, set);
  const limits = thresholds(params, model);
  return {
    name: profile,
    counter: counterRules(params, 1),
    counted: countedOf(model),
    compactAt: limits.autoCompact ?? Number.POSITIVE_INFINITY,
    compacts: compactsOn(params, model.name),
    clears: {
      at: limits.warning ?? Number.POSITIVE_INFINITY,
      shows: microcompact === 'recorded',
      target: params['microcompact.token.targetTokens'] as number,
      minSaving: params['microcompact.token.minSaving'] as number,
      keepRecent: params['microcompact.token.keepRecent'] as number,
    },
    idle: policyRegistry.get(profile).layers.includes('idle-compact') ? idleRules(params) : null,
  };
}

function idleRules(params: ParamValues): IdleRules {
  const minutes =
    (params['idleCompact.share'] as number) * (params['idleCompact.minLifetimeMinutes'] as number);
  return { afterMs: minutes * MS_PER_MINUTE, minTokens: params['idleCompact.minTokens'] as number };
}

/** The profile of a policy file. */
export function rulesProfile(policy: string, model: TriggerModel): TriggerProfile {
  const { params, rules } = planPolicy(policyRegistry.get(policy), {});
  return {
    name: policy,
    counter: counterRules(params, 1, rules),
    counted: countedOf(model),
    compactAt: (rules === undefined ? null : compactsAt(rules, model)) ?? Number.POSITIVE_INFINITY,
    compacts: true,
    clears: CLEARS_NOTHING,
    idle: null,
  };
}

/** What counters may ask: neither tools nor system prompt are counted in recordings, as usage does. */
function countedOf({ name }: TriggerModel): Counted {
  const rule = findModel(name)?.thinking ?? thinkingRule(name);
  return { prefixRough: () => 0, trueTokens: 0, dropsReasoning: rule !== 'keep-all' };
}
