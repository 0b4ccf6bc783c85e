import { describe, expect, it } from 'vitest';
import {
  choosesLifetime,
  lifetimeName,
  providerLifetimes,
  providerLifetimesBlocks,
  ruleSentence,
} from '../../../../src/cli/commands/ttl/provider-lifetimes-document.js';
import { documentLines } from '../../../../src/report/document/document-text.js';
import { plainStyle } from '../../../../src/report/text/table.js';

const SCREEN = { width: 300, style: plainStyle };
const session = (id: string, provider: string, average: number | null, hour: number | null) => ({
  id,
  provider,
  recordedUsd: average === null ? null : average + 1,
  averageUsd: average,
  calls: 10,
  unpricedCalls: average === null ? 10 : 0,
  lifetimes: [
    { ttlSeconds: 3_600, costUsd: hour },
    { ttlSeconds: null, costUsd: hour },
  ],
});
const ROWS = [
  session('a', 'openai', 4, 3),
  session('b', 'openai', 6, 6.5),
  session('c', 'openai', null, null),
  session('d', 'deepseek', 2, 2),
];
const linesOf = (rows: typeof ROWS, perSession: 'each' | 'total' = 'total') =>
  documentLines(providerLifetimesBlocks(Object.values(providerLifetimes(rows))[0]!, perSession), SCREEN);

describe('lifetimes of providers that choose themselves', () => {
  it('are added up by provider, over the sessions that tell', () => {
    const found = providerLifetimes(ROWS);
    expect(Object.keys(found)).toEqual(['deepseek', 'openai']);
    expect(found.openai).toMatchObject({
      sessions: 3,
      recordedUsd: 12,
      averageUsd: 10,
      lifetimes: [
        { ttlSeconds: 3_600, costUsd: 9.5, savesUsd: 0.5 },
        { ttlSeconds: null, costUsd: 9.5, savesUsd: 0.5 },
      ],
    });
    expect(found.openai!.perSession.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(providerLifetimes(ROWS.slice(2, 3)).openai).toMatchObject({ averageUsd: null, recordedUsd: null });
    expect([choosesLifetime('anthropic'), choosesLifetime('openai')]).toEqual([true, false]);
  });

  it('stand in a table with what each would save', () => {
    const lines = linesOf(ROWS.slice(0, 3));
    expect(lines[0]).toMatch(/ · 3 sessions$/);
    expect(lines.slice(2, 6).map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['as recorded', 'at least $12.00'],
      ['by its rule', 'at least $10.00'],
      ['1 h', 'at least $9.50', '−$0.5000'],
      ['unlimited', 'at least $9.50', '−$0.5000'],
    ]);
    expect(lines[6]).toBe('  10 of 30 calls use models without a price');
    const untold = linesOf([...ROWS.slice(0, 1), { ...ROWS[1]!, recordedUsd: null }]);
    expect(untold.slice(2, 4).map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['as recorded, 1 of 2 sessions', '$5.00'],
      ['by its rule', '$10.00'],
    ]);
    expect(lines.at(-1)).toContain('a longer one would save: 1 h $0.5000, unlimited $0.5000.');
    const costlier = linesOf([session('x', 'openai', 2, 3)]);
    expect(costlier.join('\n')).toContain('+$1.00');
    expect(costlier.at(-1)).toContain('A longer one would save nothing here.');
    expect(linesOf([session('x', 'openai', 2, 2)]).join('\n')).toContain('±$0');
    expect(linesOf([session('x', 'openai', null, null)]).at(-1)).toContain(
      'No model of these sessions has a price.',
    );
    expect([lifetimeName(90), lifetimeName(null)]).toEqual(['1.5 min', 'unlimited']);
  });

  it('have a row for each session where asked for', () => {
    const each = linesOf(ROWS.slice(0, 2), 'each').map((line) => line.trim().split(/ {2,}/));
    expect(each).toContainEqual(['session', 'as recorded', 'by its rule', '1 h', 'unlimited']);
    expect(each).toContainEqual(['b', '$7.00', '$6.00', '$6.50', '$6.50']);
    expect(linesOf(ROWS.slice(0, 2)).join('\n')).not.toContain('session ');
  });
});

describe('the rule of a provider in a sentence', () => {
  const minutes = (count: number): number => count * 60_000;
  const rule = (idle: number, ...tail: readonly (readonly [number, number])[]) =>
    ruleSentence({
      lifetime: {
        idleMs: minutes(idle),
        longMs: null,
        maxMs: null,
        refresh: 'on-hit',
        tail: tail.map(([after, share]) => ({ afterMs: minutes(after), share })),
      },
    });

  it('says how long an entry lives for certain, and what is left later', () => {
    expect(rule(5)).toBe(
      'By its rule an entry lives 5 min after its last use. There is no lifetime to choose.',
    );
    expect(rule(5, [15, 1], [17, 0])).toBe(
      'By its rule an entry lives 15 min after its last use for certain; none is left after 17 min. There is no lifetime to choose.',
    );
    expect(rule(5, [60, 0.5], [600, 0])).toBe(
      'By its rule an entry lives 5 min after its last use for certain; 50.0% are left after 1 h, none is left after 10 h. There is no lifetime to choose.',
    );
  });
});
