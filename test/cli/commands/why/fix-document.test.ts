import { describe, expect, it } from 'vitest';
import type { Fix, Fixes } from '../../../../src/analysis/why/fixes.js';
import { sumUp } from '../../../../src/analysis/why/sum-up.js';
import { fixBlocks } from '../../../../src/cli/commands/why/fix-document.js';
import { documentLines } from '../../../../src/report/document/document-text.js';
import { plainStyle } from '../../../../src/report/text/table.js';

const FIX: Fix = {
  finding: '1-hour lifetime',
  client: 'Claude Code 2.1.112',
  usd: 3,
  low: 2,
  high: 4,
  share: 0.25,
  refetchUsd: 0,
  file: '/me/.claude/settings.json',
  paste: '{ "a": 1,\n  "b": 2 }',
  advice: null,
  source: null,
};
const pause = (usd: number) => ({
  file: 'shop/one.jsonl',
  sessionRequest: 1_200,
  at: '2026-01-02 10:00',
  gapMs: 7_200_000,
  usd,
});

const linesOf = (fixes: readonly Partial<Fix>[], found: Partial<Fixes> = {}, top = 5): readonly string[] => {
  const all = { fixes: fixes.map((fix) => ({ ...FIX, ...fix })), notWorth: [], tried: 1, ...found };
  return documentLines(fixBlocks(all as Fixes, sumUp([], []), { top, home: '/me' }), {
    width: 300,
    style: plainStyle,
  });
};

describe('what to change', () => {
  it('is numbered, with what it saves and the lines to paste into its file', () => {
    expect(linesOf([{}, { finding: 'other', refetchUsd: 0.5, share: 0.1, client: null }])).toEqual([
      '2 findings worth more than 1 % of $0 in 0 sessions. Each is for one change alone: savings do not add up. Nothing is written.',
      '',
      '1. 1-hour lifetime: saves $3.00 ($2.00 to $4.00, 25.0%)',
      '   ~/.claude/settings.json (Claude Code 2.1.112)',
      '   + { "a": 1,',
      '   +   "b": 2 }',
      '2. other: saves $3.00 ($2.00 to $4.00, 10.0%, $0.5000 for fetching content again subtracted)',
      '   ~/.claude/settings.json',
      '   + { "a": 1,',
      '   +   "b": 2 }',
    ]);
  });

  it('that is a file to shorten is named once, with what it cost and what to do', () => {
    const file = '/me/shop/CLAUDE.md';
    const fix = { finding: file, file, client: null, paste: null, carriedUsd: 6, advice: 'shorten the file' };
    expect(linesOf([fix]).slice(2)).toEqual([
      '1. ~/shop/CLAUDE.md: cost $6.00 carried, halving it saves $3.00 ($2.00 to $4.00, 25.0%)',
      '   shorten the file',
    ]);
  });

  it('without a setting says so, unless it is typed', () => {
    const unset = { file: null, paste: null, advice: 'ask for one' };
    expect(linesOf([unset]).slice(3)).toEqual(['   no setting is known', '   ask for one']);
    expect(linesOf([{ ...unset, client: null }]).slice(3)).toEqual(['   ask for one']);
    expect(linesOf([{ ...unset, command: '/compact', advice: null }]).slice(3)).toEqual([
      '   /compact before you leave, from 50,000 tokens of context on',
    ]);
    const one = { ...unset, advice: null, command: '/compact', pauses: [pause(2)] };
    expect(linesOf([one]).slice(3)).toEqual([
      '   /compact before you leave, from 50,000 tokens of context on, 1 pause here, the most expensive: 2 h before request 1,200 of one, 2026-01-02 10:00 ($2.00)',
    ]);
    const three = linesOf([{ ...one, pauses: [pause(2), { ...pause(1), at: null }, pause(0.5)] }]).join('\n');
    expect(three).toContain(', 3 pauses here, the most expensive: 2 h before request 1,200 of one, 2026');
    expect(three).toMatch(/\(\$2\.00\); 2 h before request 1,200 of one \(\$1\.00\)$/);
  });

  it('is as much as asked for, with how to see the rest and what is not worth it', () => {
    const notes = (count: number, top: number, notWorth: readonly string[] = []) =>
      linesOf(Array(count).fill({ paste: null }), { notWorth }, top)
        .map((line) => line.trim())
        .filter((line) => /more: --top|^Not worth/.test(line));
    expect(notes(3, 2)).toEqual(['1 more: --top 3.']);
    expect(notes(3, 3, ['a', 'b'])).toEqual(['Not worth it, or uncertain: a, b.']);
  });
});
