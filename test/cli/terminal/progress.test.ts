import { describe, expect, it } from 'vitest';
import type { Host } from '../../../src/cli/host.js';
import { WIPE_LINE } from '../../../src/cli/terminal/own-codes.js';
import { createProgress, progressText } from '../../../src/cli/terminal/progress.js';

describe('the words of progress', () => {
  it('have a rate and what is left once a rate means something', () => {
    expect(progressText(5, 10, 299)).toBe('50% · 5 of 10 calls');
    // 5 in 0.3 s: 16.7 a second, the other 5 in 0.3 s
    expect(progressText(5, 10, 300)).toBe('50% · 5 of 10 calls · 17 calls/s · 1 s left');
    expect(progressText(0, 10, 5_000)).toBe('0% · 0 of 10 calls');
    expect(progressText(10, 40, 1_000)).toContain('· 10 calls/s · 3 s left');
    expect(progressText(5, 10, 2_000)).toContain('· 2.5 calls/s · 2 s left');
    expect(progressText(12, 10, 1_000)).toBe('99% · 12 of 10 calls · 12 calls/s · 0 ms left');
    expect(progressText(3, 0, 0)).toBe('3 of 0 calls');
    // one in 20 s is shown as 0.1 a second, less as nothing
    expect(progressText(1, 2, 20_000)).toBe('50% · 1 of 2 calls · 0.1 calls/s · 20 s left');
    expect(progressText(1, 2, 20_001)).toBe('50% · 1 of 2 calls · 21 s left');
  });

  it('have a bar of twenty for anything but calls', () => {
    expect(progressText(1, 3, 0, 'runs')).toBe('[######--------------] 33% · 1 of 3 runs');
    expect(progressText(3, 3, 0, 'files')).toBe(`[${'#'.repeat(20)}] 99% · 3 of 3 files`);
    expect(progressText(5, 3, 0, 'points')).toContain(`[${'#'.repeat(20)}] `);
    expect(progressText(0, 0, 0, 'runs')).toBe(`[${'-'.repeat(20)}] 0 of 0 runs`);
  });
});

describe('the line of progress', () => {
  function lineOf(columns: number | null, isTerminal = true) {
    const written: string[] = [];
    let now = 0;
    const stream = { isTerminal, columns, write: (text: string) => written.push(text) };
    const host = { stderr: stream, now: () => now } as unknown as Host;
    return { host, written, at: (ms: number) => (now = ms) };
  }

  it('is drawn at most ten times a second, and wiped once', () => {
    const { host, written, at } = lineOf(80);
    const progress = createProgress({ host, json: false }, 'calls');
    progress.clear();
    expect(written).toEqual([]);
    progress.start('work', 10);
    progress.update(1);
    at(99);
    progress.update(2);
    at(100);
    progress.update(3);
    progress.clear();
    progress.clear();
    expect(written.map((text) => text.replace(WIPE_LINE, '|'))).toEqual([
      '|work',
      '|work  10% · 1 of 10 calls',
      '|work  30% · 3 of 10 calls',
      '|',
    ]);
  });

  it('never fills the last column', () => {
    const { host, written } = lineOf(10);
    createProgress({ host, json: false }).start('123456789', 1);
    createProgress({ host, json: false }).start('1234567890', 1);
    expect(written.map((text) => text.replace(WIPE_LINE, ''))).toEqual(['123456789', '123456789']);
    const wide = lineOf(null);
    createProgress({ host: wide.host, json: false }).start('x'.repeat(100), 1);
    expect(wide.written[0]!.replace(WIPE_LINE, '')).toBe('x'.repeat(79));
  });

  it('is a new line every ten seconds where it cannot be drawn again, and none before', () => {
    const { host, written, at } = lineOf(null, false);
    const progress = createProgress({ host, json: false }, 'files');
    progress.start('explaining', 40);
    for (const [ms, done] of [
      [9_999, 9],
      [10_000, 10],
      [19_999, 19],
      [20_000, 20],
    ] as const) {
      at(ms);
      progress.update(done);
    }
    progress.clear();
    expect(written).toEqual([
      'explaining  [#####---------------] 25% · 10 of 40 files · 1 files/s · 30 s left\n',
      'explaining  [##########----------] 50% · 20 of 40 files · 1 files/s · 20 s left\n',
    ]);
  });

  it('is silent where it is not wanted', () => {
    const { host, written, at } = lineOf(80);
    const progress = createProgress({ host, json: true });
    progress.start('work', 1);
    at(60_000);
    progress.update(1);
    expect(written).toEqual([]);
  });
});
