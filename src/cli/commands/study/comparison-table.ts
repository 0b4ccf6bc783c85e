import { formatCount, formatCounted, formatDecimal, formatValue } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { parseExpectation } from '../../../metrics/expect.js';
import { findMetric } from '../../../metrics/registry.js';
import type { ComparisonCell, ComparisonTable } from '../../../report/page-data/page-data.js';
import { AS_RECORDED } from '../../../report/text/as-recorded.js';
import { metricWords } from '../../../report/text/metric-words.js';
import type { ComparedVariant, Comparison, Difference } from '../../../study/comparison.js';
import { isFinished, type VariantRuns } from '../../../study/completeness.js';
import type { MetricRecord } from '../../../study/job.js';
import { inputId } from '../../../transcripts/files/read-input.js';
import { completenessNotes, meansNote, partialNotes, rowNote } from './completeness-notes.js';
import { costIntervalNotes } from './provider-notes.js';
import type { RecordedReference } from './recorded-reference.js';
import { measured } from './study-conclusion.js';

function percent(share: number): string {
  const size = Math.abs(share) * 100;
  const figures = size > 0 && size < 0.05 ? '<0.1' : formatDecimal(size, 1);
  return `${share < 0 ? '−' : '+'}${figures} %`;
}

/** A difference with its sign, in the metric's unit. */
export function signed(value: number, metric: string): string {
  return `${value < 0 ? '−' : '+'}${formatValue(Math.abs(value), findMetric(metric)!.unit)}`;
}

/** A difference in short: relative where the baseline is not zero. */
export function differenceText(difference: Difference, metric: string): string {
  const { mean, relative, verdict } = difference;
  if (verdict === 'no-data' || mean === null) return '';
  if (verdict === 'same' || (verdict === 'unranked' && mean === 0)) return '=';
  if (verdict === 'within-noise') return 'within noise';
  return relative === null ? signed(mean, metric) : percent(relative);
}

/** The interval of a difference in the metric's own unit; empty if there is none. */
export function intervalText({ low, high }: Difference, metric: string): string {
  return low === null || high === null ? '' : `${signed(low, metric)} … ${signed(high, metric)}`;
}

const VERDICTS: Readonly<Record<Difference['verdict'], string>> = {
  better: 'better',
  worse: 'worse',
  differs: 'another value',
  'within-noise': 'within noise',
  same: 'the same',
  'one-pair': 'one transcript, no interval',
  'no-data': 'no data',
  unranked: 'not ranked',
};

/** Columns that say how far a variant came: over all its sessions, so no difference is paired with them. */
const COMPLETION_COLUMNS = new Set(['finishedShare', 'callsLost', 'callsAnswered']);

/** One sentence per variant on the first metric, with its interval. */
function headlineNotes(comparison: Comparison): readonly string[] {
  const [metric] = comparison.metrics;
  if (metric === undefined) return [];
  return comparison.variants.flatMap(({ name, differences }) => {
    const difference = ownValue(differences, metric);
    if (difference === undefined || difference.verdict === 'same') return [];
    if (difference.verdict === 'unranked' && !difference.mean) return [];
    const interval = intervalText(difference, metric);
    const mean = difference.mean === null ? '' : `${signed(difference.mean, metric)} `;
    const size = difference.relative === null ? '' : `${percent(difference.relative)}, `;
    const range = interval === '' ? '' : `95 %: ${interval}, `;
    return [`${metricWords(metric)} of ${name}: ${mean}(${size}${range}${VERDICTS[difference.verdict]})`];
  });
}

/** Whether two variants have the same value of everything that was measured, session by session, shown or not. */
function isEqualThroughout(a: VariantRuns, b: VariantRuns): boolean {
  for (const [transcript, one] of a.byTranscript) {
    const other = b.byTranscript.get(transcript) ?? null;
    const names = new Set([one, other].flatMap((record) => Object.keys(record ?? {})));
    for (const name of names)
      if ((ownValue(one, name) ?? null) !== (ownValue(other, name) ?? null)) return false;
    if ((one === null) !== (other === null)) return false;
  }
  return true;
}

/** Variants that came out like the baseline: they stay in the table, and it is said whether anything else of them differs. */
function equalNotes({ variants, baseline }: Comparison, runs: readonly VariantRuns[]): readonly string[] {
  const base = runs.find(({ name }) => name === baseline)!;
  const equal = variants.flatMap(({ name, differences }) =>
    differences !== null && Object.values(differences).every(({ verdict }) => verdict === 'same')
      ? [{ name, isThroughout: isEqualThroughout(runs.find((own) => own.name === name)!, base) }]
      : [],
  );
  const [throughout, shown] = [true, false].map((wanted) =>
    equal.flatMap(({ name, isThroughout }) => (isThroughout === wanted ? [name] : [])).join(', '),
  );
  return [
    throughout !== '' &&
      `the same as ${baseline} in every metric: ${throughout}; the changed settings had no effect here`,
    shown !== '' &&
      `the same as ${baseline} in every metric shown: ${shown}; others differ (--json has them)`,
  ].filter((note) => note !== false);
}

/** One sentence per variant that does not meet a condition, with the value that is farthest from it. */
function brokenNotes({ variants, completeness }: Comparison): readonly string[] {
  return variants.flatMap(({ name, broken, completeness: { run } }) =>
    broken.map(({ rule, runs }) => {
      const { metric, op } = parseExpectation(rule, null);
      const sign = op.startsWith('>') ? 1 : -1;
      const [worst] = [...runs].sort((a, b) => sign * ((a.value ?? 0) - (b.value ?? 0)));
      const value = worst!.value === null ? 'no value' : formatValue(worst!.value, findMetric(metric)!.unit);
      const where =
        completeness.transcripts.length === 1
          ? value
          : `not in ${formatCount(runs.length)} of ${formatCounted(run, 'session')}, ${value} in ${worst!.transcript}`;
      return `ranked last: ${name} does not meet ${rule} (${where})`;
    }),
  );
}

