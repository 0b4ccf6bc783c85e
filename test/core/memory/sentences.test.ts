import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOOK_CHARS, sentencesOf, statementsIn } from '../../../src/core/memory/sentences.js';
import { STATEMENTS } from '../../../src/transcripts/synthetic/synthetic.generated.js';
import { FillerText } from '../../../src/transcripts/synthetic/tools/filler-text.js';
import { forAll } from '../../helpers/for-all.js';

describe('sentences of a prompt', () => {
  it('C32 are cut at their marks, not inside numbers, names or addresses', () => {
    expect(sentencesOf('We use Node 20.19 here. See wiki.example.com/a.b for more! And then?')).toEqual([
      'We use Node 20.19 here.',
      'See wiki.example.com/a.b for more!',
      'And then?',
    ]);
  });

  it('C32 leave out code, logs, listings, quotations and what a client put in', () => {
    const text = [
      'Always keep this line.',
      '```',
      'Never keep a fenced line.',
      '```',
      '> Never keep a quoted line.',
      '    Never keep an indented line.',
      '<system-reminder>',
      'Never keep what a client says.',
      '</system-reminder>',
      '2026-01-01 10:00:00 never keep a log',
      'src/a.ts src/b.ts',
      '- Always keep a listed one.',
    ].join('\n');
    expect(sentencesOf(text)).toEqual(['Always keep this line.', 'Always keep a listed one.']);
  });

  it('C32 come from the start of a prompt alone, whatever it holds', () => {
    forAll({ numRuns: 60 }, fc.string({ maxLength: 3 * LOOK_CHARS, unit: 'grapheme' }), (text) => {
      const found = sentencesOf(text);
      expect(found).toEqual(sentencesOf(text.slice(0, LOOK_CHARS)));
      for (const sentence of found) expect(text).toContain(sentence);
    });
  });

  it('C32 the words that fill generated prompts state nothing', () => {
    forAll({ numRuns: 100 }, fc.integer({ min: 1, max: 2 ** 31 }), (seed) => {
      expect(statementsIn(new FillerText({ style: 'prose', chars: LOOK_CHARS }, seed).read())).toEqual([]);
    });
  });

  it('C32 what generated users say holds all four types and things that nobody should keep', () => {
    const stated = STATEMENTS.map((text) => statementsIn(text)[0]?.type ?? null);
    expect(new Set(stated)).toEqual(new Set(['user', 'feedback', 'project', 'reference', null]));
  });
});
