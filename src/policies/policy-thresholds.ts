import type { ParamValues } from '../model/params.js';
import { compactsOn, waitsForRefusal } from '../tiers/auto-compact/may-compact.js';
import { thresholds } from '../tiers/window/thresholds.js';
import type { Policy } from './policy.js';

/** The limits of a policy as a user reads them; null where the policy has none. */
export interface PolicyThresholds {
  readonly window: number | null;
  readonly effective: number | null;
  readonly warning: number | null;
  readonly error: number | null;
  readonly autoCompact: number | null;
  readonly blocking: number | null;
}

/** Limits of a policy with its parameters for a model and its window (WIN-2 … WIN-6). */
export function policyThresholds(
  policy: Policy,
  params: ParamValues,
  window: number,
  model: string | null = null,
): PolicyThresholds {
  if (params['window.bounded'] === false) {
    return { window: null, effective: null, warning: null, error: null, autoCompact: null, blocking: null };
  }
  if (!policy.tiers.includes('auto-compact')) {
    return { window, effective: window, warning: null, error: null, autoCompact: null, blocking: null };
  }
  const limits = thresholds(params, window);
  const blocks = policy.tiers.includes('blocking') && params['blocking.enabled'] === true;
  return {
    ...limits,
    autoCompact: model === null || compactsOn(params, model) ? limits.autoCompact : null,
    blocking: blocks && !(model !== null && waitsForRefusal(params, model)) ? limits.blocking : null,
  };
}
