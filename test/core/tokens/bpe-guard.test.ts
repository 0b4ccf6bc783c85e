import fc from 'fast-check';
import ranks from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { countGuarded, RUN_LIMIT_CHARS } from '../../../src/core/tokens/counter.js';
import { forAll } from '../../helpers/for-all.js';

const PIECE = new RegExp(ranks.pat_str, 'gu');
/** A piece may hold punctuation and the newlines after it, one character before and a contraction of three behind. */
const LONGEST = 2 * RUN_LIMIT_CHARS + 4;

function partsOf(text: string, chunkBytes: number): readonly string[] {
  const parts: string[] = [];
  countGuarded(
    text,
    (part) => {
      parts.push(part);
      return 0;
    },
    chunkBytes,
  );
  return parts;
}

function longestPiece(part: string): number {
  let longest = 0;
  for (const [piece] of part.matchAll(PIECE)) longest = Math.max(longest, piece.length);
  return longest;
}

const runs = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        'a',
        'A',
        'ß',
        '汉',
        'ʰ',
        '\u0301',
        '😀',
        '𠀀',
        ' ',
        '\n',
        '\r',
        '/',
        '!',
        '1',
        "'",
        's',
        'aA',
        '/\n',
        '汉A',
        '! ',
      ),
      fc.integer({ min: 1, max: 1_500 }),
    ),
    { maxLength: 6 },
  )
  .map((list) => list.map(([unit, times]) => unit.repeat(times)).join(''));

describe('countGuarded', () => {
  it('TOK-10 hands no piece over twice the run limit to the tokenizer', () => {
    forAll(runs, fc.constantFrom(128, 512), (text, chunkBytes) => {
      for (const part of partsOf(text, chunkBytes)) {
        expect(longestPiece(part)).toBeLessThanOrEqual(LONGEST);
      }
    });
  });

  it('TOK-10 counts every character once and never cuts a surrogate pair', () => {
    forAll(runs, fc.constantFrom(1, 128, 512), (text, chunkBytes) => {
      expect(countGuarded(text, (part) => part.length, chunkBytes)).toBe(text.length);
      const bytes = (part: string): number => new TextEncoder().encode(part).length;
      expect(countGuarded(text, bytes, chunkBytes)).toBe(bytes(text));
    });
  });

  it('TOK-10 leaves a run of exactly the limit whole and cuts one above it', () => {
    const atLimit = 'a'.repeat(RUN_LIMIT_CHARS);
    expect(partsOf(atLimit, 128)).toEqual([atLimit]);
    expect(partsOf(`${atLimit} ${atLimit}`, 128)).toEqual([`${atLimit} ${atLimit}`]);
    expect(partsOf(`${atLimit}a`, RUN_LIMIT_CHARS)).toEqual([atLimit, 'a']);
  });

  it('TOK-10 cuts no text whose tokens are short: a slash joins newlines, not spaces', () => {
    const paths = '/ '.repeat(RUN_LIMIT_CHARS);
    expect(partsOf(paths, 128)).toEqual([paths]);
    expect(partsOf('/\n'.repeat(RUN_LIMIT_CHARS), 128).length).toBeGreaterThan(1);
  });

  it('TOK-10 measures chunks in UTF-8 bytes', () => {
    const parts = partsOf(
      Array.from({ length: 600 }, (_, i) => String.fromCharCode(0x4e00 + i)).join(''),
      128,
    );
    expect(parts.slice(0, -1).every((part) => part.length === 42)).toBe(true);
  });

  it('TOK-10 keeps the text before and behind a cut run with its ends', () => {
    const parts = partsOf(`one two ${'a'.repeat(600)} three`, 512);
    expect(parts).toEqual([`one two ${'a'.repeat(512)}`, `${'a'.repeat(88)} three`]);
  });
});
