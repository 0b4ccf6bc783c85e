import type { PlannedModel, PlannedPrices } from '../../core/run/run-plan.js';
import type { ModelRow, PriceStep, Prices } from './model-row.js';

function pricesOf({ input, output, read, write, writeLong }: PlannedPrices): Prices {
  return { input, output, cacheRead: read, cacheWrite5m: write, cacheWrite1h: writeLong };
}

/** The row of a model as a scenario has it, over the one that the table has or would have. */
export function plannedRow(model: PlannedModel, base: ModelRow): ModelRow {
  return {
    ...base,
    id: model.id,
    provider: model.provider,
    aliases: model.aliases,
    window: model.window,
    maxOutput: model.maxOutput,
    pricesAreKnown: true,
    pricesOf: null,
    pricesPerMTok: pricesOf(model.prices),
    priceSteps: model.steps.map(
      (step): PriceStep => ({ overPromptTokens: step.above, prices: pricesOf(step) }),
    ),
    fastPricesPerMTok: null,
    minCacheableTokens: model.minimum,
    source: 'the scenario',
    notes: base.pricesAreKnown ? `Otherwise as in the table: ${base.source}.` : base.notes,
  };
}
