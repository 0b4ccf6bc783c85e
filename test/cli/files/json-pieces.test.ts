import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonPieces, MadeList } from '../../../src/cli/files/json-pieces.js';
import { forAll } from '../../helpers/for-all.js';

function written(value: object): string {
  return [...jsonPieces(value)].join('');
}

describe('JSON in pieces', () => {
  it('is the same as in one', () => {
    forAll(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
      expect(written(value)).toBe(`${JSON.stringify(value, null, 2)}\n`);
    });
    const odd = { gone: undefined, list: [undefined, new Date(0)], none: [], empty: {}, text: 'two\nlines' };
    expect(written(odd)).toBe(`${JSON.stringify(odd, null, 2)}\n`);
  });

  it('has lists that are made while it is written, none of them twice and all with one item in hand', () => {
    let made = 0;
    let freed = 0;
    const runs = new MadeList(function* () {
      for (; made < 20_000; freed++) yield { n: made++, metrics: { costUsd: 0.5, turns: null } };
    });
    const pieces: string[] = [];
    for (const piece of jsonPieces({ variants: [{ name: 'a', runs }], none: new MadeList(() => []) })) {
      expect(made - freed).toBeLessThan(2);
      pieces.push(piece);
    }
    expect(made).toBe(20_000);
    expect(pieces.length).toBeGreaterThan(10);
    const whole = {
      variants: [
        {
          name: 'a',
          runs: Array.from({ length: 20_000 }, (_, n) => ({ n, metrics: { costUsd: 0.5, turns: null } })),
        },
      ],
      none: [],
    };
    expect(pieces.join('')).toBe(`${JSON.stringify(whole, null, 2)}\n`);
  });

  it('of such a list that something else writes is the same', () => {
    expect(JSON.stringify({ all: new MadeList(() => [1, 2]) })).toBe('{"all":[1,2]}');
  });
});
