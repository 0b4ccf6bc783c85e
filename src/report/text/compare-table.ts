import { formatValue } from '../../core/base/format.js';
import { completionOf } from '../../metrics/completion.js';
import { METRICS } from '../../metrics/registry.js';
import type { ComparisonTable } from '../page-data/page-data.js';
import type { ReportedRun } from '../page-data/page-run.js';
import { recordedRow } from './as-recorded.js';
import { metricWords } from './metric-words.js';

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
