import { formatCount, formatDecimal, formatExponent } from '../../../core/base/format.js';
import { DISTINCT, distinctColor } from '../../../report/charts/palette.js';
import * as doc from '../../../report/document/document.js';
import { card, pageTable } from '../../../report/document/document.js';
import { type StudyPage, studyPage } from '../../../report/html/page-html.js';
import type { ComparisonCell, PageFact, StudyChart } from '../../../report/page-data/page-data.js';
import { type BenchResult, fallsShort, type GrowthResult, growsTooFast, type PathResult } from './result.js';

/** Paths with a colour of their own: more could not be distinguished. */
const COLOURED = 6;

function timesChart({ results }: BenchResult): readonly StudyChart[] {
  const slowest = (name: string): number =>
    Math.max(...results.filter((own) => own.name === name).map(({ p50Ms }) => p50Ms));
  const names = [...new Set(results.map(({ name }) => name))].sort((a, b) => slowest(b) - slowest(a));
  const series = names.map((name, i) => ({
    name: i < COLOURED ? name : 'faster ones',
    color: i < COLOURED ? distinctColor(i) : DISTINCT.grey,
    drawn: 'line' as const,
    points: results.flatMap((own, row) =>
      own.name === name && own.size > 0 && own.p50Ms > 0 ? [{ x: own.size, y: own.p50Ms, row }] : [],
    ),
  }));
  const drawn = series.filter(({ points }) => points.length > 0);
  if (drawn.length === 0) return [];
  return [
    {
      name: 'hot-paths',
      title: 'Median time of each path by the size of the context',
      x: { title: 'context (tokens)', unit: 'tokens', scale: 'log' },
      y: { title: 'median (ms)', unit: 'ms', scale: 'log' },
      series: drawn,
    },
  ];
}

/** The timed path that grows fastest among those with a promise; none if there is no such path. */
function fastestGrowth(timed: readonly GrowthResult[]): readonly PageFact[] {
  const [worst] = timed.filter(({ promised }) => promised !== null).sort((a, b) => b.exponent - a.exponent);
  if (worst === undefined) return [];
  const note = `at most ${formatDecimal(worst.promised, 2)} promised; ${worst.name} grows fastest`;
  return [
    card('growth of hot paths', formatExponent(worst.exponent), note, growsTooFast(worst) ? 'bad' : 'plain'),
  ];
}

/** One number of each suite with its promise: the fastest growth of the hot paths, ratios, and the growth of what no row of the table times. */
function cardsOf({ ratios, growth, results }: BenchResult): readonly PageFact[] {
  const timed = new Set(results.map(({ name }) => name));
  return [
    ...fastestGrowth(growth.filter(({ name }) => timed.has(name))),
    ...ratios.map(({ name, ratio, promised, detail }) =>
      card(
        name,
        formatDecimal(ratio, 3),
        promised === null ? detail : `at least ${formatDecimal(promised, 3)} promised; ${detail}`,
        fallsShort({ ratio, promised }) ? 'bad' : 'plain',
      ),
    ),
    ...growth
      .filter(({ name }) => !timed.has(name))
      .map(({ name, exponent, promised, input }) =>
        card(
          `growth of ${name}`,
          formatExponent(exponent),
          promised === null ? input : `at most ${formatDecimal(promised, 2)} promised; ${input}`,
          growsTooFast({ exponent, promised }) ? 'bad' : 'plain',
        ),
      ),
  ];
}

const millis = (ms: number | null): string => formatDecimal(ms, 4);

/** The columns of times, with how each path grows. */
function columnsOf(growth: readonly GrowthResult[]): doc.ColumnsOf<PathResult> {
  const byName = new Map(growth.map((own) => [own.name, own]));
  const exponentCell = ({ name }: PathResult): ComparisonCell => {
    const own = byName.get(name);
    if (own === undefined) return { text: '–' };
    const cell = { text: formatExponent(own.exponent), value: own.exponent };
    return growsTooFast(own) ? { ...cell, mark: 'worse' } : cell;
  };
  return [
    doc.text('path', ({ name, size }) => `${name} at ${formatCount(size)}`),
    doc.number('context tokens', ({ size }) => size, formatCount),
    doc.number('median ms', ({ p50Ms }) => p50Ms, millis),
    doc.number('p99 ms', ({ p99Ms }) => p99Ms, millis),
    doc.number('per second', ({ opsPerSec }) => opsPerSec, formatCount),
    doc.column('exponent', exponentCell),
    doc.number(
      'promised',
      ({ name }) => byName.get(name)?.promised ?? null,
      (value) => formatDecimal(value, 2),
    ),
  ];
}

/** bench.html: times, growth and ratios. */
export function benchPage(result: BenchResult): StudyPage {
  const fast = result.growth.filter(growsTooFast);
  return studyPage(
    {
      title: 'Hot paths and ratios',
      lead:
        fast.length === 0
          ? 'Nothing grows faster than promised.'
          : `Growing faster than promised in this run: ${fast.map(({ name }) => name).join(', ')}.`,
      cards: cardsOf(result),
      of: 'path',
      charts: timesChart(result),
      table: pageTable('Times', columnsOf(result.growth), result.results, [
        ...result.notes,
        'exponent: how the time of a path grows with the context; 1 is linear',
      ]),
    },
    'ccbench bench prints the same numbers.',
  );
}