/** What the reader must know to read the table. */
function notesOf(comparison: Comparison, isWhatIf: boolean): readonly string[] {
  const { completeness, baseline } = comparison;
  const about =
    completeness.transcripts.length === 1
      ? isWhatIf
        ? 'one transcript: the intervals hold for this session only'
        : 'one transcript: differences have no interval and may not hold on other sessions'
      : `${meansNote(completeness)}; differences are paired, intervals are 95 %; one that contains 0 is noise`;
  return [`* best · differences to ${baseline} · ${about}`, ...brokenNotes(comparison)];
}

/** A comparison as reports show it; the differences in cost of a what-if are said with its own intervals. */
export function comparisonTable(
  caption: string,
  comparison: Comparison,
  runs: readonly VariantRuns[],
  costNotes: readonly string[] | null = null,
): ComparisonTable {
  const cellsOf = (row: ComparedVariant) =>
    comparison.metrics.map((name) => {
      const value = ownValue(row.metrics, name) ?? null;
      const text = measured(row.metrics, name);
      const difference = COMPLETION_COLUMNS.has(name) ? undefined : ownValue(row.differences, name);
      const note = difference === undefined ? '' : differenceText(difference, name);
      if (ownValue(comparison.best, name) === row.name) return { text, value, note, mark: 'best' as const };
      return difference?.verdict === 'worse'
        ? { text, value, note, mark: 'worse' as const }
        : { text, value, note };
    });
  const alarms = [
    ...partialNotes(runs, comparison.completeness, comparison.metrics),
    ...completenessNotes(comparison.completeness, 'variant', runs),
  ];
  return {
    caption,
    alarms,
    columns: comparison.metrics.map(metricWords),
    metrics: comparison.metrics,
    rows: comparison.variants.map((row) => {
      const note = [
        rowNote(row.completeness, comparison.completeness),
        ...row.broken.map(({ rule }) => `not ${rule}`),
      ].filter((part) => part !== undefined);
      return { name: row.name, ...(note.length === 0 ? {} : { note: note.join(', ') }), cells: cellsOf(row) };
    }),
    notes: [
      ...(costNotes ?? []),
      ...notesOf(comparison, costNotes !== null),
      ...alarms,
      ...equalNotes(comparison, runs),
      ...(costNotes !== null && comparison.metrics[0] === 'costUsd' ? [] : headlineNotes(comparison)),
      ...(comparison.metrics[0] === 'costUsd' && costNotes === null
        ? comparison.variants.flatMap(({ name, metrics, completeness }) =>
            costIntervalNotes(name, metrics, completeness.compared || completeness.run),
          )
        : []),
    ],
  };
}

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

/** Index of the one best value of a session that every variant finished; −1 where there is none, or several look the same. */
function bestOf(records: readonly (MetricRecord | null | undefined)[], metric: string): number {
  const { better, unit } = findMetric(metric)!;
  const values = records.map((record) => (isFinished(record) ? (ownValue(record, metric) ?? null) : null));
  if (better === null || values.some((value) => value === null)) return -1;
  const best = (better === 'lower' ? Math.min : Math.max)(...(values as number[]));
  const shown = formatValue(best, unit);
  return values.filter((value) => formatValue(value, unit) === shown).length === 1
    ? values.indexOf(best)
    : -1;
}

/** Names without the folders and endings that all share, as far as they stay apart. */
function namesOf(sessions: readonly string[]): readonly string[] {
  const short = sessions.map(inputId);
  return new Set(short).size === sessions.length ? short : sessions;
}

/** The first metric of every session under every variant; null if there is one session alone. */
export function sessionsTable(input: ComparedSessions): ComparisonTable | null {
  const { comparison, runs, recorded } = input;
  const { transcripts, compared } = comparison.completeness;
  if (transcripts.length < 2) return null;
  const metric = comparison.metrics[0]!;
  const { unit } = findMetric(metric)!;
  const names = namesOf(transcripts);
  const isCompared = new Set(compared);
  const asRecorded = new Map(recorded?.runs.map((run) => [run.transcript, run.metrics]));
  const cell = (value: number | null | undefined): ComparisonCell => ({
    text: formatValue(value ?? null, unit),
    value: value ?? null,
  });
  const rows = transcripts.map((session, i) => {
    const records = runs.map(({ byTranscript }) => byTranscript.get(session));
    const best = bestOf(records, metric);
    const command = input.command(session);
    return {
      name: names[i]!,
      ...(isCompared.has(session) ? {} : { note: 'not compared' }),
      ...(command === null ? {} : { command }),
      cells: [
        ...(recorded === null ? [] : [cell(ownValue(asRecorded.get(session), metric))]),
        ...records.map(
          (record, column): ComparisonCell => ({
            ...cell(ownValue(record, metric)),
            ...(record == null || isFinished(record) ? {} : { note: 'unfinished' }),
            ...(column === best ? { mark: 'best' } : {}),
          }),
        ),
      ],
    };
  });
  return {
    caption: `${metricWords(metric)} by session`,
    columns: [...(recorded === null ? [] : [AS_RECORDED]), ...runs.map(({ name }) => name)],
    rows,
    notes: [
      `The runs below are those of ${names[transcripts.indexOf(input.shown)] ?? input.shown}.`,
      ...(rows.some(({ command }) => command !== undefined)
        ? ['Click a session for the command that makes this page for it alone.']
        : []),
    ],
  };
}
