import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { prepareBases } from '../../../scripts/damage/bases.mjs';
import { KINDS } from '../../../scripts/damage/cases.mjs';
import { judge } from '../../../scripts/damage/judge.mjs';
import { openProgram } from '../../../scripts/damage/program.mjs';
import { createRandom } from '../../../scripts/damage/random.mjs';
import { cli } from '../cli.js';

const ROOT = resolve(import.meta.dirname, '../../..');
/** Cases of each kind; npm run damage runs them at length. */
const CASES = Number(process.env.CCBENCH_RUNS ?? 8);
const SEED = Number(process.env.CCBENCH_SEED ?? 1);
const TIMEOUT_MS = Math.max(300_000, CASES * 2_000);

const work = mkdtempSync(join(tmpdir(), 'ccbench-damage-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const run = (argv: readonly string[], cwd: string, interrupt?: AbortSignal) =>
  cli(argv, { cwd, env: { CCBENCH_CACHE: '.ccbench' }, ...(interrupt === undefined ? {} : { interrupt }) });

const bases = openProgram((name: string) => import(/* @vite-ignore */ join(ROOT, 'src', `${name}.ts`))).then(
  (program) => prepareBases(ROOT, run, join(work, 'bases'), program),
);

describe('damaged input', () => {
  it.each(Object.keys(KINDS) as (keyof typeof KINDS)[])(
    'D8 of the kind %s ends in the right result or in a sentence that names it',
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

  it('D8 the judge sees another answer without a word, a harmless change that is refused, and damage that is not named', async () => {
    const as = { argv: ['sound'], files: {} };
    const judged = async (right: object, code: number, stdout: string, stderr = '') => {
      const answer = async ([name]: readonly string[]) =>
        name === 'sound' ? { code: 0, stdout: 'cost $1', stderr: '' } : { code, stdout, stderr };
      const item = { argv: ['damaged'], files: {}, right: { as, ...right } };
      return (await judge(item, answer, join(work, 'judge'))).problem;
    };
    const error = 'error[bad-value] a.yaml:3: no';
    expect(await judged({ is: 'same' }, 0, 'cost $1')).toBeNull();
    expect(await judged({ is: 'same' }, 0, 'cost $2')).toBe('another answer without a word');
    expect(await judged({ is: 'same' }, 2, '', error)).toBe('a harmless change is refused');
    const by = /a\.yaml:\d/;
    expect(await judged({ is: 'named', by }, 2, '', error)).toBeNull();
    expect(await judged({ is: 'named', by }, 2, '', 'error[bad-value]: no')).toMatch('refused without');
    expect(await judged({ is: 'named', by }, 0, 'cost $1')).toMatch('exit code 0 and no word of');
    expect(await judged({ is: 'either', by }, 0, 'cost $2', 'a.yaml:3 is left out')).toBeNull();
    expect(await judged({ is: 'either', by }, 0, 'cost $2')).toBe('another answer without a word');
    expect(await judged({ is: 'named', by: /cost/ }, 0, 'cost $2')).toMatch('the sound input has');
  });
});
