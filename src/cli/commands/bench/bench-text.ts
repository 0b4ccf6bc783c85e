import { formatCount, formatCounted, formatDecimal, formatExponent } from '../../../core/base/format.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { type Column, tableLines } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';
import type { Regression } from './against.js';
import { type BenchResult, fallsShort, type GrowthResult, growsTooFast, type RatioResult } from './result.js';

const PATH_COLUMNS: readonly Column[] = [
  { header: 'hot path', align: 'left', drop: null },
  { header: 'tokens', align: 'right', drop: null },
  { header: 'p50 µs', align: 'right', drop: null },
  { header: 'p99 µs', align: 'right', drop: 1 },
  { header: 'ops/s', align: 'right', drop: 2 },
];

const GROWTH_COLUMNS: readonly Column[] = [
  { header: 'path', align: 'left', drop: null },
  { header: 'exponent', align: 'right', drop: null },
  { header: '', align: 'left', drop: 2 },
  { header: 'promised', align: 'left', drop: null },
  { header: 'works on', align: 'left', drop: 1 },
];

/** Characters of a bar that stands for an exponent of 1. */
const BAR_CHARS = 10;

function micros(ms: number): string {
  return formatDecimal(ms * 1_000, ms < 0.01 ? 3 : 1);
}

function pathLines({ results }: BenchResult, screen: Screen): readonly string[] {
  if (results.length === 0) return [];
  const rows = [...results]
    .sort((a, b) => (a.name === b.name ? a.size - b.size : a.name < b.name ? -1 : 1))
    .map((row) => ({
      cells: [
        row.name,
        formatCount(row.size),
        micros(row.p50Ms),
        micros(row.p99Ms),
        formatCount(row.opsPerSec),
      ],
    }));
  return [...tableLines(PATH_COLUMNS, rows, { indent: '', ...screen }), ''];
}

function growthPromise(row: GrowthResult): string {
  if (row.promised === null) return 'whole window';
  return `≤ ${row.promised}${growsTooFast(row) ? '  MISSED' : ''}`;
}

function growthLines({ growth }: BenchResult, screen: Screen): readonly string[] {
  if (growth.length === 0) return [];
  const rows = growth.map((row) => ({
    cells: [
      row.name,
      formatExponent(row.exponent),
      '█'.repeat(Math.max(0, Math.round(row.exponent * BAR_CHARS))),
      growthPromise(row),
      row.input,
    ],
    tone: growsTooFast(row) ? ('bad' as const) : ('plain' as const),
  }));
  return [
    screen.style.bold('Growth: time ~ size^exponent'),
    ...tableLines(GROWTH_COLUMNS, rows, { indent: '', ...screen }),
    '',
  ];
}

function ratioPromise(row: RatioResult): string {
  if (row.promised === null) return '';
  return `  promised ≥ ${row.promised}${fallsShort(row) ? '  MISSED' : ''}`;
}

function ratioLines({ ratios }: BenchResult, { style }: Screen): readonly string[] {
  if (ratios.length === 0) return [];
  return [
    style.bold('Ratios, measured in turns in this run'),
    ...ratios.flatMap((row) => {
      const line = `  ${row.ratio.toFixed(2).padStart(8)}  ${row.name}${ratioPromise(row)}`;
      return [fallsShort(row) ? style.red(line) : line, `            ${row.detail}`];
    }),
    '',
  ];
}

function slowerLines(slower: readonly Regression[]): readonly string[] {
  if (slower.length === 0) return [];
  return [
    'Slower than the saved run:',
    ...slower.map(
      (row) =>
        `  ${row.name} at ${formatCount(row.size)}: ${micros(row.beforeMs)} → ${micros(row.nowMs)} µs (${row.factor.toFixed(2)} ×)`,
    ),
    '',
  ];
}

/** What a benchmark found as text; `slower` is null where nothing was compared. */
export function benchText(result: BenchResult, slower: readonly Regression[] | null, screen: Screen): string {
  const notes = result.notes.length === 0 ? [] : [...result.notes.map((note) => `  ${note}`), ''];
  const lines = [
    ...pathLines(result, screen),
    ...growthLines(result, screen),
    ...ratioLines(result, screen),
    ...notes,
    ...(slower === null ? [] : slowerLines(slower)),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
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
        'Times are those of this machine at this moment: --save keeps them, --against compares with them.',
    };
  return {
    result:
      slower.length === 0
        ? 'No path is slower than the saved run beyond the noise.'
        : `${formatCounted(slower.length, 'path is', 'paths are')} slower than the saved run beyond the noise.`,
    advice: `${kept} Compare only times of the same machine with little else to do.`,
  };
}
