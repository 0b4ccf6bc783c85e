import type { PlannedModel, PlannedPrices } from '../../core/run/run-plan.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { MODELS } from '../../provider/prices/models.js';
import type { WrittenModel } from '../schema/schema-models.js';

type WrittenPrices = NonNullable<WrittenModel['prices']>;

const exact = (dollars: number): number => Math.round(dollars * 100_000) / 100_000;

/** Prices with nothing left open: reads and writes that are not written keep their ratio to input, or cost what input costs. */
function pricesOf(written: WrittenPrices, { pricesAreKnown, pricesPerMTok: table }: ModelRow): PlannedPrices {
  const { input, output } = written;
  const like = (price: number): number =>
    exact(pricesAreKnown && table.input > 0 ? (input * price) / table.input : input);
  const write = written.write ?? like(table.cacheWrite5m);
  return {
    input,
    output,
    read: written.read ?? like(table.cacheRead),
    write,
    writeLong: written.writeLong ?? (written.write === undefined ? like(table.cacheWrite1h) : write),
  };
}

function tablePrices({ pricesPerMTok }: ModelRow, prices = pricesPerMTok): PlannedPrices {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = prices;
  return { input, output, read: cacheRead, write: cacheWrite5m, writeLong: cacheWrite1h };
}

/** A model with nothing left open; what is not written is as in the table, or of typical size. Prices of its own have no steps but those written with them. */
export function normaliseModel(name: string, written: WrittenModel): PlannedModel {
  const row = MODELS.orUnknown(name);
  const id = row.aliases.includes(name) ? row.id : name;
  const aliases = id === row.id ? row.aliases : [];
  const tableSteps = written.prices === undefined ? row.priceSteps : [];
  return {
    id,
    provider: written.provider ?? row.provider,
    aliases: [...new Set([...aliases, ...(written.aliases ?? [])])].filter((alias) => alias !== id),
    window: written.window ?? row.window,
    maxOutput: written.maxOutput ?? row.maxOutput,
    prices: written.prices === undefined ? tablePrices(row) : pricesOf(written.prices, row),
    steps:
      written.steps?.map(({ above, ...step }) => ({ above, ...pricesOf(step, row) })) ??
      tableSteps.map(({ overPromptTokens, prices }) => ({
        above: overPromptTokens,
        ...tablePrices(row, prices),
      })),
    minimum: written.minimum ?? row.minCacheableTokens,
  };
}
