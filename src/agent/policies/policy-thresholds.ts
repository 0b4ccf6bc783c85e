import type { PlannedPolicy } from '../../core/run/run-plan.js';
import { compactsOn, waitsForRefusal } from '../layers/auto-compact/may-compact.js';
import { thresholds } from '../layers/thresholds/thresholds.js';
import { blocksAt, compactsAt } from '../policy-file/triggers.js';
import type { Policy } from './policy.js';
import { type NamedLimits, shownLimits } from './shown-limits.js';

/** The limits of a policy as a user reads them; null where the policy has none. */
export interface PolicyThresholds {
  readonly window: number | null;
  readonly effective: number | null;
  readonly warning: number | null;
  readonly error: number | null;
  readonly autoCompact: number | null;
  readonly blocking: number | null;
}

/** Limits of a policy with its parameters for a model (WIN-2 … WIN-6). */
export function policyThresholds(
  policy: Policy,
  { params, rules }: Pick<PlannedPolicy, 'params' | 'rules'>,
  model: NamedLimits,
): PolicyThresholds {
  const shown = shownLimits(policy, { params, ...(rules === undefined ? {} : { rules }) }, model);
  if (shown === null) {
    return { window: null, effective: null, warning: null, error: null, autoCompact: null, blocking: null };
  }
  const { window, name } = model;
  const { warning, error } = shown;
  if (rules !== undefined || !policy.layers.includes('auto-compact')) {
    const autoCompact = rules === undefined ? null : compactsAt(rules, model);
    const blocking = rules === undefined ? null : blocksAt(rules, model);
    return { window, effective: shown.limit, warning, error, autoCompact, blocking };
  }
  const limits = thresholds(params, model);
  const blocks = policy.layers.includes('blocking') && params['blocking.enabled'] === true;
  return {
    ...limits,
    warning,
    error,
    autoCompact: name === undefined || compactsOn(params, name) ? limits.autoCompact : null,
    blocking: blocks && !(name !== undefined && waitsForRefusal(params, name)) ? limits.blocking : null,
  };
}
