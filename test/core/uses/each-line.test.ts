import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eachLine } from '../../../src/core/uses/holders.js';
import { forAll } from '../../helpers/for-all.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';

/** The same in words of regular expressions. */
const NUMBER = /^\s*\d+(?:→|\t|[:|-]\s?)/;
const WORD = /[A-Za-z]{3}/;
const PATH = /^\S*\/\S*$/;
const byPattern = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line.length >= 12 && line.length <= 400)
    .map((line) => line.replace(NUMBER, '').trim())
    .filter((line) => line.length >= 12 && WORD.test(line) && !PATH.test(line));

function lines(text: string): readonly string[] {
  const found: string[] = [];
  eachLine(text, (from, to) => found.push(text.slice(from, to)));
  return found;
}

describe('lines of a text that tell something', () => {
  it('have twelve characters and a word, and are no path', () => {
    const text = [
      '    12→  return openChannel(host);',
      'return null;  ',
      '}',
      '-----------------------',
      '2026-08-01 09:30:00',
      'src/net/socket-pool.ts',
      'src/net/socket-pool.ts: 42 lines',
      'x'.repeat(401),
    ].join('\n');
    expect(lines(text)).toEqual([
      'return openChannel(host);',
      'return null;',
      'src/net/socket-pool.ts: 42 lines',
    ]);
  });

  it('are those of the patterns, whatever the text', () => {
    const near = fc
      .array(fc.constantFrom(...'abcXYZ019/→\t:|- \n\r\v\u00a0\u2028\u3000\ufeffé'), {
        minLength: 8,
        maxLength: 120,
      })
      .map((all) => all.join(''));
    const numbered = fc
      .array(fc.tuple(fc.nat(2_000), fc.constantFrom('→', '\t', ': ', '|', '-', ' '), near), { maxLength: 4 })
      .map((all) => all.map(([i, mark, line]) => `  ${i}${mark}${line}`).join('\n'));
    forAll(
      { numRuns: propertyRuns(2_000) },
      fc.oneof(near, numbered, fc.string({ unit: 'binary', maxLength: 90 })),
      (text) => {
        expect(lines(text)).toEqual(byPattern(text));
      },
    );
  });
});
