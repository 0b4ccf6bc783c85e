import { describe, expect, it } from 'vitest';
import { chanceBreaksOf, hazardOf } from '../../../src/agent/client/recorded-client.js';

const chance = (version: string | null, entrypoint: string | null, gapSeconds: number) =>
  hazardOf({ spoken: 'spoken', gapMs: gapSeconds * 1_000 }, chanceBreaksOf({ version, entrypoint }));

describe('the chance of a break that nothing in the recording explains', () => {
  it.each([
    [null, null, 0.04],
    ['2.1.45', null, 0.044],
    ['2.1.90', 'cli', 0.04],
    ['2.1.91', 'cli', 0.011],
    ['2.1.226', null, 0.011],
    ['2.1.205', 'claude-desktop', 0.17],
    ['2.1.45', 'claude-desktop', 0.044],
  ])('K14b of a late prompt at version %s, started by %s, is %d', (version, entrypoint, expected) => {
    expect(chance(version, entrypoint, 60)).toBe(expected);
  });

  it('K14 is smaller within a minute, and smallest where nobody spoke', () => {
    expect(chance('2.1.20', null, 59)).toBe(0.013);
    expect(
      hazardOf({ spoken: 'silent', gapMs: 600_000 }, chanceBreaksOf({ version: '2.1.20', entrypoint: null })),
    ).toBe(0.0004);
  });
});
