import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meaningOf, relate } from '../../../src/core/memory/meaning.js';
import { STATEMENTS } from '../../../src/transcripts/synthetic/synthetic.generated.js';
import { forAll } from '../../helpers/for-all.js';

const between = (a: string, b: string) => relate(meaningOf(a), meaningOf(b));

describe('what two sentences have to do with each other', () => {
  it.each([
    ['Use npm for everything.', 'No, use pnpm instead of npm.', 'contradicts'],
    ['We use Postgres.', 'We moved from Postgres to SQLite last week.', 'contradicts'],
    ['Use tabs for indentation.', 'Indent with spaces, not tabs.', 'contradicts'],
    ['Always run the linter.', 'Never run the linter.', 'contradicts'],
    ['Never use npm.', 'Use npm.', 'contradicts'],
    ['Never use npm.', 'Use pnpm.', 'apart'],
    ['Always run the linter before you stop.', 'Please always run the linter before you stop!', 'same'],
    ['We use Postgres 15.', 'The database is Postgres.', 'same'],
    ['Every test needs a name.', 'Tests should never depend on the network.', 'apart'],
    ['We use Postgres.', 'Avoid default exports.', 'apart'],
  ] as const)('C32 %s / %s: %s', (a, b, relation) => {
    expect(between(a, b)).toBe(relation);
  });

  it('C32 three of five words in common are enough to say the same, half of them to say the opposite', () => {
    const says = (stance: 'for' | 'against', words: string) => ({
      ...meaningOf('Never mock the clock.'),
      stance,
      choice: null,
      words: new Set(words),
    });
    expect(relate(says('for', 'abcde'), says('for', 'abcxy'))).toBe('same');
    expect(relate(says('for', 'abcde'), says('for', 'abxyz'))).toBe('apart');
    expect(relate(says('for', 'abcd'), says('against', 'abxy'))).toBe('contradicts');
    expect(relate(says('for', 'abcde'), says('against', 'abxyz'))).toBe('apart');
  });

  it('C32 the topic is what a sentence is about', () => {
    expect(meaningOf('Please use pnpm, not npm.').subject).toBe('package-manager');
    expect(meaningOf("Don't mock the clock.").subject).toBe('mocks');
    expect(meaningOf('The runbook is in the wiki.').subject).toBe('documents');
    expect(meaningOf('Sensor s0001 was put into service.').subject).toBe('sensor-s0001');
  });

  it('C32 the relation is the same both ways, and a sentence says what it says itself', () => {
    const sentence = fc.constantFrom(...STATEMENTS);
    forAll(sentence, sentence, (a, b) => {
      expect(between(a, b)).toBe(between(b, a));
      expect(between(a, a)).toBe('same');
    });
  });
});
