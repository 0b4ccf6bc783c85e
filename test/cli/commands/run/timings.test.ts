import { expect, it } from 'vitest';
import { createTimings, timingsText } from '../../../../src/cli/runs/execute.js';
import { plainStyle } from '../../../../src/report/text/table.js';

const SCREEN = { width: 100, style: plainStyle };

it('counts how often each layer was asked, and adds up its time', () => {
  const timings = createTimings();
  for (const part of ['micro', 'full', 'micro']) {
    timings.begin(part);
    const until = performance.now() + 2;
    while (performance.now() < until);
    timings.end(part);
  }
  const { parts, wallMs } = timings.finish({ turns: 1, requests: 1, promptTokens: 1, writingMs: 0 });
  expect(parts.map(({ part, count }) => [part, count])).toEqual([
    ['micro', 2],
    ['full', 1],
  ]);
  for (const { count, totalMs, p50Us, p99Us } of parts) {
    expect(totalMs).toBeGreaterThanOrEqual(2 * count);
    expect(totalMs).toBeLessThanOrEqual(wallMs);
    expect(p50Us).toBeGreaterThanOrEqual(2_000);
    expect(p99Us).toBeGreaterThanOrEqual(p50Us);
    expect(p99Us).toBeLessThanOrEqual(totalMs * 1_000);
  }
});

it('divides what was done by the time without the writing of the log', () => {
  const timings = createTimings();
  const until = performance.now() + 5;
  while (performance.now() < until);
  // less than nothing was written: a second is added, so that the rates can be told
  const { wallMs, ...rates } = timings.finish({
    turns: 100,
    requests: 200,
    promptTokens: 3_000,
    writingMs: -1_000,
  });
  expect(wallMs).toBeGreaterThanOrEqual(1_005);
  const perSecond = (amount: number) => Math.round(amount / (wallMs / 1_000));
  expect(rates).toEqual({
    turnsPerSecond: perSecond(100),
    requestsPerSecond: perSecond(200),
    promptTokensPerSecond: perSecond(3_000),
    parts: [],
  });
});

it('prints the layers that were asked, and the rates', () => {
  const timings = {
    wallMs: 1_234.5,
    turnsPerSecond: 1_000,
    requestsPerSecond: 2_000,
    promptTokensPerSecond: 3_000_000,
    parts: [{ part: 'micro', count: 1_200, p50Us: 1.25, p99Us: 30.06, totalMs: 4.44 }],
  };
  const rates = '  replayed in 1,235 ms: 1,000 turns/s, 2,000 requests/s, 3,000,000 prompt tokens/s';
  const cells = (text: string) => text.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(cells(timingsText(timings, SCREEN))).toEqual([
    ['Wall clock of this run'],
    ['layer', 'asked', 'p50 µs', 'p99 µs', 'total ms'],
    ['micro', '1,200', '1.3', '30.1', '4.4'],
    [rates.trim()],
    [''],
  ]);
  expect(timingsText({ ...timings, parts: [] }, SCREEN)).toBe(`Wall clock of this run\n${rates}\n`);
});
