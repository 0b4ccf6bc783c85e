import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digestPart, digestText } from '../../../src/core/base/digest.js';
import { forAll } from '../../helpers/for-all.js';

const longText = fc.string({ minLength: 65, maxLength: 400, unit: 'binary' });

describe('digest of a text', () => {
  it('is the same whatever a text was put together from', () => {
    forAll(longText, fc.nat(), (text, at) => {
      const cut = at % text.length;
      const joined = [text.slice(0, cut), text.slice(cut)].join('');
      const sliced = `<${text}>`.slice(1, -1);
      expect(digestText(joined)).toBe(digestText(text));
      expect(digestText(sliced)).toBe(digestText(text));
    });
  });

  it('of a part of a text is that of the part alone', () => {
    forAll(
      fc.string({ maxLength: 200, unit: 'binary' }),
      fc.nat(),
      fc.nat(),
      fc.nat(9),
      (text, a, b, salt) => {
        const [from, to] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y);
        expect(digestPart(text, from!, to!, salt)).toBe(digestText(text.slice(from, to), salt));
      },
    );
  });

  it('changes with every single unit, with the length, and with the salt', () => {
    forAll(longText, fc.nat(), fc.integer({ min: 1, max: 0xffff }), (text, at, flip) => {
      const i = at % text.length;
      const unit = String.fromCharCode(text.charCodeAt(i) ^ flip);
      const digest = digestText(text);
      expect(digestText(text.slice(0, i) + unit + text.slice(i + 1))).not.toBe(digest);
      expect(digestText(`${text}\0`)).not.toBe(digest);
      expect(digestText(text, 1)).not.toBe(digest);
    });
  });

  it('tells texts apart that differ beyond the first window or swap their parts', () => {
    const block = 'abcdefgh'.repeat(2_000);
    const texts = [
      block,
      `${block}x`,
      `${block.slice(0, -1)}x`,
      `x${block}`,
      block.slice(0, 8_192),
      block.slice(0, 8_193),
      `${block.slice(8, 16)}IJKLMNOP${block}`,
      `IJKLMNOP${block.slice(8, 16)}${block}`,
    ];
    expect(new Set(texts.map((text) => digestText(text))).size).toBe(texts.length);
  });

  it('has no collision among texts that differ in one of many places', () => {
    const base = 'one line of a file like any other\n'.repeat(40);
    const digests = new Set<number>();
    let count = 0;
    for (let i = 0; i < base.length; i++) {
      for (const letter of 'xyzXYZ0123456789') {
        digests.add(digestText(base.slice(0, i) + letter + base.slice(i + 1)));
        count++;
      }
    }
    // A place may already hold the letter: those texts are the base itself.
    const same = [...base].filter((unit) => 'xyzXYZ0123456789'.includes(unit)).length;
    expect(digests.size).toBe(count - same + (same > 0 ? 1 : 0));
  });
});

describe('canonical JSON', () => {
  it('is read back as the value that was written, and does not depend on the order of keys', () => {
    forAll(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(backwards(value))).toBe(text);
      // Keys of what is read back are in their order already, as far as objects keep one.
      expect(JSON.stringify(JSON.parse(text))).toBe(text);
    });
  });

  it('leaves out what has no JSON, and keeps the place of it in a list', () => {
    expect(canonicalJson({ b: 1, a: undefined, c: [undefined, Number.NaN] })).toBe('{"b":1,"c":[null,null]}');
    expect(canonicalJson({ b: 1, 10: 2, 9: 3, a: 4, '01': 5, 4294967295: 6 })).toBe(
      '{"9":3,"10":2,"01":5,"4294967295":6,"a":4,"b":1}',
    );
  });
});

/** The same value, the keys of its objects the other way round. */
function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, backwards(item)]),
  );
}
