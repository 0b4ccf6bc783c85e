import { formatCount, formatCounted, formatDecimal, formatExponent } from '../../../core/base/format.js';
import * as doc from '../../../report/document/document.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import {
  type BenchResult,
  fallsShort,
  type GrowthResult,
  growsTooFast,
  type PathResult,
  type RatioResult,
  type Regression,
} from './result.js';

/** Characters of a bar that stands for an exponent of 1. */
const BAR_CHARS = 10;
/** Room for a ratio before its name. */
const RATIO_CHARS = 10;

function micros(ms: number): string {
  return formatDecimal(ms * 1_000, ms < 0.01 ? 3 : 1);
}

const PATHS: readonly doc.ColumnOf<PathResult>[] = [
  doc.text('hot path', ({ name }) => name),
  doc.number('tokens', ({ size }) => size, formatCount),
  doc.amount('p50 µs', ({ p50Ms }) => micros(p50Ms)),
  doc.amount('p99 µs', ({ p99Ms }) => micros(p99Ms), 1),
  doc.number('ops/s', ({ opsPerSec }) => opsPerSec, formatCount, 2),
];

const GROWTH: readonly doc.ColumnOf<GrowthResult>[] = [
  doc.text('path', ({ name }) => name),
  doc.amount('exponent', ({ exponent }) => formatExponent(exponent)),
  doc.text('', ({ exponent }) => '█'.repeat(Math.max(0, Math.round(exponent * BAR_CHARS))), 2),
  doc.text('promised', (row) =>
    row.promised === null ? 'whole window' : `≤ ${row.promised}${growsTooFast(row) ? '  MISSED' : ''}`,
  ),
  doc.text('works on', ({ input }) => input, 1),
];

function ratioBlocks(row: RatioResult): readonly doc.Block[] {
  const missed = fallsShort(row);
  const promise = row.promised === null ? '' : `  promised ≥ ${row.promised}${missed ? '  MISSED' : ''}`;
  return [
    doc.inset(
      `${row.name}${promise}`,
      missed ? 'bad' : 'plain',
      `${row.ratio.toFixed(2).padStart(RATIO_CHARS)}  `,
    ),
    doc.inset(row.detail, 'plain', ' '.repeat(RATIO_CHARS + 2), ' '.repeat(RATIO_CHARS + 2)),
  ];
}

/** What a benchmark found; `slower` is null where nothing was compared. */
export function benchBlocks(
  { results, growth, ratios, notes }: BenchResult,
  slower: readonly Regression[] | null,
): readonly doc.Block[] {
  const paths = [...results].sort((a, b) => (a.name === b.name ? a.size - b.size : a.name < b.name ? -1 : 1));
  return [
    doc.tableOf(PATHS, doc.rowsOf(PATHS, paths), ''),
    doc.section(
      'Growth: time ~ size^exponent',
      doc.tableOf(
        GROWTH,
        doc.rowsOf(GROWTH, growth, (row) => (growsTooFast(row) ? 'bad' : 'plain')),
        '',
      ),
    ),
    doc.section('Ratios, measured in turns in this run', ...ratios.flatMap(ratioBlocks)),
    '',
    ...notes.map((note) => doc.inset(note)),
    '',
    ...((slower ?? []).length === 0 ? [] : ['Slower than the saved run:']),
    ...(slower ?? []).map((row) =>
      doc.inset(
        `${row.name} at ${formatCount(row.size)}: ${micros(row.beforeMs)} → ${micros(row.nowMs)} µs (${row.factor.toFixed(2)} ×)`,
      ),
    ),
  ];
}

/** Whether what is promised holds, and what the times are worth. */
export function benchConclusion(
  { growth, ratios, results }: BenchResult,
  slower: readonly Regression[] | null,
): Conclusion {
  const promises = [...growth, ...ratios].filter(({ promised }) => promised !== null).length;
  const missed = growth.filter(growsTooFast).length + ratios.filter(fallsShort).length;
  const kept =
    promises === 0
      ? `${formatCounted(results.length, 'time')} measured, of which none is promised.`
      : `${formatCount(promises - missed)} of ${formatCounted(promises, 'promise')} ${promises - missed === 1 ? 'holds' : 'hold'}.`;
  if (slower === null)
    return {
      result: kept,
      advice:
        'Times are those of this machine at this moment: --save keeps them, --baseline compares with them.',
    };
  const which = slower.length === 0 ? 'No path is' : formatCounted(slower.length, 'path is', 'paths are');
  return {
    result: `${which} slower than the saved run beyond the noise.`,
    advice: `${kept} Compare only times of the same machine with little else to do.`,
  };
}
