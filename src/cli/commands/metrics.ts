import { METRIC_FAMILIES } from '../../metrics/families.js';
import { METRICS } from '../../metrics/registry.js';
import { type Column, tableLines } from '../../report/text/table.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type CliSession, printJson } from '../session.js';
import { screenFor } from '../terminal/paint.js';

const COLUMNS: readonly Column[] = [
  { header: 'metric', align: 'left', drop: null },
  { header: 'unit', align: 'left', drop: 1 },
  { header: 'better', align: 'left', drop: 2 },
  { header: 'meaning', align: 'left', drop: null },
];

/** `ccbench metrics`: what an expectation may name. */
export function metricsCommand(session: CliSession): ExitCode {
  const named = METRICS.all().map(({ name, unit, better, help }) => ({ name, unit, better, help }));
  const families = METRIC_FAMILIES.map(({ name, keyName, keys, better, help }) => ({
    name,
    keyName,
    keys,
    better,
    help,
  }));
  if (session.json) {
    printJson(session, { metrics: named, families });
    return EXIT.fine;
  }
  const rows = [
    ...named.map(({ name, unit, better, help }) => ({ cells: [name, unit, better ?? '', help] })),
    ...families.map(({ name, keyName, better, help }) => ({
      cells: [`${name}.${keyName}`, '', better ?? '', help],
    })),
  ];
  const screen = screenFor(session.host.stdout, session.colors);
  session.host.stdout.write(`${tableLines(COLUMNS, rows, { indent: '', ...screen }).join('\n')}\n`);
  return EXIT.fine;
}
