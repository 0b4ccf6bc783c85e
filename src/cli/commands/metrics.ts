import { METRIC_FAMILIES } from '../../metrics/families.js';
import { METRICS } from '../../metrics/registry.js';
import { type ColumnOf, rowsOf, tableOf, text } from '../../report/document/document.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { CliSession } from '../session.js';
import { present } from '../terminal/present.js';

/** A metric, or a family of metrics with a key. */
interface MetricRow {
  readonly name: string;
  readonly unit?: string;
  readonly better: string | null;
  readonly help: string;
}

const COLUMNS: readonly ColumnOf<MetricRow>[] = [
  text('metric', ({ name }) => name),
  text('unit', ({ unit }) => unit ?? '', 1),
  text('better', ({ better }) => better ?? '', 2),
  text('meaning', ({ help }) => help),
];

/** `ccbench metrics`: what an expectation may name. */
export function metricsCommand(session: CliSession): ExitCode {
  const metrics = METRICS.all().map(({ name, unit, better, help }) => ({ name, unit, better, help }));
  const families = METRIC_FAMILIES.map(({ name, keyName, keys, better, help }) => ({
    name,
    keyName,
    keys,
    better,
    help,
  }));
  const keyed = families.map((family) => ({ ...family, name: `${family.name}.${family.keyName}` }));
  const blocks = [tableOf(COLUMNS, rowsOf<MetricRow>(COLUMNS, [...metrics, ...keyed]), '')];
  present(session, { blocks, closing: null, json: { metrics, families } });
  return EXIT.fine;
}
