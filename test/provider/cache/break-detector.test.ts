import { describe, expect, it } from 'vitest';
import type { BreakCause } from '../../../src/core/run/break-causes.js';
import {
  type CacheObservation,
  createBreakDetector,
  isBreak,
} from '../../../src/provider/cache/break-detector.js';
import { mark1h, mark5m } from '../../helpers/cache-request.js';

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

function compare(
  after: Partial<CacheObservation>,
  before: Partial<CacheObservation> = {},
  announced: BreakCause | null = null,
) {
  const detector = createBreakDetector();
  detector.observe({ ...BEFORE, ...before }, null);
  return detector.observe({ ...AFTER, ...after }, announced);
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

  it('BRD-1 does not count as lost what the server had left out already (MIC-3)', () => {
    expect(compare({}, { leftOutTokens: 30_000 })?.lostTokens).toBe(55_000);
    expect(compare({ leftOutTokens: 5_000 }, { leftOutTokens: 30_000 })?.lostTokens).toBe(60_000);
    expect(compare({}, { leftOutTokens: 90_000 })?.lostTokens).toBe(0);
  });

  it('BRD-1 says what was lost', () => {
    expect(compare({})).toMatchObject({
      readTokens: 15_000,
      lostTokens: 85_000,
      gapMs: 60_000,
      expected: false,
    });
  });

  it('BRD-1 compares with the previous request alone: the drop becomes the baseline', () => {
    const detector = createBreakDetector();
    expect(detector.observe(BEFORE, null)).toBeNull();
    expect(detector.observe(AFTER, null)).not.toBeNull();
    expect(detector.observe({ ...AFTER, startMs: 70_000 }, null)).toBeNull();
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
    ['expired', { startMs: 1_800_000 }, { entryTtlMs: 1_800_000 }],
    ['expired', { short: 'expired', systemDigest: 9 }, {}],
    ['chance', { short: 'chance' }, {}],
    ['rounding', { short: 'rounding' }, {}],
    ['system', { short: 'chance', systemDigest: 9 }, {}],
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

  it('C11 time explains first, whatever the client changed and a layer announced', () => {
    const late = { startMs: 300_000, firstChangedPosition: 1 };
    expect(compare({ ...late, systemDigest: 9 })?.cause).toBe('ttl-5m');
    expect(compare({ ...late, model: 'claude-opus-4-5' })?.cause).toBe('ttl-5m');
    expect(compare(late, {}, 'microcompaction')).toMatchObject({ cause: 'ttl-5m', expected: false });
    expect(compare({ ...late, startMs: 299_999 }, {}, 'microcompaction')).toMatchObject({
      cause: 'microcompaction',
      expected: true,
    });
  });

  it('C11 CCH-5 an entry that lives and is only not readable yet is no matter of time', () => {
    expect(compare({ startMs: 420_000, sawUnreadable: true })?.cause).toBe('not-readable-yet');
    expect(compare({ startMs: 420_000, sawUnreadable: true, systemDigest: 9 })?.cause).toBe('ttl-5m');
  });

  it('C11 what a request beside the loop has read lives on from there', () => {
    const detector = createBreakDetector();
    detector.observe(BEFORE, null);
    detector.renew(200_000);
    expect(detector.causeOf({ ...AFTER, startMs: 499_999 }, 'compaction')).toBe('compaction');
    expect(detector.causeOf({ ...AFTER, startMs: 500_000 }, 'compaction')).toBe('ttl-5m');
  });
});

describe('expected breaks', () => {
  it.each(['compaction', 'microcompaction', 'thinking'] as const)(
    'BRD-3 %s is announced and not flagged',
    (cause) => {
      expect(compare({ firstChangedPosition: 3 }, {}, cause)).toMatchObject({ expected: true, cause });
    },
  );

  it('BRD-3 an announcement covers one request', () => {
    const detector = createBreakDetector();
    expect(detector.observe(BEFORE, 'compaction')).toBeNull();
    expect(detector.observe(AFTER, null)).toMatchObject({ expected: false });
  });

  it('AGT-1 a fork goes on from its parent’s latest request', () => {
    const detector = createBreakDetector(BEFORE);
    expect(detector.previous).toBe(BEFORE);
    expect(detector.observe(AFTER, null)).toMatchObject({ lostTokens: 85_000, cause: 'server' });
  });
});

it('C45 a request beside the loop that comes when the entry is gone renews nothing', () => {
  const causeAfter = (renewedAt: number): string | undefined => {
    const detector = createBreakDetector();
    detector.observe(BEFORE, null);
    detector.renewLive(renewedAt);
    return detector.observe({ ...AFTER, startMs: 550_000 }, null)?.cause;
  };
  // The entry of five minutes lives until 300,000: renewed before that it is there at 550,000, later it is not.
  expect(causeAfter(299_999)).toBe('server');
  expect(causeAfter(300_000)).toBe('ttl-5m');
  expect(causeAfter(400_000)).toBe('ttl-5m');
});
