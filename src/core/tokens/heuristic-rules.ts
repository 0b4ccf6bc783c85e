import type { ParamValues } from '../run/params.js';
import { type HeuristicRules, PADDED_RULES, PLAIN_RULES } from './heuristic.js';

/** The estimator that a policy's parameters describe, with or without the margin of TOK-3. */
export function heuristicRules(params: ParamValues, margin: 'margin' | 'bare'): HeuristicRules {
  const jsonBytes = params['counter.jsonBytesPerToken'];
  return {
    ...(margin === 'margin' ? PADDED_RULES : PLAIN_RULES),
    jsonBytesPerToken: typeof jsonBytes === 'number' ? jsonBytes : null,
    toolUse: params['counter.toolUse'] === 'whole-block' ? 'whole-block' : 'name-and-input',
    plainStrings: params['counter.plainStrings'] === 'zero' ? 'zero' : 'counted',
  };
}
