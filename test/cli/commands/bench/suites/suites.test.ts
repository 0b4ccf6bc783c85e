import { describe, expect, it } from 'vitest';
import type { BenchResult, RatioResult } from '../../../../../src/cli/commands/bench/result.js';
import { cli, tempFolder } from '../../../cli.js';

async function measured(suite: string): Promise<BenchResult> {
  const { code, stdout } = await cli(['bench', suite, '--quick', '--json'], { cwd: tempFolder() });
  expect(code).toBe(0);
  return JSON.parse(stdout) as BenchResult;
}

type Expected = readonly [promised: number | null, says: RegExp, ratio: (...numbers: number[]) => number];

const firstBySecond = (first: number, second: number): number => first / second;
/** Promises as bench/README.md has them; sizes of the quick form; the ratio by the numbers that its sentence gives. */
const RATIOS: Readonly<Record<string, Expected>> = {
  'serve-streams': [1, /^(\d+) of (50) concurrent/, firstBySecond],
  workers: [
    1.8,
    /^8 points of 200 turns on warm threads: (\d+) ms on one worker, (\d+) ms on two/,
    firstBySecond,
  ],
  'workers-cold': [1.8, /^16 points of 200 turns .*: (\d+) ms on one worker, (\d+) ms on two/, firstBySecond],
};

/** What the server adds, of which five milliseconds are promised: both times are rounded to a tenth. */
function checkLatency({ ratio, promised, detail }: RatioResult): void {
  const says = /^p99 at 50 requests\/s: (\S+) ms, a server that does nothing (\S+) ms; 5 ms may be added$/;
  expect(detail).toMatch(says);
  const [served, plain] = says.exec(detail)!.slice(1).map(Number);
  expect(promised).toBe(1);
  expect(Math.abs(5 / ratio - Math.max(0.01, served! - plain!))).toBeLessThan(0.11);
}

function check({ name, ratio, promised, detail }: RatioResult): void {
  const [expectedPromise, says, ratioOf] = RATIOS[name]!;
  expect(promised, name).toBe(expectedPromise);
  expect(detail).toMatch(says);
  const said = says.exec(detail)!.slice(1);
  // A number is said as rounded to its last figure.
  const tolerance = said.reduce((sum, text) => {
    const half = 0.5 / 10 ** (text.split('.')[1]?.length ?? 0);
    return sum + (Number(text) === 0 ? 0 : half / Math.abs(Number(text)));
  }, 0.001);
  const expected = ratioOf(...said.map(Number));
  expect(Math.abs(ratio / expected - 1), `${name} ${ratio}: ${detail}`).toBeLessThan(tolerance);
}

describe('a suite in its smallest form', () => {
  it.each(['hot-paths', 'rounds', 'serve', 'why-corpus', 'workers', 'start-up'])(
    '%s measures what it says, or says that it needs the built program',
    async (suite) => {
      const { results, growth, ratios, notes } = await measured(suite);
      expect(results.length + growth.length + ratios.length + notes.length).toBeGreaterThan(0);
      for (const ratio of ratios) (ratio.name === 'serve-latency' ? checkLatency : check)(ratio);
      for (const { promised, wholeWindow } of growth) expect(promised).toBe(wholeWindow ? null : 1.1);
      for (const { size, p50Ms, p99Ms, opsPerSec } of results) {
        expect([10_000, 100_000]).toContain(size);
        expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
        expect(opsPerSec).toBeGreaterThan(0);
      }
    },
  );
});
