import { CcbenchError } from '../base/errors.js';
import { unknownName } from '../base/registry.js';
import { plainModelName } from '../model/model-name.js';
import { MODEL_TABLE, type ModelRow } from './model-table.js';

/** Window when nothing else answers (WIN-1). */
export const DEFAULT_WINDOW_TOKENS = 200_000;

/** Window of the `[1m]` suffix and of the 1M beta (WIN-1). */
export const LONG_WINDOW_TOKENS = 1_000_000;

const LONG_SUFFIX = '[1m]';

const byName = new Map<string, ModelRow>();
const longByName = new Map<string, ModelRow>();
for (const row of MODEL_TABLE) {
  for (const name of [row.id, ...row.aliases]) {
    if (byName.has(name)) throw new CcbenchError('duplicate-name', `two models are called "${name}"`);
    byName.set(name, row);
    longByName.set(name, row.window === LONG_WINDOW_TOKENS ? row : { ...row, window: LONG_WINDOW_TOKENS });
  }
}

/** Whether a name asks for the long window. */
export function hasLongSuffix(name: string): boolean {
  return name.toLowerCase().endsWith(LONG_SUFFIX);
}

/** Whether the 1M beta widens the window of a model: of those that support it, and of those the table does not know (WIN-1). */
export function takesBeta1m(name: string): boolean {
  return (findModel(name)?.beta1m ?? 'supported') === 'supported';
}

/** The row of a model by id, alias or dated id; with the `[1m]` suffix, the row with the long window. */
export function findModel(name: string): ModelRow | null {
  const long = hasLongSuffix(name);
  const plain = long ? name.slice(0, -LONG_SUFFIX.length) : name;
  const rows = long ? longByName : byName;
  return rows.get(plain) ?? rows.get(plainModelName(plain)) ?? null;
}

/** The row of a model; an unknown name is an error that lists the known ones. */
export function resolveModel(name: string): ModelRow {
  const row = findModel(name);
  if (row !== null) return row;
  throw unknownName(
    'model',
    name,
    MODEL_TABLE.map((known) => known.id),
  );
}

/** What else may decide a window besides the model's name. */
export interface WindowOptions {
  readonly beta1m?: 'on' | 'off';
  readonly override?: number | null;
}

/**
 * The context window, first that answers (WIN-1): `[1m]` suffix, the model's known capability, the 1M beta, an override, 200,000.
 * The table answers where it knows more than the default, so the beta and an override still speak for 200K models;
 * the beta answers for models that support it and for models the table does not know.
 */
export function resolveWindow(name: string, options: WindowOptions = {}): number {
  const override = options.override ?? null;
  if (override !== null && !(Number.isInteger(override) && override > 0)) {
    throw new CcbenchError('bad-value', `a context window of ${override} tokens is not possible`, {
      hint: 'give a whole number above zero',
    });
  }
  if (hasLongSuffix(name)) return LONG_WINDOW_TOKENS;
  const row = findModel(name);
  if (row !== null && row.window > DEFAULT_WINDOW_TOKENS) return row.window;
  if (options.beta1m === 'on' && takesBeta1m(name)) return LONG_WINDOW_TOKENS;
  return override ?? DEFAULT_WINDOW_TOKENS;
}
