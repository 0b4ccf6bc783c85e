import { describe, expect, it } from 'vitest';
import type { LifetimeReport } from '../../../../src/analysis/lifetime/lifetime-report.js';
import type { ProviderLifetimes } from '../../../../src/cli/commands/ttl/provider-lifetimes-document.js';
import { lifetimeConclusion } from '../../../../src/cli/commands/ttl/ttl-document.js';
import { ttlPage } from '../../../../src/cli/commands/ttl/ttl-page.js';
import type { StudyPageData } from '../../../../src/report/page-data/page-data.js';

const own = (id: string, cost5mUsd: number, cost1hUsd: number, cheaper: string) => ({
  id,
  cost5mUsd,
  cost1hUsd,
  cheaper,
  rescuedTokens: 1_000,
  breakEvenTokens: 2_000,
  calls: 3,
  unpricedCalls: 0,
});
const SESSIONS = [own('a', 2, 3, '5m'), own('b', 5, 4, '1h'), own('c', 1, 1, 'equal'), own('d', 3, 5, '5m')];

/** Four sessions at both lifetimes; `perSession` are those with a choice. */
function report(perSession = SESSIONS, change: object = {}): LifetimeReport {
  const total = (pick: (session: (typeof SESSIONS)[number]) => number) =>
    perSession.length === 0 ? null : perSession.reduce((sum, session) => sum + pick(session), 0);
  return {
    sessions: 4,
    requests: 1,
    promptTokens: 12_345,
    curve: [
      { ttlSeconds: 300, hitTokens: 10, hitRate: 0.25 },
      { ttlSeconds: 3_600, hitTokens: 0, hitRate: null },
      { ttlSeconds: null, hitTokens: 30, hitRate: 0.75 },
    ],
    cost: {
      perSession,
      total5mUsd: total(({ cost5mUsd }) => cost5mUsd),
      total1hUsd: total(({ cost1hUsd }) => cost1hUsd),
      share5mCheaper: 0.5,
      share1hCheaper: 0.25,
      shareEqual: 0.25,
      rescuedTokens: 4_000,
      breakEvenTokens: 8_000,
      calls: perSession.length * 3,
      unpricedCalls: 0,
      ...change,
    },
  } as unknown as LifetimeReport;
}

const pageOf = (of: LifetimeReport): StudyPageData =>
  ttlPage(
    of,
    { result: 'the lead', advice: 'the advice' },
    'shop, 4 sessions',
    of.cost.perSession.map(({ id }) => ({
      project: 'shop',
      day: id === 'a' ? null : '2026-02-21',
      recordedUsd: id === 'b' ? 4.5 : null,
    })),
  ).data;

describe('the page of lifetimes', () => {
  it('draws the hit rate at each lifetime that has one, and each session on its side of the line', () => {
    const [curve, costs] = pageOf(report()).charts!;
    expect(curve!.x.names).toEqual(['5 min', '1 h', 'unlimited']);
    expect(curve!.series.map(({ points }) => points)).toEqual([
      [
        { x: 0, y: 0.25, row: null },
        { x: 2, y: 0.75, row: null },
      ],
    ]);
    expect(costs!.series.map(({ name, points }) => [name, points])).toEqual([
      [
        '5 minutes cheaper',
        [
          { x: 3, y: 5, row: 0 },
          { x: 2, y: 3, row: 1 },
        ],
      ],
      ['1 hour cheaper', [{ x: 5, y: 4, row: 2 }]],
      ['the same', [{ x: 1, y: 1, row: 3 }]],
    ]);
    expect(pageOf(report(SESSIONS.slice(1, 2))).charts![1]!.series.map(({ name }) => name)).toEqual([
      '1 hour cheaper',
    ]);
  });

  it('has a row for each session with a choice, most to save first, and totals on cards', () => {
    const { table, cards, lead, advice } = pageOf(report());
    expect(table!.columns.slice(0, 7)).toEqual([
      'project',
      'day',
      'as recorded',
      '5 min',
      '1 h',
      'cheaper',
      'saves',
    ]);
    const shown = table!.rows.map(({ name, cells }) => [name, ...cells.slice(0, 7).map(({ text }) => text)]);
    expect(shown).toEqual([
      ['d', 'shop', '2026-02-21', '–', '$3.00', '$5.00', '5m', '$2.00'],
      ['a', 'shop', '–', '–', '$2.00', '$3.00', '5m', '$1.00'],
      ['b', 'shop', '2026-02-21', '$4.50', '$5.00', '$4.00', '1h', '$1.00'],
      ['c', 'shop', '2026-02-21', '–', '$1.00', '$1.00', 'equal', '$0'],
    ]);
    expect(cards!.map(({ label, value, note }) => [label, value, note])).toEqual([
      ['Sessions', '4', '1 request, 12,345 prompt tokens'],
      ['With 5 minutes', '$11.00', 'cheaper for 50.0% of the sessions'],
      ['With 1 hour', '$13.00', 'cheaper for 25.0% of the sessions'],
      ['Rescued by 1 hour', '4,000', 'tokens; it breaks even at 8,000'],
    ]);
    expect([lead, advice]).toEqual(['the lead', 'the advice']);
  });

  it('has the curve alone where no session has a choice', () => {
    const { charts, cards, table } = pageOf(report([]));
    expect([charts!.length, cards!.length, table!.rows.length]).toEqual([1, 1, 0]);
  });
});

