import { MODEL_TABLE, MODEL_TABLE_DATE } from '../../cache/model-table.js';
import { formatCount, formatDecimal } from '../../report/format.js';
import { type Column, tableLines, wrapText } from '../../report/table.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type CliSession, printJson } from '../session.js';
import { screenFor } from '../terminal/paint.js';

const COLUMNS: readonly Column[] = [
  { header: 'model', align: 'left', drop: null },
  { header: 'input', align: 'right', drop: null },
  { header: 'output', align: 'right', drop: null },
  { header: 'read', align: 'right', drop: 6 },
  { header: 'write 5m', align: 'right', drop: 5 },
  { header: 'write 1h', align: 'right', drop: 4 },
  { header: 'window', align: 'right', drop: 3 },
  { header: 'min cached', align: 'right', drop: 2 },
];

/** `ccbench models`: the price table, each row with what it rests on. */
export function modelsCommand(session: CliSession): ExitCode {
  if (session.json) {
    printJson(session, { checkedOn: MODEL_TABLE_DATE, models: MODEL_TABLE });
    return EXIT.fine;
  }
  const price = (value: number): string => formatDecimal(value, 3);
  const rows = MODEL_TABLE.map((row) => ({
    cells: [
      row.id,
      price(row.pricesPerMTok.input),
      price(row.pricesPerMTok.output),
      price(row.pricesPerMTok.cacheRead),
      price(row.pricesPerMTok.cacheWrite5m),
      price(row.pricesPerMTok.cacheWrite1h),
      formatCount(row.window),
      formatCount(row.minCacheableTokens),
    ],
  }));
  const screen = screenFor(session.host.stdout, session.colors);
  const lines = tableLines(COLUMNS, rows, { indent: '', ...screen });
  const sources = [...new Set(MODEL_TABLE.map((row) => row.source))].flatMap((source) => {
    const models = MODEL_TABLE.filter((row) => row.source === source).map((row) => row.id);
    return [
      ...wrapText(models.join(', '), screen.width, '  ', '  '),
      ...wrapText(source, screen.width, '    ', '    ').map(screen.style.dim),
    ];
  });
  session.host.stdout.write(
    `${lines.join('\n')}\n\nDollars per million tokens, checked on ${MODEL_TABLE_DATE}; --json has notes, latencies and price steps too. Sources:\n${sources.join('\n')}\n`,
  );
  return EXIT.fine;
}
