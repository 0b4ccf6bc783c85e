import { expect, it } from 'vitest';
import { WHY_CAUSES } from '../../../src/analysis/why/causes.js';
import { sumUp } from '../../../src/analysis/why/sum-up.js';
import { whyPageData } from '../../../src/cli/commands/why/why-page-data.js';
import { BREAK_COLORS, causeColors, causePhrase, PROMPT_COLORS } from '../../../src/report/charts/palette.js';

const STEADY = ['carry', 'new', 'output'];

it('a cause has one colour, whatever stands beside it, and no other cause or part of a prompt has it', () => {
  const [, tools, compaction] = causeColors(['carry', 'rewrite:tools', 'rewrite:compaction']);
  expect(causeColors(['rewrite:compaction', 'output', 'rewrite:tools'])).toEqual([
    compaction,
    causeColors(['output'])[0],
    tools,
  ]);
  const taken = new Set([...causeColors(STEADY), ...Object.values(PROMPT_COLORS)]);
  const colors = Object.values(BREAK_COLORS);
  expect(new Set(colors).size).toBe(colors.length);
  expect(colors.filter((color) => taken.has(color))).toEqual([]);
  const [other] = causeColors(['rewrite:a cause without a colour of its own']);
  expect([...taken, ...colors]).not.toContain(other);
});

it('the causes of recordings have a colour each, apart from what every session pays for its content', () => {
  const sums = WHY_CAUSES.map((cause) => ({
    cause,
    tokens: 1,
    otherTokens: 0,
    usd: 1,
    avoidableUsd: 0,
    events: 1,
  }));
  const data = whyPageData({ ...sumUp([], []), byCause: sums }, [], { home: '/projects', notes: [] });
  const breaks = data.causes.filter(({ events }) => events > 0).map(({ color }) => color);
  expect(breaks).toHaveLength(WHY_CAUSES.length - 5);
  expect(new Set(breaks).size).toBe(breaks.length);
  const taken = new Set([...causeColors(STEADY), ...Object.values(PROMPT_COLORS)]);
  expect(breaks.filter((color) => taken.has(color))).toEqual([]);
});

it('a cause that is words already is spelt as it is', () => {
  expect(causePhrase('rewrite:the 1-hour lifetime ran out')).toBe(
    'written again: the 1-hour lifetime ran out',
  );
  expect(causePhrase('rewrite:not-readable-yet')).toBe('written again: not readable yet');
});
