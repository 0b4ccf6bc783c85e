import { describe, expect, it } from 'vitest';
import {
  chanceBreaksOf,
  hazardOf,
  recordedWarmth,
  writtenLifetimes,
} from '../../../src/agent/client/recorded-client.js';
import type { RecordedCall, Thread } from '../../../src/core/model/transcript.js';

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

/** A call that read, wrote for five minutes and for an hour, and sent this much beyond the cache. */
const callOf = (counts: readonly [read: number, short: number, hour: number, input: number] | null) => {
  const [cacheRead, cacheWrite5m, cacheWrite1h, input] = counts ?? [0, 0, 0, 0];
  const usage = counts === null ? null : { input, cacheRead, cacheWrite5m, cacheWrite1h, output: 1 };
  return { usage } as RecordedCall;
};

describe('what a recorded call tells of the cache', () => {
  const thread = { prefix: [{ tokens: 12_000 }, { tokens: 3_000 }] } as unknown as Thread;
  it.each([
    ['none', null],
    ['none', [0, 20_000, 0, 0]],
    ['prefix', [1, 20_000, 0, 0]],
    // Tools and system prompt have 15,000; up to 2,000 more may be what every session has in front.
    ['prefix', [17_000, 3_000, 0, 0]],
    ['messages', [17_001, 3_000, 0, 0]],
  ] as const)('K11 the first one found warm: %s, by %o', (warmth, counts) => {
    expect(recordedWarmth(thread, callOf(counts))).toBe(warmth);
  });

  const before = { system: '1h', messages: '5m' } as const;
  it.each([
    ['five minutes', [9, 1, 0, 0], { system: '5m', messages: '5m' }],
    ['an hour', [9, 0, 1, 0], { system: '1h', messages: '1h' }],
    ['an hour for the system prompt alone', [9, 1, 1, 0], before],
    ['as before where nothing was written', [9, 0, 0, 9], before],
    ['as before without usage', null, before],
    ['as before where all counts are 0', [0, 0, 0, 0], before],
  ] as const)('its entries live %s', (_, counts, lifetimes) => {
    expect(writtenLifetimes(callOf(counts), before)).toEqual(lifetimes);
  });
});
