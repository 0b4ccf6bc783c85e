import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitWeights, type MeterFit, type Reading } from '../../../src/analysis/limits/fit-weights.js';
import { type LimitRequest, priceWeight } from '../../../src/analysis/limits/limit-requests.js';
import { forAll } from '../../helpers/for-all.js';
import { requestAt } from './requests.js';

const FIVE_HOURS = 300;

/** A reading of the five-hour meter at a minute. */
function reading(minute: number, percent: number): Reading {
  return { meter: 'fiveHour', atMs: minute * 60_000, percent };
}

function fitFive(requests: readonly LimitRequest[], readings: readonly Reading[]): MeterFit {
  return fitWeights(requests, readings, 'fiveHour', null);
}

function fitted(found: MeterFit): Extract<MeterFit, { readonly kind: 'fitted' }> {
  if (found.kind !== 'fitted') throw new Error(JSON.stringify(found));
  return found;
}

/** Per cent for a million list-price tokens of each cell: scale times factor. */
function perMillion(found: MeterFit): ReadonlyMap<string, number> {
  const { factors, percentPerMillion } = fitted(found);
  return new Map(
    factors.map(({ family, kind, factor }) => [`${family} ${kind}`, factor * percentPerMillion]),
  );
}

/** Windows far apart, each with one request and its reading: what they show is their sum. */
const tokens = fc.record({
  input: fc.integer({ min: 20_000, max: 400_000 }),
  read: fc.integer({ min: 200_000, max: 4_000_000 }),
  write: fc.integer({ min: 20_000, max: 400_000 }),
  output: fc.integer({ min: 5_000, max: 80_000 }),
});
const models = ['claude-sonnet-5', 'claude-opus-5'] as const;
const factor = fc.double({ min: 0.2, max: 3, noNaN: true });
const known = fc.record({ input: factor, read: factor, write: factor, output: factor });

function shown(request: LimitRequest, weights: Readonly<Record<string, number>>): number {
  return request.parts.reduce(
    (sum, part) => sum + priceWeight(part, request.inputUsd) * weights[part.kind]! * 1e-5,
    0,
  );
}

