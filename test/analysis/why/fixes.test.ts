import { describe, expect, it } from 'vitest';
import type { ChangeOutcome } from '../../../src/analysis/why/changes.js';
import { type Fixes, fixesOf } from '../../../src/analysis/why/fixes.js';
import type { SessionWhy } from '../../../src/analysis/why/session-why.js';
import type { SourceSum } from '../../../src/analysis/why/sources.js';
import { sumUp } from '../../../src/analysis/why/sum-up.js';
import { explained, sessionOf, short } from './sessions.js';

const DOLLAR = 10 ** 9;

/** Ten requests that each write 100,000 tokens at $3.75 a million: $3.75 and a little input and output. */
const SESSION = explained(
  sessionOf(Array.from({ length: 10 }, (_, i) => ({ at: 1_200 * i, usage: short(10, 0, 100_000, 50) }))),
);

function change(
  name: ChangeOutcome['name'],
  saved: number,
  more: Partial<ChangeOutcome> = {},
): ChangeOutcome {
  return { name, savedNano: saved * DOLLAR, offNano: DOLLAR / 100, heldBack: null, ...more };
}

/** What is to be changed where a client of this version would have saved that. */
function fixesFor(version: string | null, changes: readonly ChangeOutcome[]): Fixes {
  const session: SessionWhy = { ...SESSION, version, changes };
  return fixesOf([session], { ...sumUp([session], [], 'instructions'), sources: [] });
}

function pasteOf(version: string | null, own: ChangeOutcome): string | null {
  return fixesFor(version, [own]).fixes[0]!.paste;
}

describe('the setting of a change', () => {
  it('is the one that the newest version has', () => {
    const hour = change('1-hour lifetime', 1);
    expect(pasteOf('2.1.326', hour)).toBe('{ "promptCacheTtl": "1h", "subagentPromptCacheTtl": "1h" }');
    expect(pasteOf('2.1.112', hour)).toBe('{ "env": { "ENABLE_PROMPT_CACHING_1H": "1" } }');
    expect(pasteOf('2.1.107', hour)).toBeNull();
    expect(pasteOf(null, hour)).toBeNull();
    const both = ['2.1.9', '2.1.112'].map((version) => ({ ...SESSION, version, changes: [hour] }));
    const { fixes } = fixesOf(both, sumUp(both, [], 'instructions'));
    expect(fixes.find(({ finding }) => finding === hour.name)).toMatchObject({
      client: 'Claude Code 2.1.112',
      file: '~/.claude/settings.json',
      usd: 2,
    });
  });

  it('has the window whose trigger is half of the effective one, where all sessions have the same', () => {
    // 200,000 less 20,000 for the answer: half is 90,000, and the trigger is 33,000 below the window that is set.
    const half = change('compact at half the window', 1, { window: 200_000 });
    expect(pasteOf('2.1.326', half)).toBe('{ "autoCompactWindow": 123000 }');
    const percent = '{ "env": { "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "50" } }';
    expect(pasteOf('2.1.310', half)).toBe(percent);
    // Half of 100,000 would need a window below the least that the client takes.
    expect(pasteOf('2.1.326', { ...half, window: 100_000 })).toBe(percent);
    const two = [half, { ...half, window: 1_000_000 }];
    expect(fixesFor('2.1.326', two).fixes[0]!.paste).toBe(percent);
  });

  it('is not there for a change that the user makes: a command and its pauses, or what to leave alone', () => {
    const { fixes } = fixesFor('2.1.326', [change('/compact before long pauses', 1)]);
    expect(fixes[0]).toMatchObject({ command: '/compact', paste: null, file: null });
    expect(fixes[0]!.advice).toContain('CLAUDE_CODE_IDLE_COMPACT_MIN_TOKENS');
    expect(fixes[0]!.pauses!.every(({ gapMs }) => gapMs! > 300_000)).toBe(true);
    expect(fixesFor('2.1.298', [change('/compact before long pauses', 1)]).fixes[0]!.advice).toBeNull();
    expect(fixesFor('2.1.326', [change('no mid-session switches', 1)]).fixes[0]!.paste).toBeNull();
  });
});

