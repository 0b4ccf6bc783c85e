import { describe, expect, it } from 'vitest';
import {
  type BreakCause,
  type CacheObservation,
  createBreakDetector,
  isBreak,
} from '../../src/cache/break-detector.js';
import { mark1h, mark5m } from '../helpers/cache-request.js';

const BEFORE: CacheObservation = {
  startMs: 0,
  readTokens: 100_000,
  promptTokens: 101_000,
  model: 'claude-sonnet-4-5',
  toolsDigest: 1,
  systemDigest: 2,
  parametersDigest: 3,
  firstChangedPosition: null,
  breakpoints: [mark5m(2), mark5m(50)],
  entryTtlMs: 300_000,
  sawUnreadable: false,
};

const AFTER: CacheObservation = {
  ...BEFORE,
  startMs: 60_000,
  readTokens: 15_000,
  promptTokens: 103_000,
  breakpoints: [mark5m(2), mark5m(55)],
};

function compare(after: Partial<CacheObservation>, before: Partial<CacheObservation> = {}) {
  const detector = createBreakDetector();
  detector.observe({ ...BEFORE, ...before });
  return detector.observe({ ...AFTER, ...after });
}

describe('what counts as a break', () => {
  it.each([
    [100_000, 94_999, true],
    [100_000, 95_000, false],
    [40_000, 37_999, true],
    [40_000, 38_000, false],
    [40_001, 38_000, true],
    [2_000, 0, false],
    [2_001, 0, true],
    [100_000, 120_000, false],
    [0, 0, false],
  ])('BRD-1 from %i to %i tokens: %s', (before, after, expected) => {
    expect(isBreak(before, after)).toBe(expected);
  });

  it('BRD-1 says what was lost', () => {
    expect(compare({})).toMatchObject({
      previousReadTokens: 100_000,
      readTokens: 15_000,
      lostTokens: 85_000,
      gapMs: 60_000,
      expected: false,
    });
  });

  it('BRD-1 compares with the previous request alone: the drop becomes the baseline', () => {
    const detector = createBreakDetector();
    expect(detector.observe(BEFORE)).toBeNull();
    expect(detector.observe(AFTER)).not.toBeNull();
    expect(detector.observe({ ...AFTER, startMs: 70_000 })).toBeNull();
  });
});

describe('causes', () => {
  it.each<[BreakCause, Partial<CacheObservation>, Partial<CacheObservation>]>([
    ['model', { model: 'claude-opus-4-5' }, {}],
    ['tools', { toolsDigest: 9 }, {}],
    ['system', { systemDigest: 9 }, {}],
    ['parameters', { parametersDigest: 9 }, {}],
    ['messages', { firstChangedPosition: 30 }, {}],
    ['not-readable-yet', { sawUnreadable: true }, {}],
    ['ttl-5m', { startMs: 300_000 }, {}],
    ['ttl-1h', { startMs: 3_600_000 }, { entryTtlMs: 3_600_000, breakpoints: [mark1h(2), mark1h(50)] }],
    ['lookback', { breakpoints: [mark5m(2), mark5m(70)] }, {}],
    ['server', {}, {}],
  ])('BRD-2 names %s', (cause, after, before) => {
    expect(compare(after, before)).toMatchObject({ expected: false, cause });
  });

  it('BRD-2 does not blame time a millisecond early, an hour entry after five minutes, or a reach of twenty', () => {
    expect(compare({ startMs: 299_999 })?.cause).toBe('server');
    expect(compare({ startMs: 600_000 }, { entryTtlMs: 3_600_000 })?.cause).toBe('server');
    expect(compare({ breakpoints: [mark5m(69)] })?.cause).toBe('server');
  });

  it('BRD-2 says where messages changed and which tools did', () => {
    expect(compare({ firstChangedPosition: 30 })?.position).toBe(30);
    expect(compare({ toolsDigest: 9, changedTools: ['Bash'] })?.tools).toEqual(['Bash']);
    expect(compare({ toolsDigest: 9 })?.tools).toBeNull();
  });

  it('BRD-2 does not blame a change behind everything that was cached', () => {
    expect(compare({ firstChangedPosition: 51 })?.cause).toBe('server');
    expect(compare({ firstChangedPosition: 50 })?.cause).toBe('messages');
  });

  it('BRD-2 blames what the client changed before time', () => {
    expect(compare({ startMs: 900_000, systemDigest: 9, firstChangedPosition: 1 })?.cause).toBe('system');
  });
});

describe('expected breaks', () => {
  it.each(['compaction', 'microcompaction', 'deletion'] as const)(
    'BRD-3 %s is announced and not flagged',
    (cause) => {
      const detector = createBreakDetector();
      detector.observe(BEFORE);
      detector.announce(cause);
      expect(detector.observe({ ...AFTER, firstChangedPosition: 3 })).toMatchObject({
        expected: true,
        cause,
      });
    },
  );

  it('BRD-3 an announcement covers one request', () => {
    const detector = createBreakDetector();
    detector.announce('deletion');
    expect(detector.observe(BEFORE)).toBeNull();
    expect(detector.observe(AFTER)).toMatchObject({ expected: false });
  });

  it('BRD-3 a reset forgets the baseline and what was announced', () => {
    const detector = createBreakDetector();
    detector.observe(BEFORE);
    detector.announce('compaction');
    detector.reset();
    expect(detector.observe(AFTER)).toBeNull();
    expect(detector.observe({ ...AFTER, readTokens: 0, startMs: 61_000 })).toMatchObject({ expected: false });
  });
});
