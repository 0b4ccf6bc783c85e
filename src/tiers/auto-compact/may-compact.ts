import type { ParamValues } from '../../model/params.js';
import type { QuerySource } from '../../model/tier.js';
import { param } from '../param-reader.js';
import { autoCompactEnabled } from '../window/thresholds.js';

/** Whether a thread compacts by itself: forks never do, subagents where the policy says so (BRK-2, WIN-7). */
export function mayCompact(params: ParamValues, source: QuerySource): boolean {
  if (!autoCompactEnabled(params)) return false;
  return source === 'main' || (source === 'subagent' && param.isOn(params, 'autoCompact.subagents'));
}

/** Whether it does so on a model. */
export function compactsOn(params: ParamValues, model: string): boolean {
  if (!param.names(params, 'autoCompact.exceptModels').includes(model)) return true;
  return param.numberOrNull(params, 'window.explicit') !== null;
}
