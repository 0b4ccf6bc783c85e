import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { growthExponent } from '../../src/cli/commands/bench/measure.js';
import type { BenchResult } from '../../src/cli/commands/bench/result.js';
import { tempFolder } from '../cli/cli.js';
import { startCli } from '../cli/start.js';
import { needFreshBuild } from '../helpers/setup/built.js';
import { checkRatio, RATIOS } from './ratios.js';

const BENCH = resolve(import.meta.dirname, '../../bench/run.mjs');

async function measured(suite: string): Promise<BenchResult> {
  const { code, stdout } = await startCli([suite, '--quick', '--json'], tempFolder(), { main: BENCH }).ended;
  expect(code).toBe(0);
  return JSON.parse(stdout) as BenchResult;
}

describe('a suite that measures processes of the built program', () => {
  beforeAll(needFreshBuild);

  it.each([
    ['start-up', ['start-up']],
    ['rounds', ['rounds', 'rounds-memory']],
    ['ingest', ['ingest', 'uses', 'ingest-memory']],
  ])('%s measures what it says', async (suite, names) => {
    const { ratios, notes } = await measured(suite);
    expect([ratios.map(({ name }) => name), notes]).toEqual([names, []]);
    for (const ratio of ratios.filter(({ name }) => RATIOS[name] !== undefined)) checkRatio(ratio);
  });

  it('replay-memory says what processes hold that replay', async () => {
    const { ratios, notes } = await measured('replay-memory');
    const says = /^peak memory of a process that replays 300 turns under (\S+): (\d+) MB$/;
    const [policies, megabytes] = [1, 2].map((part) => notes.map((note) => says.exec(note)![part]!));
    expect([ratios, policies]).toEqual([[], ['claude-code/2026', 'unbounded']]);
    // More than bare node, less than a leak.
    for (const held of megabytes!.map(Number)) expect([held > 30, held < 400]).toEqual([true, true]);
  });

  it('why-corpus measures first and second answers, and how they grow', async () => {
    const { ratios, growth } = await measured('why-corpus');
    expect(ratios).toHaveLength(1);
    checkRatio(ratios[0]!);
    const [first, second] = /: (\d+) ms at first, (\d+) ms/.exec(ratios[0]!.detail)!.slice(1);
    expect(growth.map(({ name, promised, wholeWindow }) => [name, promised, wholeWindow])).toEqual([
      ['why, first answer', 1.05, false],
      ['why, second answer', 1.05, false],
    ]);
    for (const [i, { exponent, input }] of growth.entries()) {
      const points = [...input.matchAll(/(\d+) sessions (\d+) ms/g)].map(([, size, ms]) => ({
        size: Number(size),
        ms: Number(ms),
      }));
      expect(points.map(({ size }) => size)).toEqual([3, 6, 12]);
      expect(String(points[2]!.ms)).toBe(i === 0 ? first : second);
      expect(exponent).toBeCloseTo(growthExponent(points), 1);
    }
  });
});
