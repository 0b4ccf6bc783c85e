import type { ParamValues } from '../../core/run/params.js';
import type { PlannedPolicy } from '../../core/run/run-plan.js';
import { hasLongSuffix, LONG_WINDOW_TOKENS, type ModelBook } from '../../provider/prices/model-book.js';
import { DEFAULT_WINDOW_TOKENS, MODELS } from '../../provider/prices/models.js';
import { chosenWindow, readsSettings } from '../layers/thresholds/thresholds.js';

/** What else decides which window a policy believes in. */
interface WindowFacts {
  /** The window that a recording states or proves. */
  readonly recorded?: number | null;
  readonly models?: ModelBook;
  /** The rules of a policy file: these know the windows of short models too. */
  readonly rules?: PlannedPolicy['rules'];
}

/**
 * Window as a policy believes it to be, first that answers (WIN-1, R1): a window set by the user, the `[1m]` suffix, a long window that
 * the client or a recording knows of, the 1M beta, a short window that a recording states or a policy file knows of, 200,000.
 */
export function policyWindow(params: ParamValues, modelName: string, facts: WindowFacts = {}): number {
  if (facts.rules !== undefined || !readsSettings(params)) {
    const explicit = params['window.explicit'];
    return typeof explicit === 'number' ? explicit : ownWindow(params, modelName, facts);
  }
  const own = ownWindow(params, modelName, facts);
  return Math.min(chosenWindow(params, modelName) ?? own, own);
}

/** The window where the user set none. */
function ownWindow(
  params: ParamValues,
  modelName: string,
  { recorded = null, models = MODELS, rules }: WindowFacts,
): number {
  if (hasLongSuffix(modelName)) return LONG_WINDOW_TOKENS;
  const goesBySuffix = params['window.models'] === 'suffix-only';
  const known = recorded ?? (goesBySuffix ? null : (models.find(modelName)?.window ?? null));
  if (known !== null && known > DEFAULT_WINDOW_TOKENS) return known;
  if (params['window.beta1m'] === true && models.takesBeta1m(modelName)) return LONG_WINDOW_TOKENS;
  const believesShort = recorded !== null || rules !== undefined;
  return known !== null && believesShort ? known : DEFAULT_WINDOW_TOKENS;
}
