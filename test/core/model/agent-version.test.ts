import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions } from '../../../src/core/model/agent-version.js';
import { forAll } from '../../helpers/for-all.js';

const part = fc.nat(500);
const version = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'));

describe('versions of agents', () => {
  it.each([
    ['2.1.9', '2.1.10', -1],
    ['2.1.9', '2.1.12', -1],
    ['2.1.100', '2.1.99', 1],
    ['2.1', '2.1.0', 0],
    ['2', '1.0.98', 1],
    ['2.1.38', '2.1.38', 0],
    ['0', '2.0.76', -1],
  ])('are compared number by number: %s and %s', (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b))).toBe(sign);
  });

  it.each([
    ['2.1.7-beta', '2.1.7', 0],
    ['2.1.12-beta', '2.1.12', 0],
    ['2.1.7-beta.3', '2.1.7', 1],
    ['', '0.0.0', 0],
    ['next', '0', 0],
  ])('count what is no number as 0: %s and %s', (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b))).toBe(sign);
  });

  it('have one order', () => {
    forAll(version, version, version, (a, b, c) => {
      expect(Math.sign(compareVersions(a, b))).toBe(0 - Math.sign(compareVersions(b, a)));
      expect(compareVersions(a, `${a}.0`)).toBe(0);
      const [low, middle, high] = [a, b, c].sort(compareVersions) as [string, string, string];
      expect(compareVersions(low, middle)).toBeLessThanOrEqual(0);
      expect(compareVersions(low, high)).toBeLessThanOrEqual(0);
    });
  });
});
