import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../../src/core/model/usage.js';
import { MODELS, priceDayText, resolveModel } from '../../../src/provider/prices/models.js';
import { NEWEST, priceTimes, priceUsage } from '../../../src/provider/prices/price.js';
import { recordedBill } from '../../../src/provider/prices/recorded-bill.js';
import { billedBy } from '../../../src/provider/providers/providers.js';
import { billNotes } from '../../../src/report/text/as-recorded.js';
import { forAll } from '../../helpers/for-all.js';
import { ofType, planOf, runLog } from '../../helpers/plan.js';
import { assistant, readSession, say, usage, user } from '../../helpers/session.js';

const MILLION_READ: Usage = { input: 0, cacheRead: 1_000_000, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };

/** Dollars for a million read tokens at a time. */
const readUsd = (model: string, time: string): number =>
  priceUsage(resolveModel(model), MILLION_READ, Date.parse(time)).totalNano / 1e9;

/** A session with one response at each time; each reads 10,000 tokens. */
function sessionAt(model: string, ...times: readonly string[]) {
  return readSession(
    times.flatMap((timestamp, i) => [
      user(`u${i}`, 0, 'go', { timestamp }),
      assistant(`a${i}`, 0, `m${i}`, say('done'), { model, usage: usage(0, 10_000, 0, 0) }, { timestamp }),
    ]),
  );
}

describe('the price of a day', () => {
  it('is the one before the change up to midnight in UTC, and the new one from then on', () => {
    // Sonnet 5.5 reads: $0.20, and $0.10 from 7 October 2026 on.
    expect(readUsd('claude-sonnet-5-5', '2026-10-06T23:59:59.999Z')).toBe(0.2);
    expect(readUsd('claude-sonnet-5-5', '2026-10-07T00:00:00Z')).toBe(0.1);
    // Fable 5.2: priced as Fable 5.1 until its own prices came on 9 November 2026.
    expect(readUsd('claude-fable-5-2', '2026-11-08T12:00:00Z')).toBe(0.25);
    expect(readUsd('claude-fable-5-2', '2026-11-09T12:00:00Z')).toBe(0.2);
  });

  // Published cuts: Sol from $5 and $30 on 21 August 2026, Terra and Luna from $2.50 and $15, $1 and $6 on 30 July. Reads cost a tenth of
  // input; above 272,000 tokens input costs twice as much and output half as much again.
  it.each([
    ['gpt-5.6-sol', '2026-08-20', [5, 30, 0.5], [10, 45, 1]],
    ['gpt-5.6-sol', '2026-08-21', [4, 20, 0.4], [8, 30, 0.8]],
    ['gpt-5.6-terra', '2026-07-29', [2.5, 15, 0.25], [5, 22.5, 0.5]],
    ['gpt-5.6-terra', '2026-07-30', [2, 12, 0.2], [4, 18, 0.4]],
    ['gpt-5.6-luna', '2026-07-29', [1, 6, 0.1], [2, 9, 0.2]],
    ['gpt-5.6-luna', '2026-07-30', [0.2, 1.2, 0.02], [0.4, 1.8, 0.04]],
  ])('of %s on %s is that before or after its cut', (model, day, short, long) => {
    const usd = (counts: Partial<Usage>): number =>
      priceUsage(resolveModel(model), { ...MILLION_READ, cacheRead: 0, ...counts }, Date.parse(day))
        .totalNano / 1e9;
    const perMillion = (tokens: number): readonly number[] => [
      (usd({ input: tokens }) * 1e6) / tokens,
      ((usd({ input: tokens, output: 1000 }) - usd({ input: tokens })) * 1e6) / 1000,
      (usd({ cacheRead: tokens }) * 1e6) / tokens,
    ];
    perMillion(272_000).forEach((price, i) => {
      expect(price).toBeCloseTo(short[i]!, 9);
    });
    perMillion(300_000).forEach((price, i) => {
      expect(price).toBeCloseTo(long[i]!, 9);
    });
  });

  it('is the newest where a session has no day', () => {
    const pricedAt = priceTimes({ startedAtMs: null });
    expect(pricedAt(5)).toBe(NEWEST);
    expect(priceUsage(resolveModel('claude-sonnet-5-5'), MILLION_READ, pricedAt(5)).totalNano).toBe(1e8);
  });

  it('does not change between the days that the table names', () => {
    const days = fc.date({ min: new Date('2024-01-01'), max: new Date('2027-01-01'), noInvalidDate: true });
    forAll(fc.constantFrom(...MODELS.rows), days, days, (row, a, b) => {
      const changes = [row, ...row.earlier].flatMap(({ from }) => (from === null ? [] : Date.parse(from)));
      const [first, last] = a < b ? [a, b] : [b, a];
      const cost = (at: Date): number => priceUsage(row, MILLION_READ, at.getTime()).totalNano;
      if (!changes.some((ms) => first.getTime() < ms && ms <= last.getTime()))
        expect(cost(first)).toBe(cost(last));
    });
  });

  it('keeps the shares of a provider on both sides of a change', () => {
    // Qwen’s explicit cache: reads at a tenth of input; Fable 5.2 had an input price of $10, then $8.
    const row = billedBy('qwen-explicit', resolveModel('claude-fable-5-2'));
    const usd = (day: string): number => priceUsage(row, MILLION_READ, Date.parse(day)).totalNano / 1e9;
    expect([usd('2026-11-08'), usd('2026-11-09')]).toEqual([1, 0.8]);
  });

  it('every price of the table has a source and the day it was checked, and follows the one before', () => {
    for (const { id, earlier, ...newest } of MODELS.rows) {
      for (const { source, checked } of [newest, ...earlier]) {
        expect(source, id).not.toBe('');
        expect(checked, id).toMatch(/^2026-\d\d-\d\d$/);
      }
      earlier.forEach(({ from, until }, i) => {
        expect((earlier[i + 1] ?? newest).from, id).toBe(until);
        expect(from === null || from < until, id).toBe(true);
      });
    }
  });
});

