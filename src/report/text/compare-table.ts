import { formatValue } from '../../core/base/format.js';
import { completionOf } from '../../metrics/facts.js';
import { METRICS } from '../../metrics/registry.js';
import type { ComparisonTable } from '../page-data/page-data.js';
import type { ReportedRun } from '../page-data/page-run.js';
import { recordedRow } from './as-recorded.js';
import { metricWords } from './metric-words.js';

/** Shown where a row has no value. */
const NO_VALUE = '–';

/** The value that all rows have in a column, as far as they have one; null if they differ, or only one has. */
function commonText({ rows }: ComparisonTable, column: number): string | null {
  const texts = rows.map(({ cells }) => cells[column]!.text).filter((text) => text !== NO_VALUE);
  return texts.length > 1 && texts.every((text) => text === texts[0]) ? texts[0]! : null;
}

/** A table without the columns in which all rows are alike, and what they have in common; the first column stays. */
export function commonColumns(table: ComparisonTable): {
  readonly table: ComparisonTable;
  readonly same: readonly string[];
} {
  const common = table.columns.map((_, i) => (i === 0 ? null : commonText(table, i)));
  const varying = common.flatMap((text, i) => (text === null ? [i] : []));
  return {
    table: {
      ...table,
      columns: varying.map((i) => table.columns[i]!),
      rows: table.rows.map((row) => ({ ...row, cells: varying.map((i) => row.cells[i]!) })),
    },
    same: table.columns.flatMap((name, i) => (common[i] === null ? [] : [`${name} ${common[i]}`])),
  };
}

/** The metrics of a comparison for which nobody chose others. */
const CHOSEN = [
  'costUsd',
  'finishedShare',
  'callsLost',
  'cacheHitRate',
  'promptTokens',
  'peakContextTokens',
  'compactions',
  'compactionsPrevented',
  'tokensSaved',
  'tokensNotCarried',
  'cacheTokensDestroyed',
  'requestsRefused',
] as const;

/** Runs side by side by their main metrics, the best value of each among the finished ones marked where values differ. */
export function compareTable(runs: readonly ReportedRun[]): ComparisonTable {
  const metrics = CHOSEN.map((name) => METRICS.get(name));
  const values = runs.map(({ facts }) => metrics.map((metric) => metric.value(facts)));
  const finished = runs.map(({ facts }) => completionOf(facts).finished);
  const best = metrics.map(({ better }, column) => {
    const known = values.flatMap((row, i) => (finished[i] ? (row[column] ?? []) : []));
    if (better === null || known.length < 2 || new Set(known).size === 1) return null;
    return better === 'lower' ? Math.min(...known) : Math.max(...known);
  });
  const [first, ...others] = runs.map(({ facts }) => facts.run?.transcript);
  const bill = others.every((other) => other?.id === first?.id) ? first?.recorded : undefined;
  return {
    caption: 'Variants side by side',
    columns: CHOSEN.map(metricWords),
    metrics: CHOSEN,
    rows: [
      ...(bill === undefined ? [] : [recordedRow([bill], CHOSEN)]),
      ...runs.map(({ name }, row) => ({
        name,
        ...(finished[row] ? {} : { note: 'unfinished' }),
        cells: metrics.map(({ unit }, column) => {
          const value = values[row]![column] ?? null;
          const text = formatValue(value, unit);
          return finished[row] && value !== null && value === best[column]
            ? { text, value, mark: 'best' as const }
            : { text, value };
        }),
      })),
    ],
    notes: [],
  };
}
