import { CcbenchError, type Path } from '../../core/base/errors.js';
import { unknownName } from '../../core/base/registry.js';
import type { PlannedModel, PlannedPrices } from '../../core/run/run-plan.js';
import type { ModelBook } from '../../provider/prices/model-book.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { MODELS, modelsOf } from '../../provider/prices/models.js';
import { providerRegistry } from '../../provider/providers/providers.js';
import { group } from '../check/checker.js';
import type { ProblemCollector } from '../load.js';
import { modelTableSchema, type WrittenModel } from '../schema/schema-models.js';
import { readDocument, type ScenarioDocument } from './document.js';
import type { ReadPolicyText } from './lift-policies.js';

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
function normaliseModel(name: string, written: WrittenModel): PlannedModel {
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
    ...(written.prices === undefined && written.steps === undefined && row.earlier.length > 0
      ? { history: 'table' }
      : {}),
  };
}

/** A scenario whose models are written in place, and what they make of the table. */
export interface LiftedModels {
  readonly document: ScenarioDocument;
  /** null if the table holds as it is. */
  readonly models: readonly PlannedModel[] | null;
  readonly book: ModelBook;
}

/** A scenario with a file's name replaced by its table; places below it are places of the file. */
function withFile(
  document: ScenarioDocument,
  read: ReadPolicyText,
  problems: ProblemCollector,
): ScenarioDocument {
  const scenario = group(document.value);
  const { models } = scenario;
  if (typeof models !== 'string' || models === '') return document;
  const without = { ...document, value: { ...scenario, models: {} } };
  try {
    const { text, file } = read(models, document.placeOf(['models']));
    const { document: inner, problems: found } = readDocument(text, file, 'table of models');
    problems.addAll(found);
    if (inner === null) return without;
    const isInner = (path: Path): boolean => path[0] === 'models';
    return {
      ...document,
      value: { ...scenario, models: inner.value },
      placeOf: (path) => (isInner(path) ? inner.placeOf(path.slice(1)) : document.placeOf(path)),
      placeOfKey: (path) => (isInner(path) ? inner.placeOfKey(path.slice(1)) : document.placeOfKey(path)),
    };
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    problems.addAll([error]);
    return without;
  }
}

/** Refuses what the schema cannot: a new model without prices, steps out of order, a name that another model has. */
function checkModels(
  written: Readonly<Record<string, WrittenModel>>,
  { placeOf }: ScenarioDocument,
  providers: readonly string[],
  problems: ProblemCollector,
): void {
  const refuse = (path: Path, sentence: string, hint: string): void =>
    problems.add(path, new CcbenchError('bad-value', sentence, { place: placeOf(path), hint }));
  const owners = new Map<string, string>();
  for (const [id, { provider, prices, steps = [], aliases = [] }] of Object.entries(written)) {
    const at: Path = ['models', id];
    if (provider !== undefined && !providers.includes(provider)) {
      const { hint } = unknownName('provider', provider, providers);
      refuse([...at, 'provider'], `\`models.${id}.provider\` must be a provider; found "${provider}"`, hint!);
    }
    if (prices === undefined && MODELS.find(id) === null)
      refuse(
        at,
        `\`${id}\` has no prices, and the table does not know it`,
        'write `prices: { input, output }`',
      );
    steps.forEach((step, i) => {
      if (i > 0 && step.above <= steps[i - 1]!.above)
        refuse(
          [...at, 'steps', i, 'above'],
          `the steps of \`${id}\` must rise`,
          'write the lowest limit first',
        );
    });
    for (const name of [id, ...aliases]) {
      const known = MODELS.find(name);
      const own = MODELS.find(id);
      const isTaken = known !== null && known !== own && [known.id, ...known.aliases].includes(name);
      const owner = isTaken ? known.id : owners.get(name);
      if (owner !== undefined)
        refuse([...at, 'aliases'], `"${name}" is already a name of ${owner}`, 'give this model another name');
      owners.set(name, id);
    }
  }
}

/** Takes the models out of a scenario that it, or a file it names, adds to the table or has otherwise. */
export function liftModels(
  written: ScenarioDocument,
  readText: ReadPolicyText | undefined,
  ownProviders: readonly string[],
  problems: ProblemCollector,
): LiftedModels {
  const document = readText === undefined ? written : withFile(written, readText, problems);
  const { models } = group(document.value);
  const unchanged = { document, models: null, book: MODELS };
  if (models === undefined) return unchanged;
  const table = modelTableSchema.safeParse(models);
  if (!table.success) return { ...unchanged, book: trusting(Object.keys(group(models))) };
  const before = problems.list().length;
  checkModels(table.data, document, [...providerRegistry.names, ...ownProviders], problems);
  const entries = Object.entries(table.data);
  if (problems.list().length > before || entries.length === 0) return unchanged;
  const planned = entries.map(([id, model]) => normaliseModel(id, model));
  return { document, models: planned, book: modelsOf({ models: planned }) };
}

/** The table, and whatever is asked for of models that are not written as they should be: that is said already. */
function trusting(names: readonly string[]): ModelBook {
  return {
    ...MODELS,
    resolve: (name) => (names.includes(name) ? MODELS.orUnknown(name) : MODELS.resolve(name)),
  };
}
