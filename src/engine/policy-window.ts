import { DEFAULT_WINDOW_TOKENS, resolveWindow } from '../cache/models.js';
import type { ParamValues } from '../model/params.js';

/** Window as a policy believes it to be (WIN-1): a window set by the user, else what the client knows of the model. */
export function policyWindow(params: ParamValues, modelName: string): number {
  const explicit = params['window.explicit'];
  if (typeof explicit === 'number') return explicit;
  const goesBySuffix = params['window.models'] === 'suffix-only';
  if (goesBySuffix && !modelName.toLowerCase().endsWith('[1m]')) return DEFAULT_WINDOW_TOKENS;
  return resolveWindow(modelName);
}
