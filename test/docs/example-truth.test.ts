import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../helpers/architecture/tree.js';
import { PRICE_LIST } from '../provider/prices/price-list.js';

interface Variant {
  readonly name: string;
  readonly metrics: Readonly<Record<string, number>>;
}

interface Spec {
  readonly title: { readonly text: string };
  readonly data?: { readonly values: readonly Row[] };
  readonly layer?: readonly { readonly data?: { readonly values: readonly Row[] } }[];
}

type Row = Readonly<Record<string, number>>;

const text = (name: string): string => readFileSync(join(ROOT, 'reports/example', name), 'utf8');
const { variants, baseline, best } = JSON.parse(text('compare.json')) as {
  readonly variants: readonly Variant[];
  readonly baseline: string;
  readonly best: Readonly<Record<string, string | null>>;
};
const base = variants.find(({ name }) => name === baseline)!.metrics;
const chart = (name: string): Spec => JSON.parse(text(`charts/${name}.vl.json`)) as Spec;
const sumOf = (rows: readonly Row[], key: string): number => rows.reduce((sum, row) => sum + row[key]!, 0);

/** A price of the model of the example, in dollars a token. */
const [INPUT, OUTPUT, READ, WRITE_5M] = PRICE_LIST['claude-sonnet-4-5']!.map((dollars) => dollars / 1e6) as [
  number,
  number,
  number,
  number,
  number,
];

describe('the numbers of reports/example', () => {
  it.each(variants)('CCH-4 $name: tokens add up, and cost what the price list says', ({ metrics }) => {
    const { promptTokens, cacheReadTokens, cacheCreationTokens, uncachedTokens } = metrics;
    expect(cacheReadTokens! + cacheCreationTokens! + uncachedTokens!).toBe(promptTokens);
    expect(metrics.cacheHitRate).toBeCloseTo(cacheReadTokens! / promptTokens!, 12);
    expect(metrics.costPerTurnUsd).toBeCloseTo(metrics.costUsd! / metrics.turns!, 9);
    expect(metrics.costUsdMain! + metrics.costUsdSubagents! + metrics.backgroundCostUsd!).toBeCloseTo(
      metrics.costUsd!,
      9,
    );
    // Everything is written for five minutes but the last message of a summary request (R20); a prompt beyond 200,000 tokens
    // has prices of its own.
    if (metrics.compactions === 0) expect(uncachedTokens).toBe(0);
    const atList =
      uncachedTokens! * INPUT +
      cacheReadTokens! * READ +
      cacheCreationTokens! * WRITE_5M +
      metrics.outputTokens! * OUTPUT;
    if (metrics.peakContextTokens! <= 200_000) expect(metrics.costUsd).toBeCloseTo(atList, 9);
    else expect(metrics.costUsd).toBeGreaterThan(atList);
  });

  it('are the same in the table of values', () => {
    const [header, ...rows] = text('compare.csv').trimEnd().split('\n');
    const names = header!.split(',').slice(4);
    expect(rows.map((row) => row.split(',')[0])).toEqual(variants.map(({ name }) => name));
    for (const [i, row] of rows.entries())
      expect(row.split(',').slice(4).map(Number)).toEqual(names.map((name) => variants[i]!.metrics[name]));
  });

  it('are the same in the table that people read, with their differences and the best of each', () => {
    const lines = text('compare.md').split('\n');
    const columns = lines[2]!.split(' | ').slice(1);
    const at = columns.indexOf('cost');
    for (const [i, { name, metrics }] of variants.entries()) {
      const cell = lines[4 + i]!.split(' | ')[at + 1]!;
      const money = `$${metrics.costUsd!.toFixed(2)}`;
      const percent = Math.abs(metrics.costUsd! / base.costUsd! - 1) * 100;
      const sign = metrics.costUsd! < base.costUsd! ? '−' : '+';
      const shown = best.costUsd === name ? `**${money}**` : money;
      expect(cell).toBe(name === baseline ? shown : `${shown}<br>${sign}${Number(percent.toFixed(1))} %`);
    }
    const cheapest = variants.reduce((a, b) => (b.metrics.costUsd! < a.metrics.costUsd! ? b : a));
    const warmest = variants.reduce((a, b) => (b.metrics.cacheHitRate! > a.metrics.cacheHitRate! ? b : a));
    expect([best.costUsd, best.cacheHitRate]).toEqual([cheapest.name, warmest.name]);
  });

  it('are those of the charts', () => {
    const paid = chart('cost-by-cause').data!.values;
    const end = Math.max(...paid.map(({ x }) => x!));
    const last = paid.filter(({ x }) => x === end);
    expect(sumOf(last, 'usd')).toBeCloseTo(base.costUsd!, 4);
    expect(chart('cost-by-cause').title.text).toContain(`$${base.costUsd!.toFixed(2)}`);

    const split = chart('prompt-split').data!.values as readonly (Row & { readonly part?: unknown })[];
    const partOf = (name: string): number =>
      sumOf(
        split.filter(({ part }) => part === name),
        'tokens',
      );
    expect(partOf('cache read')).toBe(base.cacheReadTokens);
    expect(sumOf(split, 'tokens')).toBe(base.promptTokens);

    const layers = chart('context-over-time').layer!.map(({ data }) => data?.values ?? []);
    const sizes = layers.find((rows) => rows[0]?.tokens !== undefined && rows[0].x !== undefined)!;
    expect(Math.max(...sizes.map(({ tokens }) => tokens!))).toBe(base.peakContextTokens);
    const acts = layers.find((rows) => rows[0]?.saved !== undefined)!;
    expect(sumOf(acts, 'saved')).toBe(base.tokensSaved);
    expect(sumOf(acts, 'cacheLost')).toBe(base.cacheTokensDestroyed);

    // The dots; those of the line that joins the best come before them.
    const points = chart('cost-against-kept').layer![1]!.data!.values;
    expect(new Set(points.map(({ x, y }) => `${x} ${y}`))).toEqual(
      new Set(variants.map(({ metrics }) => `${metrics.costUsd} ${metrics.contentRetention}`)),
    );
  });
});