describe('a recording', () => {
  const across = () =>
    sessionAt('claude-sonnet-5-5', '2026-10-06T23:40:00Z', '2026-10-06T23:50:00Z', '2026-10-07T00:10:00Z');

  it('is billed by the price of each side of a change', () => {
    const bill = recordedBill(across())!;
    // Two calls at 10,000 × $0.20 and one at 10,000 × $0.10 per million, in billionths.
    expect(bill.costNano.total).toBe(2 * 2_000_000 + 1_000_000);
    expect(bill.otherPrices).toEqual([
      { model: 'claude-sonnet-5-5', kind: 'earlier', day: '2026-10-07', calls: 2 },
    ]);
    expect(billNotes([bill, bill]).join('\n')).toContain(
      '4 calls of claude-sonnet-5-5 at its prices before 2026-10-07',
    );
  });

  it('is billed by one day where the user names it', () => {
    const priced = (priceDay: string) => recordedBill(across(), { priceDay })!;
    expect(priced('2026-10-06').costNano.total).toBe(3 * 2_000_000);
    expect(priced('2026-10-07').costNano.total).toBe(3 * 1_000_000);
    expect(priced('2026-10-07').otherPrices).toBeUndefined();
    expect(billNotes([priced('2026-10-07')])[0]).toContain('at the list prices of 2026-10-07,');
    expect(recordedBill({ ...across(), priceDay: '2026-10-06' })!.costNano.total).toBe(6_000_000);
  });

  it('says which prices a day has that the table cannot know', () => {
    // The first change in the table is of 2026-07-30; no row was checked later than 2026-11-17 (models.yaml).
    expect(['2026-07-29', '2026-07-30', '2026-11-17', '2026-11-18'].map(priceDayText)).toEqual([
      '2026-07-29 (the oldest prices known: the model table has no change before 2026-07-30)',
      '2026-07-30',
      '2026-11-17',
      '2026-11-18 (the newest prices known: they were checked on 2026-11-17)',
    ]);
  });

  it('from before the first known price has that price, and says so', () => {
    const bill = recordedBill(sessionAt('gpt-6.1-terra', '2026-10-01T00:00:00Z', '2026-10-27T00:00:00Z'))!;
    expect(bill.costNano.total).toBe(2 * 10_000 * 50);
    expect(bill.otherPrices).toEqual([
      { model: 'gpt-6.1-terra', kind: 'first', day: '2026-10-26', calls: 1 },
    ]);
    expect(billNotes([bill]).join('\n')).toContain(
      '1 call of gpt-6.1-terra at its prices of 2026-10-26, before which none are known',
    );
  });
});

describe('a run', () => {
  const plan = planOf({ policy: 'none' });

  it('prices each request by its own day, and the log says which prices are not the newest', () => {
    const transcript = sessionAt('claude-sonnet-5-5', '2026-10-06T23:40:00Z', '2026-10-07T00:10:00Z');
    const log = runLog(plan, transcript);
    const reads = ofType(log, 'request').map(({ read, readCost }) => readCost / read);
    expect(reads).toEqual([200, 100]);
    expect(ofType(log, 'warning')).toContainEqual(
      expect.objectContaining({
        code: 'earlier-price',
        message: 'requests of claude-sonnet-5-5 at its prices before 2026-10-07',
        count: 1,
      }),
    );
  });

  it('prices all of them by the day of its plan', () => {
    const transcript = sessionAt('claude-sonnet-5-5', '2026-10-06T23:40:00Z', '2026-10-07T00:10:00Z');
    const log = runLog({ ...plan, priceDay: '2026-11-17' }, transcript);
    expect(ofType(log, 'request').map(({ read, readCost }) => readCost / read)).toEqual([100, 100]);
    expect(ofType(log, 'warning').map(({ code }) => code)).toContain('price-day');
    const early = ofType(runLog({ ...plan, priceDay: '1900-01-01' }, transcript), 'warning');
    expect(early.find(({ code }) => code === 'price-day')!.message).toBe(
      'all requests are priced as of 1900-01-01 (the oldest prices known: the model table has no change before 2026-07-30)',
    );
  });

  it('warns of an assumed price only for the days it is assumed on', () => {
    const transcript = sessionAt('claude-fable-5-2', '2026-11-08T00:00:00Z', '2026-11-10T00:00:00Z');
    const assumed = ofType(runLog(plan, transcript), 'warning').filter(
      ({ code }) => code === 'assumed-price',
    );
    expect(assumed.map(({ count }) => count)).toEqual([1]);
  });
});