it('names only pauses before which a compaction was possible, also where an hour would have saved more', () => {
  const session = explained(
    sessionOf([
      { at: 0, usage: short(10, 0, 30_000, 50) },
      // Too small a context for /compact; an hour keeps 30,000 tokens.
      { at: 600, usage: short(10, 0, 32_000, 50) },
      { at: 610, usage: short(10, 32_000, 88_000, 50) },
      { at: 1_810, usage: short(10, 0, 121_000, 50) },
    ]),
  );
  const avoidable = sumUp([session], []).breaks.filter(({ avoidableUsd }) => avoidableUsd! > 0);
  expect(avoidable.map(({ request }) => request).sort()).toEqual([2, 4]);
  const compact = { ...session, version: '2.1.326', changes: [change('/compact before long pauses', 1)] };
  const { fixes } = fixesOf([compact], sumUp([compact], [], 'instructions'));
  const { pauses } = fixes.find(({ command }) => command === '/compact')!;
  expect(pauses!.map(({ sessionRequest }) => sessionRequest)).toEqual([4]);
});

describe('a finding', () => {
  it('saves what is left after fetching again, and its lower end after the most of that', () => {
    const again = { refetchNano: 0.2 * DOLLAR, refetchMostNano: 0.5 * DOLLAR, offNano: 0.1 * DOLLAR };
    const [fix] = fixesFor('2.1.326', [change('/compact before long pauses', 1, again)]).fixes;
    expect(fix!.usd).toBeCloseTo(0.8, 9);
    expect([fix!.low, fix!.high]).toEqual([expect.closeTo(0.4, 9), expect.closeTo(1.1, 9)]);
    expect(fix!.share).toBeCloseTo(0.8 / sumUp([SESSION], []).recordedUsd, 9);
  });

  it('below 1 % of the cost is not shown, nor one that may cost', () => {
    // The session cost $3.76: 1 % is under 4 cents.
    const small = change('1-hour lifetime', 0.035);
    const unsure = change('compact at half the window', 1, { refetchMostNano: 1.1 * DOLLAR });
    expect(fixesFor('2.1.326', [small, unsure])).toMatchObject({
      fixes: [],
      notWorth: ['compact at half the window', '1-hour lifetime'],
      tried: 1,
    });
    expect(fixesFor('2.1.326', [{ ...small, savedNano: 0.05 * DOLLAR }]).fixes).toHaveLength(1);
  });

  it('names one lifetime, the better one', () => {
    const { fixes } = fixesFor('2.1.326', [change('1-hour lifetime', 1), change('5-minute lifetime', 0.5)]);
    expect(fixes.map(({ finding }) => finding)).toEqual(['1-hour lifetime']);
  });

  it('is an instruction file or tool definitions that cost more than 1 %, with what they cost carried', () => {
    const source = (kind: SourceSum['kind'], name: string | null, usd: number): SourceSum => ({
      ...{ kind, name, usd, tokens: 1_000, carriedTokens: 10_000, share: null, requests: 10 },
      ...{ againTokens: 0, againUsd: 0 },
    });
    const sources = [
      source('instructions', '/projects/app/CLAUDE.md', 0.2),
      source('instructions', '/projects/app/docs/CLAUDE.md', 0.03),
      source('definitions', null, 0.1),
      source('tool', null, 3),
    ];
    const { fixes } = fixesOf([SESSION], { ...sumUp([SESSION], []), changes: [], sources });
    const found = fixes.filter(({ carriedUsd }) => carriedUsd !== undefined);
    expect(found.map(({ finding, file, carriedUsd, usd }) => [finding, file, carriedUsd, usd])).toEqual([
      ['/projects/app/CLAUDE.md', '/projects/app/CLAUDE.md', 0.2, 0.1],
      ['tool definitions', null, 0.1, 0.05],
    ]);
  });
});
