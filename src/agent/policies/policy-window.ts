import { isAmong } from '../../core/model/model-name.js';
import type { ParamValues } from '../../core/run/params.js';
import type { PlannedPolicy } from '../../core/run/run-plan.js';
import { hasLongSuffix, LONG_WINDOW_TOKENS, type ModelBook } from '../../provider/prices/model-book.js';
import { DEFAULT_WINDOW_TOKENS, MODELS } from '../../provider/prices/models.js';

/** Shortest window that a client takes from its settings; a shorter one in the environment is raised to it (2.1.311). */
const SHORTEST_SET_WINDOW = 100_000;

/** Whether a client reads windows from its settings too, and takes none beyond the model's own (2.1.311). */
export function readsSettings(params: ParamValues): boolean {
  return params['window.settings'] === 'all';
}

/**
 * The window that the user set for a model, null if none is; first that answers: the environment, the settings of the model,
 * the settings of all models (R1).
 */
export function chosenWindow(params: ParamValues, model: string): number | null {
  const set = params['window.explicit'] as number | null | undefined;
  if (!readsSettings(params)) return set ?? null;
  const byModel = Object.entries(params['window.settingByModel'] as Readonly<Record<string, number>>);
  const own = byModel.find(([name]) => isAmong(model, [name]))?.[1];
  const chosen = set ?? own ?? (params['window.setting'] as number | null);
  return chosen === null ? null : Math.max(SHORTEST_SET_WINDOW, chosen);
}

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
