import { formatCount, formatDecimal, formatExponent } from '../../../core/base/format.js';
import { DISTINCT, distinctColor } from '../../../report/charts/palette.js';
import { studyHtml } from '../../../report/html/study-html.js';
import type { ComparisonCell, PageFact } from '../../../report/page-data/page-data.js';
import type { StudyChart } from '../../../report/page-data/study-page-data.js';
import { type BenchResult, type GrowthResult, growsTooFast } from './result.js';

/** Paths with a colour of their own: more could not be told apart. */
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
      title: 'Median time of each path by the size of the context',
      x: { title: 'context (tokens)', unit: 'tokens', scale: 'log' },
      y: { title: 'median (ms)', unit: 'ms', scale: 'log' },
      series: drawn,
    },
  ];
}

/** Ratios, and the growth of what no row of the table times. */
function cardsOf({ ratios, growth, results }: BenchResult): readonly PageFact[] {
  const timed = new Set(results.map(({ name }) => name));
  return [
    ...ratios.map(
      ({ name, ratio, promised, detail }): PageFact => ({
        label: name,
        value: formatDecimal(ratio, 3),
        note: promised === null ? detail : `promised: ${formatDecimal(promised, 3)}; ${detail}`,
        tone: 'plain',
      }),
    ),
    ...growth
      .filter(({ name }) => !timed.has(name))
      .map(
        ({ name, exponent, promised, input }): PageFact => ({
          label: `growth of ${name}`,
          value: formatExponent(exponent),
          note: promised === null ? input : `at most ${formatDecimal(promised, 2)} promised; ${input}`,
          tone: growsTooFast({ exponent, promised }) ? 'bad' : 'plain',
        }),
      ),
  ];
}

function growthCells(own: GrowthResult | undefined): readonly ComparisonCell[] {
  if (own === undefined) return [{ text: '–' }, { text: '–' }];
  const { exponent, promised } = own;
  const text = formatExponent(exponent);
  return [
    growsTooFast(own) ? { text, value: exponent, mark: 'worse' } : { text, value: exponent },
    { text: promised === null ? '–' : formatDecimal(promised, 2), value: promised },
  ];
}

/** bench.html: times, growth and ratios. */
export function benchHtml(result: BenchResult): string {
  const { results } = result;
  const growth = new Map(result.growth.map((own) => [own.name, own]));
  const fast = result.growth.filter(growsTooFast);
  return studyHtml(
    {
      title: 'Hot paths and ratios',
      lead:
        fast.length === 0
          ? 'Nothing grows faster than promised.'
          : `Faster than promised grows in this run: ${fast.map(({ name }) => name).join(', ')}.`,
      cards: cardsOf(result),
      of: 'path',
      charts: timesChart(result),
      table: {
        caption: 'Times',
        columns: ['context tokens', 'median ms', 'p99 ms', 'per second', 'exponent', 'promised'],
        rows: results.map(({ name, size, p50Ms, p99Ms, opsPerSec }) => ({
          name: `${name} at ${formatCount(size)}`,
          cells: [
            { text: formatCount(size), value: size },
            { text: formatDecimal(p50Ms, 4), value: p50Ms },
            { text: formatDecimal(p99Ms, 4), value: p99Ms },
            { text: formatCount(opsPerSec), value: opsPerSec },
            ...growthCells(growth.get(name)),
          ],
        })),
        notes: [...result.notes, 'exponent: how the time of a path grows with the context; 1 is linear'],
      },
    },
    'ccbench bench prints the same numbers.',
  );
}
