import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Counted } from '../../../src/analysis/why/count-once.js';
import { splitAt } from '../../../src/analysis/why/split.js';
import { trendOf } from '../../../src/analysis/why/trend.js';
import { dayStartMs, MS_PER_DAY, MS_PER_HOUR } from '../../../src/core/base/clock.js';
import { forAll } from '../../helpers/for-all.js';
import { assistant, readSession, result, say, user } from '../../helpers/session.js';
import { explained, sessionOf, short } from './sessions.js';

interface Kind {
  readonly requests?: number;
  /** Seconds between requests. */
  readonly every?: number;
  /** Times the tokens of all requests. */
  readonly factor?: number;
  readonly version?: string;
  readonly model?: string;
}

/** A session that begins at this time; every request writes 10,000 tokens and puts out 100: $0.0375 and $0.0015. */
function counted(startedAtMs: number | null, kind: Kind = {}): Counted {
  const { requests = 4, every = 30, factor = 1, version = '2.1.100', model } = kind;
  const session = explained(
    sessionOf(
      Array.from({ length: requests }, (_, i) => ({
        at: every * i,
        usage: short(0, 0, 10_000 * factor, 100 * factor),
        ...(model === undefined ? {} : { extra: { model } }),
      })),
      version,
    ),
  );
  return {
    session: { ...session, startedAtMs },
    requests: session.requests,
    compactions: [],
    noted: session.bill,
  };
}

const REQUEST_USD = 0.0375 + 0.0015;
const day = (name: string): number => dayStartMs(name)!;

describe('sessions over time', () => {
  it('are shown by day below three weeks, a session that passes midnight in both days', () => {
    const late = counted(day('2026-10-05') + 23.5 * MS_PER_HOUR, { requests: 3, every: 1_200 });
    const { period, rows } = trendOf([late, counted(day('2026-10-24') + MS_PER_HOUR)]);
    expect(period).toBe('day');
    expect(rows.map(({ from, to, sessions, requests }) => [from, to, sessions, requests])).toEqual([
      ['2026-10-05', '2026-10-05', 1, 2],
      ['2026-10-06', '2026-10-06', 1, 1],
      ['2026-10-24', '2026-10-24', 1, 4],
    ]);
    expect(rows[0]!.usd).toBeCloseTo(2 * REQUEST_USD, 9);
  });

  it('are shown by week from Monday on from three weeks on, the newest last', () => {
    // 5 October 2026 is a Monday, and 25 October the 21st day from it.
    const { period, rows } = trendOf(
      ['2026-10-25', '2026-10-12', '2026-10-11', '2026-10-05'].map((name) => counted(day(name))),
    );
    expect(period).toBe('week');
    expect(rows.map(({ from, to, sessions }) => [from, to, sessions])).toEqual([
      ['2026-10-05', '2026-10-11', 2],
      ['2026-10-12', '2026-10-18', 1],
      ['2026-10-19', '2026-10-25', 1],
    ]);
  });

  it('count requests, money and output of every session once, and those without a time apart', () => {
    const start = fc
      .integer({ min: 0, max: 60 * 24 })
      .map((hours) => day('2026-09-01') + hours * MS_PER_HOUR);
    const one = counted(0);
    forAll({ numRuns: 50 }, fc.array(fc.option(start), { minLength: 1, maxLength: 12 }), (starts) => {
      const sessions = starts.map((startedAtMs) => ({ ...one, session: { ...one.session, startedAtMs } }));
      const { rows, byHour, undatedSessions } = trendOf(sessions);
      const dated = starts.filter((each) => each !== null).length;
      const total = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
      expect(undatedSessions).toBe(starts.length - dated);
      expect(total(rows.map(({ requests }) => requests))).toBe(4 * dated);
      expect(total(rows.map(({ outputTokens }) => outputTokens))).toBe(400 * dated);
      expect(total(byHour.map(({ requests }) => requests))).toBe(4 * dated);
      expect(total(rows.map(({ usd }) => usd!))).toBeCloseTo(4 * REQUEST_USD * dated, 6);
      expect(rows.map(({ from }) => from)).toEqual(rows.map(({ from }) => from).sort());
    });
  });

  it('show breaks by the hour of the day in UTC', () => {
    // The second and the third request write the same 10,000 again after ten minutes: the five-minute lifetime ran out.
    const { byHour } = trendOf([counted(day('2026-10-05') + 13 * MS_PER_HOUR, { requests: 3, every: 600 })]);
    expect(byHour).toMatchObject([{ hour: 13, requests: 3, breaks: 2, lostUsd: expect.closeTo(0.075, 9) }]);
  });
});

