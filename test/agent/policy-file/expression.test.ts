import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AmountError, parseAmount } from '../../../src/agent/policy-file/expression.js';
import { forAll } from '../../helpers/for-all.js';
import { thrownBy } from '../../helpers/refusal.js';

const SIZES = { W: 200_000, O: 32_000, I: 180_000, B: 100_000 };
const at = (text: string, draw = 0.5): number => parseAmount(text)(SIZES, draw);

describe('amounts of a policy file', () => {
  it.each([
    ['150k', 150_000],
    ['2K', 2_000],
    ['1.5m', 1_500_000],
    ['1.5M', 1_500_000],
    ['base / base + O + input', 212_001],
    ['90%', 0.9],
    ['0.9·B', 90_000],
    ['0.9 * base', 90_000],
    ['W - min(O, 20k) - 13k', 167_000],
    ['min(0.85·W, W - 33k)', 167_000],
    ['max(output, 1,000)', 32_000],
    ['below(W, 512k, 0.75·W, 0.5·W)', 150_000],
    ['(W - O) × 0.9', 151_200],
    ['W / 16', 12_500],
    ['I − 20k', 160_000],
    ['floor(0.9·W + 0.5)', 180_000],
    ['100,000', 100_000],
  ])('%s is %d with a window of 200,000', (text, value) => {
    expect(at(text)).toBeCloseTo(value, 6);
  });

  it('a jitter draws within its range, and shows its middle', () => {
    expect(at('jitter(0.78, 0.82)·B', 0)).toBeCloseTo(78_000, 6);
    expect(at('jitter(0.78, 0.82)·B', 1)).toBeCloseTo(82_000, 6);
    expect(at('jitter(0.78, 0.82)·B')).toBeCloseTo(80_000, 6);
  });

  it.each([
    ['0.9·X', 4, '`X` is not known'],
    ['W -', 3, 'an amount is missing at the end'],
    ['min(W, 3', 8, 'a bracket is not closed'],
    ['W W', 2, '`W` is out of place here'],
    ['0.9·', 4, 'an amount is missing'],
    ['jitter(1)', 0, 'takes 2 values, not 1'],
    ['W ? 3', 2, '`?` is not known'],
    ['min W', 0, 'needs its values in brackets'],
  ])('%s is refused at character %d', (text, offset, message) => {
    const refused = thrownBy(() => parseAmount(text)) as AmountError;
    expect(refused).toBeInstanceOf(AmountError);
    expect(refused.message).toContain(message);
    expect(refused.offset).toBe(offset);
  });

  it('whatever is written, it is a number or refused at one of its characters', () => {
    const word = fc.constantFrom(
      'W',
      'O',
      'B',
      'min',
      'max',
      '(',
      ')',
      ',',
      '·',
      '-',
      '+',
      '/',
      '3',
      '0.5',
      '20k',
      ' ',
      '%',
      'jitter',
      '€',
    );
    forAll(fc.array(word, { maxLength: 12 }), (words) => {
      const text = words.join('');
      try {
        expect(typeof parseAmount(text)(SIZES, 0.5)).toBe('number');
      } catch (error) {
        expect(error).toBeInstanceOf(AmountError);
        expect((error as AmountError).offset).toBeGreaterThanOrEqual(0);
        expect((error as AmountError).offset).toBeLessThanOrEqual(text.length);
      }
    });
  });
});

describe('H2 H3 H6 amounts that are no amounts', () => {
  const refusal = (text: string) => thrownBy(() => parseAmount(text)(SIZES, 0.5)) as AmountError;

  it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'])(
    'H2 a name that every object has is not known: %s',
    (name) => {
      expect(refusal(name)).toBeInstanceOf(AmountError);
      expect(refusal(`${name}(W)`)).toBeInstanceOf(AmountError);
    },
  );

  it.each([
    ['0/0', 1],
    ['B/0', 1],
    ['W - B / (W - W)', 6],
    [`${'9'.repeat(200)} * ${'9'.repeat(200)}`, 201],
  ])('H3 %s is refused at its operator', (text, offset) => {
    expect(refusal(text).message).toContain('divides by zero or is too large');
    expect(refusal(text).offset).toBe(offset);
  });

  it('H6 brackets and sums have a limit, which the refusal names', () => {
    expect(refusal(`${'('.repeat(100_000)}W`).message).toContain('at most 1,000 characters');
    expect(refusal('W+'.repeat(100_000)).message).toContain('this one has 200,000');
    expect(refusal(`${'('.repeat(33)}W${')'.repeat(33)}`)).toMatchObject({
      message: expect.stringContaining('at most 32'),
      offset: 33,
    });
    expect(at(`${'('.repeat(32)}W${')'.repeat(32)}`)).toBe(200_000);
    expect(at(`${'W+'.repeat(499)}W`)).toBe(500 * 200_000);
    expect(at(`${'min(1,'.repeat(32)}W${')'.repeat(32)}`)).toBe(1);
    expect(refusal(`${'min(1,'.repeat(33)}W${')'.repeat(33)}`).message).toContain('at most 32');
  });
});

it('below: an amount at the very limit is not below it', () => {
  expect(at('below(W, 200k, 1, 2)')).toBe(2);
  expect(at('below(W, 200.001k, 1, 2)')).toBe(1);
});
