import { formatValue } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import type { RecordedBill } from '../../../core/run/recorded-bill.js';
import { recordedMetrics } from '../../../metrics/metric.js';
import { findMetric } from '../../../metrics/registry.js';
import type { ComparisonTable } from '../../../report/page-data/page-data.js';
import { AS_RECORDED, recordedRow } from '../../../report/text/as-recorded.js';
import { meansOf } from '../../../study/completeness.js';
import type { MetricRecord } from '../../../study/job.js';
import { type RecordedCosts, recordedCosts } from '../../runs/recorded-costs.js';
import type { StudyInputs } from './study-inputs.js';

/** What the transcripts of a study cost where they were recorded. */
export interface RecordedReference {
  /** Means over the transcripts that carry usage. */
  readonly metrics: MetricRecord;
  readonly runs: readonly { readonly transcript: string; readonly metrics: MetricRecord }[];
  readonly bills: readonly RecordedBill[];
  readonly costs: RecordedCosts;
}

/** The reference for variants and settings, over the sessions that they are compared on; null if none has usage. */
export function recordedReference(
  inputs: StudyInputs,
  compared: readonly string[],
): RecordedReference | null {
  const wanted = new Set(compared);
  const transcripts = inputs.transcripts.filter(({ label }) => wanted.has(label));
  const costs = recordedCosts(transcripts.map(({ label, bill }) => ({ name: label, bill })));
  if (costs === null) return null;
  const known = transcripts.flatMap(({ label, bill }) =>
    bill === null ? [] : [{ transcript: label, metrics: recordedMetrics(bill), bill }],
  );
  return {
    metrics: meansOf(known.map(({ metrics }) => metrics)),
    runs: known.map(({ transcript, metrics }) => ({ transcript, metrics })),
    bills: known.map(({ bill }) => bill),
    costs,
  };
}

/** A table with what was recorded as its first row. */
export function withRecorded(table: ComparisonTable, reference: RecordedReference | null): ComparisonTable {
  if (reference === null) return table;
  const rows = [recordedRow(reference.bills, table.metrics ?? table.columns), ...table.rows];
  return { ...table, rows, notes: [...table.notes, ...reference.costs.notes] };
}

/** Lines that say what was recorded, for tables whose rows are settings. */
export function referenceNotes(
  reference: RecordedReference | null,
  metrics: readonly string[],
): readonly string[] {
  if (reference === null) return [];
  const values = [...new Set(['costUsd', ...metrics])].flatMap((name) => {
    const value = ownValue(reference.metrics, name) ?? null;
    return value === null ? [] : [`${name} ${formatValue(value, findMetric(name)!.unit)}`];
  });
  const means = reference.runs.length === 1 ? '' : ` (means over ${reference.runs.length} transcripts)`;
  return [`${AS_RECORDED}: ${values.join(', ')}${means}`, ...reference.costs.notes];
}
