import { describe, expect, it } from 'vitest';
import { type BenchChartInput, benchCharts, spreadLabels } from '../../../src/report/charts/bench-charts.js';

const SIZES = [10_000, 100_000, 1_000_000];

function times(name: string, p50Ms: readonly number[]): BenchChartInput['results'] {
  return SIZES.map((size, i) => ({ name, size, p50Ms: p50Ms[i]! }));
}

const INPUT: BenchChartInput = {
  results: [...times('flat', [1, 1, 1]), ...times('square', [1, 100, 10_000]), ...times('all', [1, 10, 100])],
  growth: [
    { name: 'flat', exponent: -0.001, promised: 1.1 },
    { name: 'square', exponent: 2, promised: 1.1 },
    { name: 'all', exponent: 1, promised: null },
    { name: 'replay', exponent: 1.04, promised: 1.1 },
  ],
  ratios: [
    { name: 'kept', ratio: 300, promised: 200 },
    { name: 'missed', ratio: 0.1, promised: 0.2 },
    { name: 'stated', ratio: 7, promised: null },
  ],
};

interface Layer {
  readonly data: { readonly values: readonly Readonly<Record<string, unknown>>[] };
  readonly encoding: Readonly<Record<string, { readonly scale?: object }>>;
}

function layersOf(name: string, input = INPUT): readonly Layer[] {
  return benchCharts(input).find((chart) => chart.name === name)!.spec.layer as readonly Layer[];
}

function titleOf(name: string, input = INPUT): string {
  return benchCharts(input).find((chart) => chart.name === name)!.spec.title.text;
}

describe('the chart of hot paths', () => {
  it('draws p50 against size on two logarithmic axes, a line for each path', () => {
    const [lines] = layersOf('hot-paths');
    expect(lines!.encoding.x!.scale).toMatchObject({ type: 'log' });
    expect(lines!.encoding.y!.scale).toMatchObject({ type: 'log' });
    expect(lines!.encoding.detail).toMatchObject({ field: 'name' });
    expect(lines!.data.values).toHaveLength(9);
    expect(lines!.data.values.at(-1)).toMatchObject({ name: 'all', size: 1_000_000, micros: 100_000 });
  });

  it('says of each path how it grows and whether that was promised', () => {
    const [lines, , , labels] = layersOf('hot-paths');
    expect(labels!.data.values.map(({ label, isMissed }) => [label, isMissed])).toEqual([
      ['0.00 · flat', false],
      ['2.00 · square', true],
      ['1.00 · all', false],
    ]);
    expect(lines!.data.values.filter(({ size }) => size === 10_000).map(({ state }) => state)).toEqual([
      'within its promise',
      'grows faster than promised',
      'its output is the whole window',
    ]);
    expect(titleOf('hot-paths')).toBe('1 of 2 hot paths grow faster than promised');
    const kept = { ...INPUT, growth: INPUT.growth.filter(({ name }) => name !== 'square') };
    expect(titleOf('hot-paths', kept)).toMatch(/^No hot path grows faster than size\^1\.1/);
  });
});

it('growth without times is drawn as bars against its promise', () => {
  const [bars, , promise] = layersOf('exponents') as unknown as readonly Layer[];
  expect(bars!.data.values).toEqual([{ name: 'replay', exponent: 1.04, label: '1.04', isMissed: false }]);
  expect(promise!.data.values).toEqual([{ exponent: 1.1, label: 'promised: at most 1.1' }]);
  expect(titleOf('exponents')).toBe('Nothing grows faster than turns^1.1');
});

it('ratios are drawn as multiples of their promise, with a line at 1', () => {
  const [bars, , line] = layersOf('ratios');
  expect(bars!.data.values).toEqual([
    { name: 'kept', share: 1.5, label: '300 · promised 200', isMissed: false },
    { name: 'missed', share: 0.5, label: '0.1 · promised 0.2', isMissed: true },
  ]);
  expect(bars!.encoding.x2).toEqual({ datum: 1 });
  expect(line!.data.values).toEqual([{ share: 1 }]);
  expect(titleOf('ratios')).toBe('1 of 2 ratios miss their promise');
});

it('charts that would be empty are left out', () => {
  expect(benchCharts({ results: [], growth: [], ratios: [] })).toEqual([]);
  const stated = { results: [], growth: [], ratios: INPUT.ratios.slice(2) };
  expect(benchCharts(stated)).toEqual([]);
});

describe('labels', () => {
  it('stand apart, in the order of what they belong to, inside the plot', () => {
    expect(spreadLabels([50, 10, 52, 51], { gap: 5, from: 0, to: 100 })).toEqual([50, 10, 60, 55]);
    expect(spreadLabels([98, 99, 100], { gap: 5, from: 0, to: 100 })).toEqual([90, 95, 100]);
    expect(spreadLabels([0, 0], { gap: 5, from: 0, to: 100 })).toEqual([0, 5]);
  });
});