describe('weights fitted to readings', () => {
  it('one reading gives the scale alone, without an error', () => {
    // 100,000 reads at 0.1 and 10,000 of input: 20,000 weighted tokens are 4 %.
    const found = fitted(fitFive([requestAt(0, { read: 100_000, input: 10_000 })], [reading(60, 4)]));
    expect(found.percentPerMillion).toBeCloseTo(200);
    expect(found.parameters).toBe(1);
    expect(found.errorPoints).toBeNull();
    expect(found.factors.map(({ factor: own }) => own)).toEqual([1, 1]);
  });

  it('two readings give the scale, and how far each misses what the other predicts', () => {
    // 10,000 tokens show 4 %, 20,000 show 10 %: the second predicts 5, the first 8.
    const requests = [requestAt(0, { input: 10_000 }), requestAt(1_000, { input: 20_000 })];
    const found = fitted(fitFive(requests, [reading(0, 4), reading(1_000, 10)]));
    expect(found.parameters).toBe(1);
    expect(found.errorPoints).toBeCloseTo(Math.sqrt((1 + 4) / 2));
  });

  it('counts what is in the window of a reading alone', () => {
    const requests = [requestAt(0, { input: 90_000 }), requestAt(FIVE_HOURS, { input: 10_000 })];
    expect(fitted(fitFive(requests, [reading(FIVE_HOURS, 5)])).percentPerMillion).toBeCloseTo(500);
    expect(fitted(fitFive(requests, [reading(FIVE_HOURS - 1, 9)])).percentPerMillion).toBeCloseTo(100);
  });

  it('recovers known weights of four kinds within a tenth', () => {
    const drawn = fc.tuple(known, fc.array(tokens, { minLength: 16, maxLength: 16 }));
    forAll(drawn, ([weights, windows]) => {
      const requests = windows.map((own, i) => requestAt(i * 1_000, own));
      const readings = requests.map((own, i) => reading(i * 1_000, shown(own, weights)));
      fc.pre(readings.every(({ percent }) => percent < 100));
      const found = perMillion(fitFive(requests, readings));
      for (const [kind, weight] of Object.entries(weights))
        expect(Math.abs(found.get(`sonnet ${kind}`)! / (weight * 10) - 1)).toBeLessThan(0.1);
    });
  });

  it('recovers known weights of two model families within a tenth', () => {
    const pair = fc.tuple(fc.array(tokens, { minLength: 20, maxLength: 20 }), known, known);
    forAll(pair, ([windows, one, other]) => {
      const weights = [one, other] as const;
      const requests = windows.map((own, i) => requestAt(i * 1_000, own, models[i % 2]!));
      const readings = requests.map((own, i) => reading(i * 1_000, shown(own, weights[i % 2]!) / 2));
      fc.pre(readings.every(({ percent }) => percent < 100));
      const found = perMillion(fitFive(requests, readings));
      for (const [i, family] of ['sonnet', 'opus'].entries())
        for (const [kind, weight] of Object.entries(weights[i]!))
          expect(Math.abs(found.get(`${family} ${kind}`)! / (weight * 5) - 1)).toBeLessThan(0.1);
    });
  });

  it('from readings in whole per cent predicts other windows about as well as it says', () => {
    const drawn = fc.tuple(known, fc.array(tokens, { minLength: 28, maxLength: 28 }));
    forAll(drawn, ([weights, windows]) => {
      const all = windows.map((own, i) => requestAt(i * 1_000, own));
      fc.pre(all.every((own) => shown(own, weights) < 99));
      const readings = all.slice(0, 20).map((own, i) => reading(i * 1_000, Math.round(shown(own, weights))));
      const found = fitFive(all, readings);
      const weightOf = perMillion(found);
      for (const own of all.slice(20)) {
        const predicted = own.parts.reduce(
          (sum, part) => sum + (priceWeight(part, own.inputUsd) * weightOf.get(`sonnet ${part.kind}`)!) / 1e6,
          0,
        );
        expect(Math.abs(predicted - shown(own, weights))).toBeLessThan(2 + 0.1 * shown(own, weights));
      }
    });
  });

  it('frees no weight that too few readings would decide', () => {
    // Three readings that reads and input together explain exactly: two weights would need four.
    const requests = [1, 2, 3].map((n) => requestAt(n * 1_000, { input: 10_000 * n, read: 50_000 }));
    const readings = [1, 2, 3].map((n) => reading(n * 1_000, 4 + 10 * n));
    expect(fitted(fitFive(requests, readings)).parameters).toBe(1);
  });

  it('without readings says so', () => {
    expect(fitFive([requestAt(0, { input: 1 })], [])).toEqual({ kind: 'no-readings' });
    const weekly: Reading = { meter: 'weekly', atMs: 0, percent: 5 };
    expect(fitFive([requestAt(0, { input: 1 })], [weekly])).toEqual({ kind: 'no-readings' });
  });

  it.each([
    ['no request is in the window', [reading(900, 5)], 'no reading can be used'],
    ['the meter was full', [reading(0, 100)], 'no reading can be used'],
    ['the meter showed nothing', [reading(0, 0)], 'every reading is 0 %'],
    ['the same window showed different values', [reading(0, 60), reading(1, 10)], 'contradict each other'],
  ])('is not known where %s', (_, readings, reason) => {
    const found = fitFive([requestAt(0, { input: 10_000 })], readings);
    expect(found.kind).toBe('failed');
    expect(found.kind === 'failed' && found.reason).toContain(reason);
  });

  it('takes readings over published fits: reads weigh where nothing else can have moved the meter', () => {
    const readings: readonly Reading[] = [{ meter: 'weekly', atMs: 0, percent: 5 }];
    const published = { read: { factor: 0, low: 0, high: 1 } };
    const found = fitWeights([requestAt(0, { read: 10_000 })], readings, 'weekly', published);
    // 1,000 weighted tokens are 5 %.
    expect(fitted(found).percentPerMillion).toBeCloseTo(5_000);
    expect(fitted(found).factors).toEqual([{ family: 'sonnet', kind: 'read', factor: 1 }]);
  });

  it('names readings that it does not use', () => {
    const found = fitted(fitFive([requestAt(0, { input: 10_000 })], [reading(0, 5), reading(900, 7)]));
    expect(found.readings).toBe(1);
    expect(found.unused.map(({ reading: { percent }, why }) => [percent, why])).toEqual([
      [7, 'no recorded request is in its window'],
    ]);
  });
});
