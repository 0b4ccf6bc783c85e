import { expect } from 'vitest';
import type { RatioResult } from '../../src/cli/commands/bench/result.js';

/** Promises as bench/README.md has them; sizes of the quick form; the ratio is that of the two numbers in the sentence. */
export const RATIOS: Readonly<Record<string, readonly [promised: number | null, says: RegExp]>> = {
  'serve-streams': [1, /^(\d+) of (50) concurrent/],
  workers: [1.8, /^8 points of 200 turns on warm threads: (\d+) ms on one worker, (\d+) ms on two/],
  'workers-cold': [1.8, /^16 points of 200 turns .*: (\d+) ms on one worker, (\d+) ms on two/],
  'start-up': [0.8, /^bare node (\d+) ms, ccbench --help (\d+) ms$/],
  'why-corpus': [10, /^12 sessions of 0\.06 MB: (\d+) ms at first, (\d+) ms from then on$/],
  rounds: [
    1,
    /^(60) s against (\d+) s of processor time that validate takes for 665000 rows, by 500 of them$/,
  ],
  'rounds-memory': [1, /^(400) MB against the (\d+) MB of a process that validates 500 rows$/],
  'ingest-memory': [1, /^(120) MB against the (\d+) MB of a process that reads a file of 5 MB$/],
};

/** Holds a ratio against its promise and its sentence. */
export function checkRatio({ name, ratio, promised, detail }: RatioResult): void {
  const [expectedPromise, says] = RATIOS[name]!;
  expect(promised, name).toBe(expectedPromise);
  expect(detail).toMatch(says);
  const [first, second] = says.exec(detail)!.slice(1).map(Number) as [number, number];
  // Both are said as rounded.
  const tolerance = 0.001 + 0.5 / first + 0.5 / second;
  expect(Math.abs(ratio / (first / second) - 1), `${name} ${ratio}: ${detail}`).toBeLessThan(tolerance);
}
