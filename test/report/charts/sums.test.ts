import { describe, expect, it } from 'vitest';
import type { LayerEntry, RequestEntry } from '../../../src/core/run/log-entries.js';
import { runCharts } from '../../../src/report/charts/run-charts.js';
import { sampleRun } from '../../helpers/sample-run.js';

type Row = Readonly<Record<string, unknown>>;

const RUN = sampleRun('sample', 30, 12);
const REQUESTS = RUN.entries.filter((entry): entry is RequestEntry => entry.type === 'request');
const LAYERS = RUN.entries.filter((entry): entry is LayerEntry => entry.type === 'layer');

/** All rows of data of a chart, whichever part of it draws them. */
function rowsOf(name: string): readonly Row[] {
  const { spec } = runCharts(RUN).find((chart) => chart.name === name)!;
  const found: Row[] = [];
  const search = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    const { data, ...rest } = value as { readonly data?: { readonly values?: readonly Row[] } };
    found.push(...(data?.values ?? []));
    for (const part of Array.isArray(value) ? value : Object.values(rest)) search(part);
  };
  search(spec);
  return found;
}

function sumOf<T>(items: readonly T[], read: (item: T) => number): number {
  return items.reduce((sum, item) => sum + read(item), 0);
}

/** The golden files of charts hold what these numbers come to. */
describe('charts of a run add up to its log', () => {
  it('INV-5 cost by cause ends at what all requests cost', () => {
    const rows = rowsOf('cost-by-cause');
    const end = Math.max(...rows.map(({ x }) => Number(x)));
    const last = rows.filter(({ x }) => x === end);
    expect(sumOf(last, ({ usd }) => Number(usd))).toBeCloseTo(sumOf(REQUESTS, ({ cost }) => cost) / 1e9, 6);
  });

  it('the split of prompts is what requests read, wrote and left uncached', () => {
    const rows = rowsOf('prompt-split');
    const shown = (part: string): number =>
      sumOf(
        rows.filter((row) => row.part === part),
        ({ tokens }) => Number(tokens),
      );
    expect(shown('cache read')).toBe(sumOf(REQUESTS, ({ read }) => read));
    expect(shown('uncached')).toBe(sumOf(REQUESTS, ({ input }) => input));
    expect(sumOf(rows, ({ tokens }) => Number(tokens))).toBe(sumOf(REQUESTS, ({ prompt }) => prompt));
  });

  it('the context peaks where the main loop does', () => {
    const main = REQUESTS.filter(({ purpose }) => purpose === 'main');
    const sizes = rowsOf('context-over-time').filter((row) => 'x' in row && 'tokens' in row);
    expect(Math.max(...sizes.map(({ tokens }) => Number(tokens)))).toBe(
      Math.max(...main.map(({ context }) => context)),
    );
  });

  it('LOP-3 what layers saved and destroyed is what their actions say', () => {
    for (const layer of ['full-compact', 'storage']) {
      const rows = rowsOf('saved-by-layer').filter((row) => String(row.layer).startsWith(`${layer} `));
      const own = LAYERS.filter((entry) => entry.layer === layer);
      expect(rows.map(({ tokens }) => tokens)).toEqual([
        sumOf(own, ({ saved }) => saved),
        sumOf(own, ({ cacheLost }) => cacheLost),
      ]);
    }
  });
});

it('the split of prompts has what was written for an hour too', () => {
  const entries = RUN.entries.map((entry) =>
    entry.type === 'request' ? { ...entry, write1h: entry.write5m, write5m: 0 } : entry,
  );
  const { spec } = runCharts({ ...RUN, entries }).find(({ name }) => name === 'prompt-split')!;
  const { spec: before } = runCharts(RUN).find(({ name }) => name === 'prompt-split')!;
  expect(JSON.stringify(spec)).toBe(JSON.stringify(before));
});
