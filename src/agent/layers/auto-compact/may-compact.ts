import { isAmong } from '../../../core/model/model-name.js';
import type { QuerySource } from '../../../core/run/layer.js';
import type { ParamValues } from '../../../core/run/params.js';
import { chosenWindow } from '../../policies/policy-window.js';
import { param } from '../support/param-reader.js';
import { autoCompactEnabled } from '../thresholds/thresholds.js';

/** Whether a thread compacts by itself: forks never do, subagents where the policy says so (BRK-2, WIN-7). */
export function mayCompact(params: ParamValues, source: QuerySource): boolean {
  if (!autoCompactEnabled(params)) return false;
  return source === 'main' || (source === 'subagent' && param.isOn(params, 'autoCompact.subagents'));
}

/** Whether it does so on a model, named with or without its date and `[1m]`. */
export function compactsOn(params: ParamValues, model: string): boolean {
  const exceptions = param.names(params, 'autoCompact.exceptModels');
  if (exceptions.length === 0 || chosenWindow(params, model) !== null) return true;
  return !isAmong(model, exceptions);
}

/** Where the client compacts only what the API refuses, it must let that request go out: no local block (REA-1). */
export function waitsForRefusal(params: ParamValues, model: string): boolean {
  return autoCompactEnabled(params) && !compactsOn(params, model) && param.isOn(params, 'reactive.enabled');
}
