import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { prepareBases } from '../../../scripts/damage/bases.mjs';
import { KINDS } from '../../../scripts/damage/cases.mjs';
import { judge } from '../../../scripts/damage/judge.mjs';
import { createRandom } from '../../../scripts/damage/random.mjs';
import { cli } from '../cli.js';

const ROOT = resolve(import.meta.dirname, '../../..');
/** Cases of each kind; npm run damage runs them at length. */
const CASES = Number(process.env.CCBENCH_RUNS ?? 15);
const SEED = Number(process.env.CCBENCH_SEED ?? 1);
const TIMEOUT_MS = Math.max(300_000, CASES * 2_000);

const work = mkdtempSync(join(tmpdir(), 'ccbench-damage-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const run = (argv: readonly string[], cwd: string, interrupt?: AbortSignal) =>
  cli(argv, { cwd, env: { CCBENCH_CACHE: '.ccbench' }, ...(interrupt === undefined ? {} : { interrupt }) });

const bases = prepareBases(ROOT, run, join(work, 'bases'));

describe('damaged input', () => {
  it.each(Object.keys(KINDS) as (keyof typeof KINDS)[])(
    'D8 of the kind %s ends in a result or a sentence, never in a fault',
    { timeout: TIMEOUT_MS },
    async (kind) => {
      for (let index = 0; index < CASES; index++) {
        const item = KINDS[kind](await bases, createRandom(SEED, index));
        const { problem, stderr } = await judge(item, run, join(work, kind));
        expect({ kind, index, problem, stderr: problem === null ? '' : stderr }).toEqual({
          kind,
          index,
          problem: null,
          stderr: '',
        });
      }
    },
  );

  it('D8 the judge sees a fault, a stack trace, a value that is none and a refusal without a reason', async () => {
    const judged = async (code: number, stdout: string, stderr: string) =>
      (await judge({ argv: [], files: {} }, async () => ({ code, stdout, stderr }), join(work, 'judge')))
        .problem;
    expect(await judged(1, '', 'error[internal]: …')).toBe('exit code 1');
    expect(await judged(2, '', 'error[x]: y\n    at f (a.js:1:2)')).toBe('a stack trace');
    expect(await judged(0, 'cost $NaN', '')).toBe('a value that is none is shown');
    expect(await judged(2, '', '')).toBe('exit code 2 without a reason');
    expect(await judged(2, '', 'error[bad-input]: no')).toBeNull();
    expect(await judged(99, 'fine', 'expectation failed')).toBeNull();
  });
});
