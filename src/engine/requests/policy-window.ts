import { hasLongSuffix, LONG_WINDOW_TOKENS, type ModelBook } from '../../cache/model-book.js';
import { DEFAULT_WINDOW_TOKENS, MODELS } from '../../cache/models.js';
import type { ParamValues } from '../../model/params.js';

/**
 * Window as a policy believes it to be, first that answers (WIN-1, C27): the `[1m]` suffix, a long window that the client or a
 * recording knows of, the 1M beta, a window set by the user, 200,000.
 */
export function policyWindow(
  params: ParamValues,
  modelName: string,
  recorded: number | null = null,
  models: ModelBook = MODELS,
): number {
  if (hasLongSuffix(modelName)) return LONG_WINDOW_TOKENS;
  const goesBySuffix = params['window.models'] === 'suffix-only';
  const known = recorded ?? (goesBySuffix ? null : (models.find(modelName)?.window ?? null));
  if (known !== null && known > DEFAULT_WINDOW_TOKENS) return known;
  if (params['window.beta1m'] === true && models.takesBeta1m(modelName)) return LONG_WINDOW_TOKENS;
  const explicit = params['window.explicit'];
  return typeof explicit === 'number' ? explicit : DEFAULT_WINDOW_TOKENS;
}
