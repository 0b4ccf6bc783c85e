import { formatValue } from '../../../core/base/format.js';
import { findMetric } from '../../../metrics/registry.js';
import type { ComparisonCell, ComparisonTable } from '../../../report/page-data/page-data.js';
import { AS_RECORDED } from '../../../report/text/as-recorded.js';
import type { Comparison } from '../../../study/comparison.js';
import { isFinished, type VariantRuns } from '../../../study/completeness.js';
import type { MetricRecord } from '../../../study/job.js';
import { inputId } from '../../../transcripts/files/read-input.js';
import type { RecordedReference } from './recorded-reference.js';

/** What the table of sessions is made from. */
export interface ComparedSessions {
  readonly comparison: Comparison;
  readonly runs: readonly VariantRuns[];
  readonly recorded: RecordedReference | null;
  /** The session whose runs the page shows in full. */
  readonly shown: string;
  /** The command that compares the variants on one session; null for one that no file holds. */
  command(session: string): string | null;
}

/** Index of the one best value of a session that every variant finished; −1 where there is none. */
function bestOf(records: readonly (MetricRecord | null | undefined)[], metric: string): number {
  const { better } = findMetric(metric)!;
  const values = records.map((record) => (isFinished(record) ? (record?.[metric] ?? null) : null));
  if (better === null || values.some((value) => value === null)) return -1;
  const best = (better === 'lower' ? Math.min : Math.max)(...(values as number[]));
  return values.filter((value) => value === best).length === 1 ? values.indexOf(best) : -1;
}

/** Names without the folders and endings that all share, as far as they stay apart. */
function namesOf(sessions: readonly string[]): readonly string[] {
  const short = sessions.map(inputId);
  return new Set(short).size === sessions.length ? short : sessions;
}

/** The first metric of every session under every variant; null where there is one session alone. */
export function sessionsTable(input: ComparedSessions): ComparisonTable | null {
  const { comparison, runs, recorded } = input;
  const { transcripts, compared } = comparison.completeness;
  if (transcripts.length < 2) return null;
  const metric = comparison.metrics[0]!;
  const { unit } = findMetric(metric)!;
  const names = namesOf(transcripts);
  const cell = (value: number | null | undefined): ComparisonCell => ({
    text: formatValue(value ?? null, unit),
    value: value ?? null,
  });
  const rows = transcripts.map((session, i) => {
    const records = runs.map(({ byTranscript }) => byTranscript.get(session));
    const best = bestOf(records, metric);
    const own = recorded?.runs.find(({ transcript }) => transcript === session);
    const command = input.command(session);
    return {
      name: names[i]!,
      ...(compared.includes(session) ? {} : { note: 'not compared' }),
      ...(command === null ? {} : { command }),
      cells: [
        ...(recorded === null ? [] : [cell(own?.metrics[metric])]),
        ...records.map(
          (record, column): ComparisonCell => ({
            ...cell(record?.[metric]),
            ...(record == null || isFinished(record) ? {} : { note: 'unfinished' }),
            ...(column === best ? { mark: 'best' } : {}),
          }),
        ),
      ],
    };
  });
  return {
    caption: `${metric} by session`,
    columns: [...(recorded === null ? [] : [AS_RECORDED]), ...runs.map(({ name }) => name)],
    rows,
    notes: [
      `The runs below are those of ${names[transcripts.indexOf(input.shown)] ?? input.shown}.`,
      ...(rows.some(({ command }) => command !== undefined)
        ? ['The name of a session shows the command that makes this page for it alone.']
        : []),
    ],
  };
}
