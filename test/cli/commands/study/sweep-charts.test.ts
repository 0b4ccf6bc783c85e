import { describe, expect, it } from 'vitest';
import { type StudyFolder, writeSweepReport } from '../../../../src/cli/commands/study/study-files.js';
import { sweepAxis, sweepInput } from '../../../helpers/sweep-input.js';

interface Spec {
  readonly title: { readonly text: string; readonly subtitle: string };
  readonly data?: { readonly values: readonly Record<string, unknown>[] };
  readonly layer?: readonly { readonly data?: { readonly values: readonly Record<string, unknown>[] } }[];
}

/** The specifications of the charts that a sweep writes, by name. */
async function chartsOf(...input: Parameters<typeof sweepInput>): Promise<Readonly<Record<string, Spec>>> {
  const charts: Record<string, Spec> = {};
  const written: string[] = [];
  const folder = {
    async write(below: string, name: string, text: string) {
      written.push([below, name].join('/'));
      if (name.endsWith('.vl.json')) charts[name.replace('.vl.json', '')] = JSON.parse(text);
    },
  } as unknown as StudyFolder;
  await writeSweepReport(folder, sweepInput(...input));
  const names = Object.keys(charts);
  expect(written).toEqual([
    ...names.flatMap((name) => [`charts/${name}.vl.json`, `charts/${name}.svg`]),
    '/report.html',
  ]);
  return charts;
}

/** The charts over the axes: those of a metric. */
async function overAxes(...input: Parameters<typeof sweepInput>) {
  const { 'cost-against-kept': _other, ...charts } = await chartsOf(...input);
  return charts;
}

const GAP = sweepAxis('gap', ['5', '10', '20']);
const TTL = sweepAxis('cache.ttl', ['5m', '1h']);
const valuesOf = (spec: Spec | undefined, ...fields: readonly string[]) =>
  (spec?.data ?? spec?.layer?.[0]?.data)!.values.map((value) => fields.map((field) => value[field]));

describe('the charts of a sweep', () => {
  it('are a line over an axis of numbers, for each metric', async () => {
    const rows = { '5': { s: [4, 0, 1] }, '10': { s: [4, 0, 3] }, '20': { s: [4, 0, 2] } } as const;
    const charts = await overAxes([GAP], rows);
    expect(Object.keys(charts)).toEqual(['sweep-costUsd']);
    expect(valuesOf(charts['sweep-costUsd'], 'x', 'y')).toEqual([
      [5, 1],
      [10, 3],
      [20, 2],
    ]);
    expect(charts['sweep-costUsd']!.title).toEqual({
      text: expect.stringContaining('$1.00 at gap = 5'),
      subtitle: 'n',
    });
  });

  it('are a map over two axes, numbers as numbers and words as words', async () => {
    const cost = (usd: number) => ({ s: [4, 0, usd] as const });
    const rows = { '5,5m': cost(1), '10,5m': cost(2), '5,1h': cost(3), '10,1h': cost(4) };
    const charts = await overAxes([sweepAxis('gap', ['5', '10']), TTL], rows);
    expect(Object.keys(charts)).toEqual(['sweep-costUsd']);
    expect(valuesOf(charts['sweep-costUsd'], 'x', 'y', 'value')).toEqual([
      [5, '5m', 1],
      [10, '5m', 2],
      [5, '1h', 3],
      [10, '1h', 4],
    ]);
  });

  it('are none over words alone, over three axes, or of one point', async () => {
    const cost = (usd: number) => ({ s: [4, 0, usd] as const });
    expect(await overAxes([TTL], { '5m': cost(1), '1h': cost(2) })).toEqual({});
    const three = [GAP, TTL, sweepAxis('seed', ['1'])];
    expect(await overAxes(three, { '5,5m,1': cost(1), '10,5m,1': cost(2) })).toEqual({});
    expect(await overAxes([GAP], { '5': cost(1) })).toEqual({});
  });

  it('have how far points came where they differ in it, and no best in it', async () => {
    const names = ['finishedShare'];
    const all = { '5': { s: [4, 0, 1] }, '10': { s: [4, 0, 2] } } as const;
    expect(await overAxes([GAP], all, { names })).toEqual({});
    const some = await overAxes([GAP], { ...all, '20': { s: [2, 2, 1] } }, { names });
    expect(valuesOf(some['sweep-finishedShare'], 'x', 'y')).toEqual([
      [5, 1],
      [10, 1],
      [20, 0.5],
    ]);
    expect(some['sweep-finishedShare']!.title.text).not.toContain('Best');
  });

  it('leave out a metric that no ranked point has', async () => {
    const rows = { '5': { s: [4, 0, 1] }, '10': { s: [4, 0, 2] } } as const;
    expect(Object.keys(await overAxes([GAP], rows, { names: ['costUsd', 'turns'] }))).toEqual([
      'sweep-costUsd',
    ]);
  });

  it('set the cost against what is kept where two points or more have both', async () => {
    const rows = { '5m': { s: [4, 0, 1, 0.5] }, '1h': { s: [4, 0, 2, 0.9] } } as const;
    const { 'cost-against-kept': chart, ...others } = await chartsOf([TTL], rows);
    expect(others).toEqual({});
    expect(valuesOf(chart, 'label', 'x', 'y')).toEqual([
      ['5m', 1, 0.5],
      ['1h', 2, 0.9],
    ]);
    expect(await chartsOf([TTL], { '5m': rows['5m'] })).toEqual({});
    const unpriced = sweepInput([TTL], rows).swept.map((point) => ({
      ...point,
      metrics: { ...point.metrics, costUsd: null },
    }));
    expect(await chartsOf([TTL], rows, { swept: unpriced })).toEqual({});
  });

  it('set the cost against the faults where these are known, with the least of any choice', async () => {
    const rows = { '5m': { s: [4, 0, 1, 0.5] }, '1h': { s: [4, 0, 2, 0.9] } } as const;
    const swept = sweepInput([TTL], rows).swept.map((point, i) => ({
      ...point,
      metrics: { ...point.metrics, faultsNone: 7 - i, faultsLeast: 2 },
    }));
    const { 'cost-against-faults': chart } = await chartsOf([TTL], rows, { swept });
    expect(valuesOf(chart, 'label', 'x', 'y', 'least')).toEqual([
      ['5m', 1, 7, 2],
      ['1h', 2, 6, 2],
    ]);
    expect(chart!.title.subtitle).toMatch(/lines: down to the least of any choice$/);
    // The dearer one misses less: neither beats the other.
    expect(chart!.title.text).toBe(
      '2 of 2 settings are not beaten in both cost and faults, if summaries keep nothing',
    );
  });
});
