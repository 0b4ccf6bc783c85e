import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALL_SUITES } from '../../bench/suites.js';
import { type BenchResult, joinResults, type RatioResult } from '../../src/cli/commands/bench/result.js';
import { checkRatio } from './ratios.js';

async function measured(suite: string): Promise<BenchResult> {
  return joinResults([await ALL_SUITES[suite]!({ quick: true, onProgress: () => {} })]);
}

/** What the server adds, of which five milliseconds are promised: both times are rounded to a tenth. */
function checkLatency({ ratio, promised, detail }: RatioResult): void {
  const says = /^p99 at 50 requests\/s: (\S+) ms, a server that does nothing (\S+) ms; 5 ms may be added$/;
  expect(detail).toMatch(says);
  const [served, plain] = says.exec(detail)!.slice(1).map(Number);
  expect(promised).toBe(1);
  expect(Math.abs(5 / ratio - Math.max(0.01, served! - plain!))).toBeLessThan(0.11);
}

describe('a suite in its smallest form', () => {
  it.each(['hot-paths', 'serve', 'workers'])('%s measures what it says', async (suite) => {
    const { results, growth, ratios } = await measured(suite);
    expect(results.length + ratios.length).toBeGreaterThan(0);
    for (const ratio of ratios) (ratio.name === 'serve-latency' ? checkLatency : checkRatio)(ratio);
    for (const { promised, wholeWindow } of growth) expect(promised).toBe(wholeWindow ? null : 1.1);
    for (const { size, p50Ms, p99Ms, opsPerSec } of results) {
      expect([10_000, 100_000]).toContain(size);
      expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
      expect(opsPerSec).toBeGreaterThan(0);
    }
  });

  it.each(['rounds', 'why-corpus', 'start-up', 'replay-memory'])(
    '%s says that it needs the built program',
    async (suite) => {
      const { ratios, notes } = await measured(suite);
      expect([ratios, notes]).toEqual([
        [],
        [expect.stringMatching(new RegExp(`^${suite}: needs .*the built program$`))],
      ]);
    },
  );
});

it('bench/README.md describes every suite', () => {
  const page = readFileSync(join(import.meta.dirname, '../../bench/README.md'), 'utf8');
  const described = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map((match) => match[1]);
  expect(described).toEqual(Object.keys(ALL_SUITES));
});
