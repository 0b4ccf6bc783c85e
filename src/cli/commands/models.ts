import { daysSince } from '../../core/base/clock.js';
import { formatCount, formatCounted, formatDecimal } from '../../core/base/format.js';
import { unknownName } from '../../core/base/registry.js';
import type { EarlierPrices, ModelRow, PricePeriod } from '../../provider/prices/model-row.js';
import { MODEL_TABLE_DATE } from '../../provider/prices/models.generated.js';
import { MODELS } from '../../provider/prices/models.js';
import * as doc from '../../report/document/document.js';
import type { CommandOptions } from '../commands.generated.js';
import { type CliSession, EXIT, type ExitCode } from '../session.js';
import { present } from '../terminal/present.js';

/** The prices of a model over a period. */
interface Priced {
  readonly model: ModelRow;
  readonly period: PricePeriod | EarlierPrices;
}

function price(
  header: string,
  of: keyof ModelRow['pricesPerMTok'],
  drop: number | null,
): doc.ColumnOf<PricePeriod> {
  return doc.amount(header, ({ pricesPerMTok }) => formatDecimal(pricesPerMTok[of], 3), drop);
}

const PRICES = [
  price('input', 'input', null),
  price('output', 'output', null),
  price('read', 'cacheRead', 7),
  price('write 5m', 'cacheWrite5m', 6),
  price('write 1h', 'cacheWrite1h', 5),
];

/** Days since prices were compared with their source. */
function ageColumn(nowMs: number): doc.ColumnOf<PricePeriod> {
  return doc.number('age', ({ checked }) => daysSince(checked, nowMs), formatCount);
}

function columnsOf(nowMs: number): readonly doc.ColumnOf<ModelRow>[] {
  return [
    doc.text('model', ({ id }) => id),
    doc.text('provider', ({ provider }) => provider, 1),
    ...PRICES,
    doc.number('window', ({ window }) => window, formatCount, 4),
    doc.number('min cached', minimumOf, formatCount, 3),
    ageColumn(nowMs),
  ];
}

/** One line for each price that a model has had. */
function historyColumns(nowMs: number): readonly doc.ColumnOf<Priced>[] {
  const ofPeriod = (column: doc.ColumnOf<PricePeriod>): doc.ColumnOf<Priced> => ({
    ...column,
    cell: ({ period }, index) => column.cell(period, index),
  });
  return [
    doc.text('model', ({ model }) => model.id),
    doc.text('from', ({ period }) => period.from ?? '–'),
    doc.text('before', ({ period }) => ('until' in period ? period.until : '')),
    ...PRICES.map(ofPeriod),
    ofPeriod(ageColumn(nowMs)),
  ];
}

/** All prices of a model, the newest first. */
function periodsOf(model: ModelRow): readonly Priced[] {
  return [model, ...model.earlier.toReversed()].map((period) => ({ model, period }));
}

/** The rows that hold one of the words in a name, or what requests under these names cost, and are of a provider. */
function wantedRows(words: readonly string[], provider: string | undefined): readonly ModelRow[] {
  const providers = [...new Set(MODELS.rows.map((row) => row.provider))];
  if (provider !== undefined && !providers.includes(provider))
    throw unknownName('provider', provider, providers);
  const wanted = words.map((word) => word.toLowerCase());
  const holds = ({ id, aliases }: ModelRow): boolean =>
    wanted.length === 0 || wanted.some((word) => [id, ...aliases].some((name) => name.includes(word)));
  const isOfProvider = (row: ModelRow): boolean => provider === undefined || row.provider === provider;
  const rows = MODELS.rows.filter((row) => holds(row) && isOfProvider(row));
  if (rows.length > 0) return rows;
  const billed = wanted.flatMap((word) => MODELS.find(word) ?? []).filter(isOfProvider);
  if (billed.length > 0) return billed;
  const ids = MODELS.rows.map(({ id }) => id);
  throw unknownName('model', words.join(' '), ids);
}

/** Shortest prefix that is cached; null if unknown, for which a row has 0. */
function minimumOf({ minCacheableTokens }: ModelRow): number | null {
  return minCacheableTokens === 0 ? null : minCacheableTokens;
}

/** The prices before the newest, where they are asked for: of models by name, or of all. */
function historyBlocks(
  shown: readonly ModelRow[],
  which: 'all' | 'changed',
  nowMs: number,
): readonly doc.Block[] {
  const models = which === 'all' ? shown : shown.filter(({ earlier }) => earlier.length > 0);
  if (models.length === 0) return [];
  const columns = historyColumns(nowMs);
  const rows = doc.rowsOf(columns, models.flatMap(periodsOf));
  return ['Prices by day, UTC; – means that the first day is unknown', doc.tableOf(columns, rows, ''), ''];
}

/** `ccbench models`: the price table, each row with what it rests on. */
export function modelsCommand(
  session: CliSession,
  words: readonly string[] = [],
  { provider, history = false }: CommandOptions['models'] = {},
): ExitCode {
  const nowMs = session.host.epochMs();
  const shown = wantedRows(words, provider);
  const periods = shown.flatMap(periodsOf);
  const sources = [...new Set(periods.map(({ period }) => period.source))].flatMap((source) => {
    const models = periods.filter(({ period }) => period.source === source).map(({ model }) => model.id);
    const names = [...new Set(models)].join(', ');
    return [doc.inset(names, 'plain', '  ', '  '), doc.inset(source, 'dim', '    ')];
  });
  const assumed = shown.filter((row) => row.pricesOf !== null);
  const listed = `${formatCounted(shown.length, 'model')}, with list prices that were checked on ${MODEL_TABLE_DATE} or later`;
  const named = assumed.map(({ id, pricesOf }) => `${id} (priced as ${pricesOf})`).join(', ');
  const columns = columnsOf(nowMs);
  const aged = <T extends PricePeriod>(period: T) => ({
    ...period,
    daysSinceChecked: daysSince(period.checked, nowMs),
  });
  const withFast = shown.flatMap((row) => {
    const fast = row.fastPricesPerMTok === null ? null : MODELS.find(`${row.id}:fast`);
    return fast === null ? [row] : [row, fast];
  });
  present(session, {
    blocks: [
      doc.tableOf(columns, doc.rowsOf(columns, withFast), ''),
      '',
      ...(history || words.length > 0 ? historyBlocks(shown, history ? 'all' : 'changed', nowMs) : []),
      'Dollars per million tokens; `:fast` is fast mode, `:us` (inference in the United States alone) and `:regional` (Bedrock in one region, as in `us.anthropic.…`) cost a tenth more and `:batch` half; age is in days since a row was compared with its source; a minimum of – is not published: what the provider says of its other models holds, or none. --json has notes, latencies and price steps too. Sources:',
      ...sources,
    ],
    closing: {
      result: named === '' ? `${listed}.` : `${listed}; none are published for ${named}.`,
      advice:
        'Prices change: --history shows earlier ones, and a scenario adds and changes rows with `models:`.',
    },
    json: {
      checkedOn: MODEL_TABLE_DATE,
      models: shown.map((row) => ({
        ...aged(row),
        earlier: row.earlier.map(aged),
        minCacheableTokens: minimumOf(row),
        cache: row.provider,
      })),
    },
  });
  return EXIT.fine;
}