describe('sessions before and after a day', () => {
  const DAY = '2026-10-14';
  const sizes = [4, 5, 6, 7, 8, 9, 10, 11];
  const earlier = (requests: number, i: number, kind: Kind = {}) =>
    counted(day('2026-10-01') + i * MS_PER_DAY, { requests, ...kind });
  const later = (requests: number, i: number, kind: Kind = {}) =>
    counted(day(DAY) + i * MS_PER_DAY, { requests, ...kind });

  it('cost 20 % more a request and a turn where each writes and says 20 % more, and the same for its output', () => {
    const both = [
      ...sizes.map((n, i) => earlier(n, i)),
      ...sizes.map((n, i) => later(n, i, { factor: 1.2 })),
    ];
    const { measures, ...sides } = splitAt(both, DAY, day(DAY));
    expect(sides).toMatchObject({ day: DAY, before: 8, after: 8, across: 0, undated: 0 });
    const [request, turn, output] = measures;
    for (const found of [request!, turn!]) {
      expect(found.beforeUsd).toBeCloseTo(REQUEST_USD, 9);
      expect(found.difference).toBeCloseTo(0.2, 9);
      expect(found.low! - 1e-9).toBeLessThanOrEqual(0.2);
      expect(found.high! + 1e-9).toBeGreaterThanOrEqual(0.2);
      expect(found).toMatchObject({ verdict: 'more', alike: { before: 8, after: 8 } });
    }
    // $0.039 for 100 tokens of output on both sides.
    expect(output!.difference).toBeCloseTo(0, 9);
    expect(output!.afterUsd).toBeCloseTo(10 * REQUEST_USD, 9);
  });

  it('cost the same where some requests have no price, and a day with no other has no cost', () => {
    const unpriced = { inputUsd: null, readNano: 0, uncachedNano: 0, outputNano: 0, parts: [] };
    const more = (own: Counted): Counted => ({
      ...own,
      requests: [...own.requests, { ...own.requests.at(-1)!, ...unpriced }],
    });
    // One request more leaves each among those of its size.
    const sizes = [4, 5, 6, 8, 9, 10, 12, 13];
    const both = [...sizes.map((n, i) => earlier(n, i)), ...sizes.map((n, i) => more(later(n, i)))];
    for (const found of splitAt(both, DAY, day(DAY)).measures) {
      expect(found).toMatchObject({ alike: { before: 8, after: 8 }, verdict: 'no-difference' });
      expect(found.beforeUsd).toBeCloseTo(found.afterUsd!, 9);
    }
    const bare = later(4, 0);
    const none = { ...bare, requests: bare.requests.map((each) => ({ ...each, ...unpriced })) };
    const { rows, byHour } = trendOf([none]);
    expect([...rows, ...byHour].map(({ usd }) => usd)).toEqual([null, null]);
    expect(trendOf([more(bare)]).rows).toMatchObject([
      { requests: 5, unpricedCalls: 1, usd: expect.closeTo(4 * REQUEST_USD, 9) },
    ]);
  });

  it('are on neither side where they were under way on that day, or do not tell when they were', () => {
    const across = counted(day(DAY) - 60_000, { requests: 4, every: 60 });
    expect(splitAt([across, counted(null)], DAY, day(DAY))).toMatchObject({
      before: 0,
      after: 0,
      across: 1,
      undated: 1,
    });
  });

  it('cannot be told where sizes or models differ', () => {
    const small = sizes.map((_, i) => earlier(4, i));
    const large = sizes.map((_, i) => later(8, i));
    expect(splitAt([...small, ...large], DAY, day(DAY)).measures[0]).toMatchObject({
      verdict: 'cannot-tell',
      alike: { before: 0, after: 0 },
    });
    const other = sizes.map((_, i) => later(4, i, { model: 'claude-opus-4-5' }));
    const { measures, byModel } = splitAt([...small, ...other], DAY, day(DAY));
    expect(measures[0]!.verdict).toBe('cannot-tell');
    // Opus 4.5 costs $5 where Sonnet 4.5 costs $3, for all kinds of tokens.
    const [opus, sonnet] = byModel;
    expect([opus!.name, opus!.difference]).toEqual(['claude-opus-4-5', expect.closeTo(2 / 3, 9)]);
    expect([sonnet!.name, sonnet!.difference]).toEqual(['claude-sonnet-4-5', expect.closeTo(-0.4, 9)]);
  });

  it('compare a version with all earlier ones of its agent', () => {
    const versions = ['2.1.9', '2.1.10', '2.1.100'];
    const sessions = versions.flatMap((version, v) =>
      sizes.map((n, i) => earlier(n, i, { version, factor: v === 2 ? 1.5 : 1 })),
    );
    const { byVersion } = splitAt(sessions, DAY, day(DAY));
    expect(byVersion.map(({ name, difference, alike }) => [name, difference, alike])).toEqual([
      ['claude-code 2.1.10', expect.closeTo(0, 9), { before: 8, after: 8 }],
      ['claude-code 2.1.100', expect.closeTo(0.5, 9), { before: 16, after: 8 }],
    ]);
  });
});

describe('a turn', () => {
  it('begins with the first request behind what the user said, not behind results of tools', () => {
    const fields = { model: 'claude-sonnet-4-5', usage: short(0, 0, 10_000, 100) };
    const call = [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }];
    const transcript = readSession([
      user('u0', 0, 'look'),
      assistant('a0', 1, 'm0', call, fields, { parentUuid: 'u0' }),
      result('u1', 2, 't1', 'ok', { parentUuid: 'a0' }),
      assistant('a1', 3, 'm1', say('done'), fields, { parentUuid: 'u1' }),
      user('u2', 4, 'thanks', { parentUuid: 'a1' }),
      assistant('a2', 5, 'm2', say('yes'), fields, { parentUuid: 'u2' }),
    ]);
    expect(explained(transcript).requests.map(({ startsTurn }) => startsTurn)).toEqual([true, false, true]);
  });
});
