import type { PlannedModel, PlannedPrices } from '../../core/run/run-plan.js';
import {
  createModelBook,
  hasLongSuffix,
  LONG_WINDOW_TOKENS,
  type ModelBook,
  tableRows,
} from './model-book.js';
import type { ModelRow, PriceStep, Prices } from './model-row.js';

/** Window when nothing else answers (WIN-1). */
export const DEFAULT_WINDOW_TOKENS = 200_000;

/** The models of the table: those of all providers, Anthropic's first. */
export const MODELS: ModelBook = createModelBook(tableRows);

const planned = new WeakMap<readonly PlannedModel[], ModelBook>();

/** The models of a run: those of the table, and those that its plan adds or has otherwise. */
export function modelsOf({ models }: { readonly models?: readonly PlannedModel[] | undefined }): ModelBook {
  if (models === undefined) return MODELS;
  const known = planned.get(models);
  if (known !== undefined) return known;
  const rows = models.map((model) => plannedRow(model, MODELS.orUnknown(model.id)));
  const ids = new Set(rows.map(({ id }) => id));
  const book = createModelBook(() => [...tableRows().filter(({ id }) => !ids.has(id)), ...rows]);
  planned.set(models, book);
  return book;
}

function pricesOf({ input, output, read, write, writeLong }: PlannedPrices): Prices {
  return { input, output, cacheRead: read, cacheWrite5m: write, cacheWrite1h: writeLong };
}

/** The row of a model as a scenario has it, over the one that the table has or would have. */
function plannedRow(model: PlannedModel, base: ModelRow): ModelRow {
  return {
    ...base,
    id: model.id,
    provider: model.provider,
    aliases: model.aliases,
    window: model.window,
    maxOutput: model.maxOutput,
    pricesAreKnown: true,
    ...(model.history === 'table' ? {} : { from: null, pricesOf: null, earlier: [] }),
    pricesPerMTok: pricesOf(model.prices),
    priceSteps: model.steps.map(
      (step): PriceStep => ({ overPromptTokens: step.above, prices: pricesOf(step) }),
    ),
    fastPricesPerMTok: pricesOf(model.prices), // whoever gives a price gives it for every speed and region
    regional: 1,
    minCacheableTokens: model.minimum,
    source: 'the scenario',
    notes: base.pricesAreKnown ? `Otherwise as in the table: ${base.source}.` : base.notes,
  };
}

/**
 * A day whose prices a user asks for, with which those are where the table cannot know them: before the first change in it every
 * model has its oldest prices, after the last check of it the newest.
 */
export function priceDayText(day: string): string {
  const changes = MODELS.rows.flatMap(({ from, earlier }) => [...earlier.map((period) => period.from), from]);
  const first = changes.flatMap((change) => change ?? []).sort()[0]!;
  if (day < first) return `${day} (the oldest prices known: the model table has no change before ${first})`;
  const last = MODELS.rows
    .map(({ checked }) => checked)
    .sort()
    .at(-1)!;
  return day > last ? `${day} (the newest prices known: they were checked on ${last})` : day;
}

/** The row of a model by id, alias or another spelling; with the `[1m]` suffix, the row with the long window. */
export function findModel(name: string): ModelRow | null {
  return MODELS.find(name);
}

/** The row of a model; an unknown name is an error that lists the known ones. */
export function resolveModel(name: string): ModelRow {
  return MODELS.resolve(name);
}

/** The row of a recorded model; an unknown one has a typical size and no prices. */
export function modelOrUnknown(name: string): ModelRow {
  return MODELS.orUnknown(name);
}

/** What else may decide a window besides the model's name. */
export interface WindowOptions {
  readonly beta1m?: 'on' | 'off';
  /** The table's where absent. */
  readonly models?: ModelBook;
}

/**
 * The context window, first that answers (WIN-1): `[1m]` suffix, the model's known capability, the 1M beta, 200,000.
 * The table answers where it knows more than the default, so the beta still speaks for 200K models; it answers for models that
 * support it and for models the table does not know.
 */
export function resolveWindow(name: string, options: WindowOptions = {}): number {
  const { models = MODELS } = options;
  if (hasLongSuffix(name)) return LONG_WINDOW_TOKENS;
  const row = models.find(name);
  if (row !== null && row.window > DEFAULT_WINDOW_TOKENS) return row.window;
  if (options.beta1m === 'on' && models.takesBeta1m(name)) return LONG_WINDOW_TOKENS;
  return DEFAULT_WINDOW_TOKENS;
}
