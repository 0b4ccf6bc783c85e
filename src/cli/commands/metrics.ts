import { pick } from '../../core/base/pick.js';
import { METRIC_FAMILIES } from '../../metrics/families.js';
import { METRICS } from '../../metrics/registry.js';
import * as doc from '../../report/document/document.js';
import { type CliSession, EXIT, type ExitCode } from '../session.js';
import { present } from '../terminal/present.js';

/** A metric, or a family of metrics with a key. */
interface MetricRow {
  readonly name: string;
  readonly unit?: string;
  readonly better: string | null;
  readonly help: string;
}

const COLUMNS: readonly doc.ColumnOf<MetricRow>[] = [
  doc.text('metric', ({ name }) => name),
  doc.text('unit', ({ unit }) => unit ?? '', 1),
  doc.text('better', ({ better }) => better ?? '', 2),
  doc.text('meaning', ({ help }) => help),
];

/** `ccbench metrics`: what an expectation may name. */
export function metricsCommand(session: CliSession): ExitCode {
  const metrics = METRICS.all().map((metric) => pick(metric, ['name', 'unit', 'better', 'help']));
  const families = METRIC_FAMILIES.map((family) =>
    pick(family, ['name', 'keyName', 'keys', 'better', 'help']),
  );
  const keyed = families.map((family) => ({ ...family, name: `${family.name}.${family.keyName}` }));
  const blocks = [doc.tableOf(COLUMNS, doc.rowsOf<MetricRow>(COLUMNS, [...metrics, ...keyed]), '')];
  present(session, { blocks, closing: null, json: { metrics, families } });
  return EXIT.fine;
}
