import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eachName } from '../../../src/core/uses/uses.js';
import { forAll } from '../../helpers/for-all.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';

/** The same in words of regular expressions. */
const NAME = /[\w$]+/g;
const MARKED = /[a-z]\d|\d[a-z]|\w_\w|\$|[a-z][A-Z]/;
const byPattern = (text: string): readonly string[] =>
  [...text.matchAll(NAME)].map(([name]) => name).filter((name) => name.length >= 8 && MARKED.test(name));

function names(text: string): readonly string[] {
  const found: string[] = [];
  eachName(text, (from, to) => found.push(text.slice(from, to)));
  return found;
}

describe('identifiers of a text', () => {
  it('have something that plain language has not, and eight characters', () => {
    expect(names('connectSocket waits for retry_limit in src/net/socketPool.ts:42, well-known')).toEqual([
      'connectSocket',
      'retry_limit',
      'socketPool',
    ]);
    expect(names('shortId a.b.c.d 12345678 éclairTarget Capitalised words.')).toEqual(['clairTarget']);
  });

  it('are those of the two patterns, whatever the text', () => {
    const near = fc
      .array(fc.constantFrom(...'abzAZ019_$./:- \n"é→'), { maxLength: 80 })
      .map((all) => all.join(''));
    forAll(
      { numRuns: propertyRuns(2_000) },
      fc.oneof(near, fc.string({ unit: 'binary', maxLength: 60 })),
      (text) => {
        expect(names(text)).toEqual(byPattern(text));
      },
    );
  });
});
