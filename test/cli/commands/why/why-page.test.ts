import { describe, expect, it } from 'vitest';
import { countOnce } from '../../../../src/analysis/why/count-once.js';
import { sumUp } from '../../../../src/analysis/why/sum-up.js';
import { type PageRoom, pageSession, whyPageData } from '../../../../src/cli/commands/why/why-page-data.js';
import type { WhyPageSession } from '../../../../src/report/page-data/why-page-data.js';
import { whySessions } from '../../../helpers/recordings/why-sessions.js';

const SESSIONS = whySessions();
const REPORT = sumUp(SESSIONS, []);
const OPTIONS = { home: '/projects', notes: [] };
const dataIn = (room?: PageRoom) => whyPageData(REPORT, countOnce(SESSIONS).map(pageSession), OPTIONS, room);

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** What all requests of a session cost, those left out included, in nano-dollars. */
function costOf({ run }: WhyPageSession): number {
  const { requests, leftOut } = run!;
  const { readCost, freshCost, rewriteCost, outputCost } = requests;
  const unseen =
    leftOut === undefined
      ? []
      : [
          leftOut.readCost,
          leftOut.freshCost,
          leftOut.outputCost,
          ...Object.values(leftOut.rewriteCosts),
        ].flat();
  return total([readCost, freshCost, rewriteCost, outputCost].flat()) + total(unseen);
}

describe('the page of why', () => {
  const data = dataIn();

  it('is headed by what to try, and by what was avoidable where nothing was tried', () => {
    const given = countOnce(SESSIONS).map(pageSession);
    const { advice } = whyPageData({ ...REPORT, changes: [] }, given, OPTIONS);
    expect(advice).toMatch(/^\d+ sessions? cost \$.*\. No change was tried: /);
    expect(data.advice).not.toMatch(/^\d+ sessions? cost/);
  });

  it('is called after the first and the last day of what it shows, as its first card is', () => {
    const days = { from: '2026-08-09', to: '2026-08-14' };
    const { title, cards } = whyPageData(
      { ...REPORT, ...days },
      countOnce(SESSIONS).map(pageSession),
      OPTIONS,
    );
    expect(title).toMatch(/, 2026-08-09 to 2026-08-14$/);
    expect(cards[0]!.note).toBe('2026-08-09 to 2026-08-14');
  });

  it('holds all the money: of causes, of sessions, of their requests', () => {
    expect(total(data.causes.map(({ usd }) => usd))).toBeCloseTo(REPORT.recordedUsd, 9);
    expect(total(data.sessions.map(({ usd }) => usd))).toBeCloseTo(REPORT.recordedUsd, 9);
    for (const session of data.sessions) expect(costOf(session) / 1e9).toBeCloseTo(session.usd, 9);
  });

  it('fills every prompt it draws with parts, also where it draws some of them alone', () => {
    for (const { sessions } of [data, dataIn({ session: 4, all: 100, breaks: 9 })])
      for (const { run } of sessions) {
        const { read, write5m, write1h, input } = run!.requests;
        const held = read.map(() => 0);
        for (const { grown } of run!.fill!) {
          let tokens = 0;
          for (const [i, more] of grown.entries()) {
            tokens += more;
            held[i]! += tokens;
          }
        }
        expect(held).toEqual(read.map((own, i) => own + write5m[i]! + write1h[i]! + input[i]!));
      }
    expect(total(data.sources.rows.map(({ usd }) => usd))).toBeCloseTo(REPORT.recordedUsd, 9);
  });

  it('splits what a session paid by model and day, to the same sums as the report', () => {
    const spent = data.sessions.flatMap((session) => session.spent);
    for (const session of data.sessions)
      expect(total(session.spent.map(({ usd }) => usd))).toBeCloseTo(session.usd, 9);
    for (const { name, usd } of REPORT.byModel)
      expect(total(spent.filter(({ model }) => model === name).map((each) => each.usd))).toBeCloseTo(usd!, 9);
    for (const { name, usd } of REPORT.byDay)
      expect(total(spent.filter(({ day }) => day === name).map((each) => each.usd))).toBeCloseTo(usd!, 9);
  });

  it('has a place for every break: the request of its session that paid again, with its cause', () => {
    expect(data.sessions.map(({ name }) => name)).toEqual(['lunch', 'early', 'quiet']);
    // 40,000 and 20,000 tokens at $6 a million
    expect(data.breaks.map(({ session, request, tokens, usd }) => [session, request, tokens, usd])).toEqual([
      [0, 12, 40_000, 0.24],
      [1, 2, 20_000, 0.12],
    ]);
    for (const { session, request, cause } of data.breaks) {
      const { requests, names } = data.sessions[session]!.run!;
      expect(names.causes[requests.cause[request - 1]!]).toBe(data.causes[cause]!.title);
    }
  });

  it('stays small: breaks are kept, the sums count what is left out, and it says so', () => {
    const small = dataIn({ session: 4, all: 12, breaks: 1 });
    const [lunch, early, quiet] = small.sessions;
    // every fourth of 16, the last, and the 12th, which broke the cache
    expect(lunch!.run!.leftOut!.n).toEqual([1, 5, 9, 12, 13, 16]);
    expect(costOf(lunch!) / 1e9).toBeCloseTo(lunch!.usd, 9);
    expect(early!.run!.requests.t).toHaveLength(2);
    // 6 requests in steps of 2, and the last: 4, of which 12 less 8 leaves room
    expect(quiet!.run!.requests.t).toHaveLength(4);
    expect(small.breaks).toHaveLength(1);
    expect(small.notes.join(' ')).toMatch(/2 sessions with more than 4 requests are drawn from some of them/);
    expect(small.notes.join(' ')).toMatch(/Of 2 breaks the most expensive 1 are listed/);
    const smaller = dataIn({ session: 4, all: 8, breaks: 5 });
    expect(smaller.sessions.map(({ run }) => run === null)).toEqual([false, false, true]);
    expect(smaller.notes.join(' ')).toContain('1 session that cost least has no chart');
  });
});
