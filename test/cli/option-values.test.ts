import { describe, expect, it } from 'vitest';
import { anyOf, OPTION_VALUES, oneOf } from '../../src/cli/option-values.js';

const { amount, collect, count, factor, lifetimes, percent, port, shard, threads, tokens, whole } =
  OPTION_VALUES;

describe('values of options', () => {
  it.each<[string, (text: string) => unknown, readonly [string, unknown][]]>([
    [
      'whole',
      whole,
      [
        ['0', 0],
        ['12', 12],
        ['999999999999999', 999_999_999_999_999],
      ],
    ],
    [
      'threads',
      threads,
      [
        ['0', 0],
        ['256', 256],
      ],
    ],
    [
      'percent',
      percent,
      [
        ['0', 0],
        ['2.5%', 2.5],
        ['100%', 100],
      ],
    ],
    ['lifetimes', lifetimes, [['45, 0.5', [45, 0.5]]]],
    [
      'count',
      count,
      [
        ['1', 1],
        ['100000', 100_000],
      ],
    ],
    [
      'tokens',
      tokens,
      [
        ['1', 1],
        ['1.5k', 1_500],
        ['200K', 200_000],
        ['2m', 2_000_000],
        ['1000m', 1e9],
      ],
    ],
    [
      'factor',
      factor,
      [
        ['1', 1],
        ['1.6', 1.6],
      ],
    ],
    [
      'amount',
      amount,
      [
        ['0', 0],
        ['999999.5', 999_999.5],
      ],
    ],
    [
      'port',
      port,
      [
        ['0', 0],
        ['65535', 65_535],
      ],
    ],
    [
      'shard',
      shard,
      [
        ['1/1', { index: 1, of: 1 }],
        ['3/16', { index: 3, of: 16 }],
      ],
    ],
    ['oneOf', oneOf(['a', 'b']), [['b', 'b']]],
    ['anyOf', anyOf(['a', 'b']), [['b, a', ['b', 'a']]]],
  ])('%s reads what it takes', (_name, read, pairs) => {
    for (const [text, value] of pairs) expect(read(text)).toEqual(value);
  });

  it.each<[string, (text: string) => unknown, readonly string[]]>([
    ['whole', whole, ['-1', '1.5', '', '1000000000000000']],
    ['threads', threads, ['257', '-1', '1000', 'x']],
    ['percent', percent, ['101', '100.1%', '-1', '%', '5%%']],
    ['lifetimes', lifetimes, ['0', '45,', '-1', '45,x']],
    ['count', count, ['0', '100001', '1.5']],
    ['tokens', tokens, ['0', '0.5', '1001m', '1.5', '1.0005k', '5g', '']],
    ['factor', factor, ['0.9', '-1', 'x', '1.']],
    ['amount', amount, ['-1', '1000000', 'x']],
    ['port', port, ['65536', '-1', '123456']],
    ['shard', shard, ['0/4', '5/4', '1', '1/0', 'a/b']],
    ['oneOf', oneOf(['a', 'b']), ['c', '']],
    ['anyOf', anyOf(['a', 'b']), ['a,c', '']],
  ])('%s refuses what makes no sense', (_name, read, texts) => {
    for (const text of texts) expect(() => read(text), text).toThrow(/^It must be /);
  });

  it('name the words there are', () => {
    expect(() => oneOf(['a', 'b', 'c'])('d')).toThrow('It must be a, b or c.');
  });

  it('are collected where an option is given several times', () => {
    expect(collect('a')).toEqual(['a']);
    expect(collect('b', ['a'])).toEqual(['a', 'b']);
  });
});
