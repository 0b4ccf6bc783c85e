import { describe, expect, it } from 'vitest';
import { decidingRule, pollutionOf, statementsIn } from '../../../src/core/memory/sentences.js';

describe('C49 what is never kept', () => {
  it('C49 architecture is not kept, what was decided about it and where it is written is', () => {
    const text = 'We use React with TypeScript and a layered architecture.';
    expect(statementsIn(text)).toEqual([]);
    expect(decidingRule(text)?.verdict).toBe('derivable');
    expect(decidingRule('Architecture decisions are recorded under adr in the handbook repo.')?.verdict).toBe(
      'reference',
    );
    expect(decidingRule('Our monorepo is built with Bazel.')?.verdict).toBe('project');
  });

  it.each([
    ['code pattern', 'We create clients with the factory pattern.'],
    ['architecture', 'We use React with TypeScript and a layered architecture.'],
    ['file path', 'The parser lives in src/core/parse/parser.ts.'],
    ['git history', 'The limit was raised in commit 4c8b7f2.'],
    ['fix', 'The bug was a missing await.'],
    ['ephemeral state', 'The migration is in progress.'],
    ['small talk', 'Thanks, that works now.'],
    ['output', 'ERROR connection refused'],
  ])('C49 a list of its own finds %s', (kind, line) => {
    expect(pollutionOf(line)).toBe(kind);
  });

  it.each([
    'Please always write the tests first.',
    'I prefer tabs.',
    'The release is frozen from Friday on.',
    'Architecture decisions are recorded in the handbook.',
  ])('C49 it finds nothing in: %s', (line) => {
    expect(pollutionOf(line)).toBeNull();
  });

  it('C49 it can disagree with the rules that decide what is kept', () => {
    const kept = 'Never edit src/core/parse/parser.ts by hand.';
    expect(decidingRule(kept)?.verdict).toBe('feedback');
    expect(pollutionOf(kept)).toBe('file path');
  });
});
