import { ownValue } from '../../core/base/own-value.js';
import { percentLeft } from '../../core/run/limit.js';
import type { PlannedPolicy } from '../../core/run/run-plan.js';
import { compactsOn, waitsForRefusal } from '../layers/auto-compact/may-compact.js';
import {
  autoCompactEnabled,
  autoCompactThreshold,
  effectiveWindow,
  type ModelLimits,
  type Thresholds,
  thresholds,
} from '../layers/thresholds/thresholds.js';
import { blocksAt, compactsAt } from '../policy-file/check-rules.js';
import { isReadBy } from './param-readers.js';
import type { Policy } from './policy.js';

/** What a client goes by when it shows how full its context is (WIN-5). */
export interface ShownLimits {
  /** Size at which nothing is left. */
  readonly limit: number;
  readonly warning: number;
  readonly error: number;
}

/** A model by its limits, and by its name where that is known. */
export interface NamedLimits extends ModelLimits {
  readonly name?: string;
}

/** Distance of warning and error from the limit where a policy sets none (WIN-5). */
const SHOWN_OFFSET = 20_000;

/**
 * The limits that are shown under a policy (WIN-5, C30): auto-compaction's where it is on, else the effective window. Null if
 * there is no window.
 */
export function shownLimits(
  policy: Policy,
  { params, rules }: Pick<PlannedPolicy, 'params' | 'rules'>,
  model: NamedLimits,
): ShownLimits | null {
  if (params['window.bounded'] === false) return null;
  const compacts =
    policy.layers.includes('auto-compact') &&
    autoCompactEnabled(params) &&
    (model.name === undefined || compactsOn(params, model.name));
  const reserves = isReadBy(policy, 'window.reserve');
  const effective = reserves ? effectiveWindow(params, model) : model.window;
  const byRule = rules === undefined ? null : compactsAt(rules, model);
  const limit = compacts ? autoCompactThreshold(params, model) : (byRule ?? effective);
  const offset = (path: string): number =>
    isReadBy(policy, path) ? (ownValue(params, path) as number) : SHOWN_OFFSET;
  return {
    limit,
    warning: limit - offset('window.warningOffset'),
    error: limit - offset('window.errorOffset'),
  };
}

/** What is shown at a number of used tokens (WIN-5). */
export function shownStatus({ limit, warning, error }: ShownLimits, used: number) {
  return { percentLeft: percentLeft(limit, used), warning: used >= warning, error: used >= error };
}

/** The limits of a policy as a user reads them; null if the policy has none. */
export type PolicyThresholds = { readonly [Limit in keyof Thresholds]: number | null };

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
