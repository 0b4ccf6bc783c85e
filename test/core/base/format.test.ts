import { describe, expect, it } from 'vitest';
import {
  exactUsd,
  formatBytes,
  formatCount,
  formatCounted,
  formatDecimal,
  formatDuration,
  formatExponent,
  formatFixed,
  formatMoney,
  formatMoneyCell,
  formatShare,
  formatValue,
  moneyDecimals,
  printable,
} from '../../../src/core/base/format.js';

describe('numbers as people read them', () => {
  it('separates thousands', () => {
    expect([0, 999, 1000, 1234567, -4321].map(formatCount)).toEqual([
      '0',
      '999',
      '1,000',
      '1,234,567',
      '−4,321',
    ]);
  });

  it('shows a mean of counts as the mean it is', () => {
    const means = [4 / 3, 1 / 3, 3.04, 2, 1_234.5, 1 / 40, -4 / 3];
    expect(means.map((value) => formatValue(value, 'count'))).toEqual([
      '1.3',
      '0.33',
      '3.0',
      '2',
      '1,234.5',
      '0.025',
      '−1.3',
    ]);
    expect([4 / 3, 99.5, 149_214 + 1 / 3].map((value) => formatValue(value, 'tokens'))).toEqual([
      '1.3',
      '99.5',
      '149,214',
    ]);
  });

  it('gives bytes in the largest unit that fits', () => {
    const bytes = [999, 1_000, 9_940, 10_400, 999_499, 999_500, 1_250_000, 999_499_999, 999_500_000, 2.34e9];
    const texts = [
      '999 B',
      '1 kB',
      '9.9 kB',
      '10 kB',
      '999 kB',
      '1 MB',
      '1.3 MB',
      '999.5 MB',
      '1 GB',
      '2.3 GB',
    ];
    expect(bytes.map(formatBytes)).toEqual(texts);
  });

  it('gives money the digits that tell something', () => {
    expect([1e-17, -1e-17].map(formatMoney)).toEqual(['$0', '$0']);
    // the same three amounts in two orders
    expect(formatMoney(0.24 + 0.09 + 0.08625)).toBe(formatMoney(0.08625 + 0.09 + 0.24));
    expect([0, 12.344, 1234.5, 0.0123, 0.5, 0.99999, 0.000045, -2].map(formatMoney)).toEqual([
      '$0',
      '$12.34',
      '$1,234.50',
      '$0.0123',
      '$0.5000',
      '$1.00',
      '$0.000045',
      '−$2.00',
    ]);
  });

  it('changes the digits of money where the rounded amount would have one figure less', () => {
    // a cent is told from one dollar on, as it would be rounded: 0.99995 is 1.0000
    expect([0.99994, 0.99995].map(formatMoney)).toEqual(['$0.9999', '$1.00']);
    expect([0.000949, 0.000951].map(formatMoney)).toEqual(['$0.000949', '$0.0010']);
    // half of a nano-dollar is the least that is there
    expect([4.9e-10, 5e-10, -6e-10].map(formatMoney)).toEqual(['$0', '$0.000000001', '−$0.000000001']);
  });

  it('lines up a column of money by its total', () => {
    expect([10, 9.99, 0.01, 0.0099, 0].map(moneyDecimals)).toEqual([2, 4, 4, 6, 6]);
    expect([formatMoneyCell(-1_234.5, 2), formatMoneyCell(0, 4), formatMoneyCell(0.25, 4)]).toEqual([
      '−$1,234.50',
      '$0.0000',
      '$0.2500',
    ]);
  });

  it('gives exponents two decimals', () => {
    expect([0.984, 1.006, -0.001, -0.5].map(formatExponent)).toEqual(['0.98', '1.01', '0.00', '−0.50']);
  });

  it('writes each unit its own way', () => {
    expect(formatValue(1 / 3, 'ratio')).toBe('0.333');
    expect(formatValue(1 / 3, 'hours')).toBe('0.33');
    expect(formatValue(1 / 3, 'share')).toBe('33.3%');
    expect(formatValue(1 / 3, 'usd')).toBe('$0.3333');
    expect([99.9, 100.4, 1_250.2].map((value) => formatValue(value, 'ms'))).toEqual(['99.9', '100', '1,250']);
    expect([-99.9, -100.4].map((value) => formatValue(value, 'tokens'))).toEqual(['−99.9', '−100']);
  });

  it('counts one thing as one', () => {
    expect([0, 1, 2, 1_200].map((count) => formatCounted(count, 'call'))).toEqual([
      '0 calls',
      '1 call',
      '2 calls',
      '1,200 calls',
    ]);
    expect([1, 2].map((count) => formatCounted(count, 'reply', 'replies'))).toEqual(['1 reply', '2 replies']);
  });

  it('shows no negative zero', () => {
    expect([-0, -0.0001, -0.00049, -0.0005, -0.25].map(formatShare)).toEqual([
      '0.0%',
      '0.0%',
      '0.0%',
      '−0.1%',
      '−25.0%',
    ]);
    expect([formatCount(-0.2), formatDecimal(-0.04, 1), formatFixed(-0.004, 2)]).toEqual(['0', '0', '0.00']);
    expect([formatCount(-1), formatDecimal(-0.06, 1), formatFixed(-0.006, 2)]).toEqual([
      '−1',
      '−0.1',
      '−0.01',
    ]);
  });

  it('never rounds a share to all or nothing', () => {
    expect([0, 1, 0.9127, 0.99999, 0.00001].map(formatShare)).toEqual([
      '0.0%',
      '100.0%',
      '91.3%',
      '>99.9%',
      '<0.1%',
    ]);
    // 99.95 % would be rounded to all
    expect([0.0004, 0.0005, 0.9994, 0.9995, 1.5].map(formatShare)).toEqual([
      '<0.1%',
      '0.1%',
      '99.9%',
      '>99.9%',
      '150.0%',
    ]);
  });

  it('prints a value that is not there as a dash', () => {
    expect([
      formatCount(null),
      formatMoney(null),
      formatShare(null),
      formatDuration(null),
      formatValue(null, 'ratio'),
    ]).toEqual(Array(5).fill('–'));
  });

  it('picks the unit of time', () => {
    expect([850, 12_500, 2_700_000, 44_280_000].map(formatDuration)).toEqual([
      '850 ms',
      '12.5 s',
      '45 min',
      '12.3 h',
    ]);
    expect([999, 1_000, 59_900, 60_000, 3_540_000, 3_600_000].map(formatDuration)).toEqual([
      '999 ms',
      '1 s',
      '59.9 s',
      '1 min',
      '59 min',
      '1 h',
    ]);
  });

  it('writes nano-dollars exactly', () => {
    expect([-1_500_000_000, 0, 1, 1_500_000_000, 10_000_000_000, 123].map(exactUsd)).toEqual([
      '-1.5',
      '0',
      '0.000000001',
      '1.5',
      '10',
      '0.000000123',
    ]);
  });

  it('keeps control characters off the terminal', () => {
    expect(printable('a\u001b[31mb\nc')).toBe('a [31mb c');
  });
});
