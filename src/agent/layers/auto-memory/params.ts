import type { ParamValues } from '../../../core/run/params.js';
import { layerParams, param } from '../support/param-reader.js';
import type { IndexLimits } from './memory-index.js';

/** Parameters of auto memory (AUT). */
export const AUTO_MEMORY_PARAMS = layerParams('auto-memory');

/** What of the index enters the system prompt, from the parameters. */
export function indexLimits(params: ParamValues): IndexLimits {
  return {
    lines: param.number(params, 'autoMemory.indexLines'),
    bytes: param.number(params, 'autoMemory.indexBytes'),
    lineChars: param.number(params, 'autoMemory.lineChars'),
  };
}
