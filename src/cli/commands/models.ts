import { formatCount, formatCounted, formatDecimal } from '../../core/base/format.js';
import { unknownName } from '../../core/base/registry.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { MODEL_TABLE_DATE } from '../../provider/prices/models.generated.js';
import { MODELS } from '../../provider/prices/models.js';
import { type Column, tableLines, wrapText } from '../../report/text/table.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type CliSession, printJson } from '../session.js';
import { closingText } from '../terminal/closing.js';
import { screenFor } from '../terminal/paint.js';

const COLUMNS: readonly Column[] = [
  { header: 'model', align: 'left', drop: null },
  { header: 'provider', align: 'left', drop: 1 },
  { header: 'input', align: 'right', drop: null },
  { header: 'output', align: 'right', drop: null },
  { header: 'read', align: 'right', drop: 7 },
  { header: 'write 5m', align: 'right', drop: 6 },
  { header: 'write 1h', align: 'right', drop: 5 },
  { header: 'window', align: 'right', drop: 4 },
  { header: 'min cached', align: 'right', drop: 3 },
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
  if (session.json) {
    const models = shown.map((row) => ({
      ...row,
      minCacheableTokens: minimumOf(row),
      cache: row.provider,
    }));
    printJson(session, { checkedOn: MODEL_TABLE_DATE, models });
    return EXIT.fine;
  }
  const price = (value: number): string => formatDecimal(value, 3);
  const rows = shown.map((row) => ({
    cells: [
      row.id,
      row.provider,
      price(row.pricesPerMTok.input),
      price(row.pricesPerMTok.output),
      price(row.pricesPerMTok.cacheRead),
      price(row.pricesPerMTok.cacheWrite5m),
      price(row.pricesPerMTok.cacheWrite1h),
      formatCount(row.window),
      formatCount(minimumOf(row)),
    ],
  }));
  const screen = screenFor(session.host.stdout, session.colors);
  const lines = tableLines(COLUMNS, rows, { indent: '', ...screen });
  const sources = [...new Set(shown.map((row) => row.source))].flatMap((source) => {
    const models = shown.filter((row) => row.source === source).map((row) => row.id);
    return [
      ...wrapText(models.join(', '), screen.width, '  ', '  '),
      ...wrapText(source, screen.width, '    ', '    ').map(screen.style.dim),
    ];
  });
  const legend = wrapText(
    'Dollars per million tokens; a minimum of – is not published: what the provider says of its other models holds, or none. --json has notes, latencies and price steps too. Sources:',
    screen.width,
    '',
    '',
  );
  const assumed = shown.filter((row) => row.pricesOf !== null);
  const listed = `${formatCounted(shown.length, 'model')}, with list prices that were checked on ${MODEL_TABLE_DATE}`;
  const closing = {
    result:
      assumed.length === 0
        ? `${listed}.`
        : `${listed}; none are published for ${assumed.map(({ id, pricesOf }) => `${id} (priced as ${pricesOf})`).join(', ')}.`,
    advice: 'Prices change: a scenario adds and changes rows with `models:`.',
  };
  session.host.stdout.write(
    `${lines.join('\n')}\n\n${legend.join('\n')}\n${sources.join('\n')}\n\n${closingText(closing, screen)}`,
  );
  return EXIT.fine;
}