describe('what lifetimes come to', () => {
  const NONE: readonly never[] = [];
  const ruled = { openai: { label: 'OpenAI', lifetimes: NONE } as unknown as ProviderLifetimes };

  it('is the cheaper one, and how much it saves', () => {
    expect(lifetimeConclusion(report(), {})).toEqual({
      result: 'All sessions: $11.00 with 5 minutes, $13.00 with 1 hour; 5 minutes saves $2.00.',
      advice: expect.stringMatching(/^Choose 5 minutes as long as .* stay as rare as here\.$/),
    });
    const billed = (...usd: readonly (number | null)[]) => ({
      costUsd: 2.5,
      each: usd.map((costUsd) => ({ name: 'x', costUsd })),
      notes: [],
    });
    expect(lifetimeConclusion(report(), {}, billed(2, 0.5)).result).toMatch(
      /\. As recorded: \$2\.50, without unrecorded requests\.$/,
    );
    expect(lifetimeConclusion(report(), {}, billed(2.5, null)).result).not.toContain('As recorded');
    expect(lifetimeConclusion(report([SESSIONS[1]!]), ruled)).toEqual({
      result: '1 session with a choice: $5.00 with 5 minutes, $4.00 with 1 hour; 1 hour saves $1.00.',
      advice: expect.stringMatching(/^Choose 1 hour as long as .* stay as common as here\.$/),
    });
  });

  it('is none where they cost the same, to a billionth of a dollar', () => {
    const same = { result: 'Both lifetimes cost the same: $1.00.', advice: expect.stringMatching(/^Either/) };
    expect(lifetimeConclusion(report([SESSIONS[2]!]), {})).toEqual(same);
    expect(lifetimeConclusion(report([own('x', 1, 1 + 9e-10, '5m')]), {})).toEqual(same);
    expect(lifetimeConclusion(report([own('x', 1, 1.009, '5m')]), {}).advice).toMatch(
      /^There is no difference worth acting on/,
    );
    expect(lifetimeConclusion(report([own('x', 1, 1.02, '5m')]), {}).advice).toMatch(/^Choose 5 minutes/);
  });

  it('is that there is no choice where the provider alone rules', () => {
    expect(lifetimeConclusion(report([]), ruled).result).toBe(
      'These sessions have no lifetime to choose: the rules of OpenAI decide.',
    );
    const two = {
      ...ruled,
      newer: { label: 'OpenAI from GPT-5.6 on', lifetimes: NONE } as unknown as ProviderLifetimes,
    };
    expect(lifetimeConclusion(report([]), two).result).toBe(
      'These sessions have no lifetime to choose: the rules of OpenAI and OpenAI from GPT-5.6 on decide.',
    );
  });

  it('cannot be told without prices, and is of the calls that have one', () => {
    const unpriced = lifetimeConclusion(report([], { calls: 3, unpricedCalls: 3 }), {});
    expect(unpriced.result).toBe(
      'Which lifetime is cheaper is unknown: no model of these sessions has a price.',
    );
    const part = report(SESSIONS.slice(0, 1), { unpricedCalls: 1 });
    const recorded = { costUsd: 2.5, each: [{ name: 'a', costUsd: 2.5 }], notes: [] };
    expect(lifetimeConclusion(part, {}, recorded).result).toContain(' As recorded: at least $2.50,');
    const { result } = lifetimeConclusion(part, {});
    expect(result).toBe(
      '1 session with a choice: at least $2.00 with 5 minutes, at least $3.00 with 1 hour; 5 minutes saves $1.00 on the 2 of 3 calls whose models have a price.',
    );
  });
});
