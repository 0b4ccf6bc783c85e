import { formatCount, formatCounted, formatDecimal } from '../../core/base/format.js';
import { unknownName } from '../../core/base/registry.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { MODEL_TABLE_DATE } from '../../provider/prices/models.generated.js';
import { MODELS } from '../../provider/prices/models.js';
import * as doc from '../../report/document/document.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { CliSession } from '../session.js';
import { present } from '../terminal/present.js';

function price(
  header: string,
  of: keyof ModelRow['pricesPerMTok'],
  drop: number | null,
): doc.ColumnOf<ModelRow> {
  return doc.amount(header, ({ pricesPerMTok }) => formatDecimal(pricesPerMTok[of], 3), drop);
}

const COLUMNS: readonly doc.ColumnOf<ModelRow>[] = [
  doc.text('model', ({ id }) => id),
  doc.text('provider', ({ provider }) => provider, 1),
  price('input', 'input', null),
  price('output', 'output', null),
  price('read', 'cacheRead', 7),
  price('write 5m', 'cacheWrite5m', 6),
  price('write 1h', 'cacheWrite1h', 5),
  doc.number('window', ({ window }) => window, formatCount, 4),
  doc.number('min cached', minimumOf, formatCount, 3),
];

/** Options of `ccbench models`. */
export interface ModelsOptions {
  readonly provider?: string;
}

/** The rows that hold one of the words in a name, and are of a provider. */
function wantedRows(words: readonly string[], provider: string | undefined): readonly ModelRow[] {
  const providers = [...new Set(MODELS.rows.map((row) => row.provider))];
  if (provider !== undefined && !providers.includes(provider))
    throw unknownName('provider', provider, providers);
  const wanted = words.map((word) => word.toLowerCase());
  const holds = ({ id, aliases }: ModelRow): boolean =>
    wanted.length === 0 || wanted.some((word) => [id, ...aliases].some((name) => name.includes(word)));
  const rows = MODELS.rows.filter(
    (row) => holds(row) && (provider === undefined || row.provider === provider),
  );
  if (rows.length > 0) return rows;
  const ids = MODELS.rows.map(({ id }) => id);
  throw unknownName('model', words.join(' '), ids);
}

/** Shortest prefix that is cached; null where nobody says, for which a row has 0. */
function minimumOf({ minCacheableTokens }: ModelRow): number | null {
  return minCacheableTokens === 0 ? null : minCacheableTokens;
}

/** `ccbench models`: the price table, each row with what it rests on. */
export function modelsCommand(
  session: CliSession,
  words: readonly string[] = [],
  { provider }: ModelsOptions = {},
): ExitCode {
  const shown = wantedRows(words, provider);
  const sources = [...new Set(shown.map((row) => row.source))].flatMap((source) => {
    const models = shown.filter((row) => row.source === source).map((row) => row.id);
    return [doc.inset(models.join(', '), 'plain', '  ', '  '), doc.inset(source, 'dim', '    ')];
  });
  const assumed = shown.filter((row) => row.pricesOf !== null);
  const listed = `${formatCounted(shown.length, 'model')}, with list prices that were checked on ${MODEL_TABLE_DATE}`;
  const named = assumed.map(({ id, pricesOf }) => `${id} (priced as ${pricesOf})`).join(', ');
  present(session, {
    blocks: [
      doc.tableOf(COLUMNS, doc.rowsOf(COLUMNS, shown), ''),
      '',
      'Dollars per million tokens; a minimum of – is not published: what the provider says of its other models holds, or none. --json has notes, latencies and price steps too. Sources:',
      ...sources,
    ],
    closing: {
      result: named === '' ? `${listed}.` : `${listed}; none are published for ${named}.`,
      advice: 'Prices change: a scenario adds and changes rows with `models:`.',
    },
    json: {
      checkedOn: MODEL_TABLE_DATE,
      models: shown.map((row) => ({ ...row, minCacheableTokens: minimumOf(row), cache: row.provider })),
    },
  });
  return EXIT.fine;
}
