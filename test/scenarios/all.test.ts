import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { filesOf } from '../../src/config/files/open-ref.js';
import { evaluateExpectation } from '../../src/metrics/expect.js';
import { foldLog } from '../../src/metrics/fold.js';
import { openOnce } from '../helpers/open-once.js';
import { runLog } from '../helpers/plan.js';

const FOLDER = resolve(import.meta.dirname, '../../scenarios');
const FILES = ['.', 'questions', 'complaints', 'published'].flatMap((folder) =>
  readdirSync(join(FOLDER, folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(folder, name)),
);

/** Reported figures of evidence that a scenario shows again, by their numbers there. */
const COMPLAINTS = [2, 5, 7, 11, 14, 15, 17, 18, 19];

/** Scenario families of evidence E5, one file each. */
const FAMILIES = [
  'thrash-floor',
  'too-long-to-compact',
  'pruning-against-the-cache',
  'idle-gaps',
  'changed-prefix',
  'estimator-error',
  'failure-trains',
  'below-the-rebuild-floor',
  'one-long-turn',
  'model-downshift',
  'stale-usage',
];

function compile(name: string, ...set: readonly string[]) {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  return compileScenario({ text, file: name, set }, builtinContext);
}

describe('a scenario that is compiled again', () => {
  it.each(FILES)('%s is as it was, whatever was changed in between', (name) => {
    const before = JSON.stringify(compile(name).runs);
    compile(name, 'seed=7', 'cache.mode=off', 'estimatorFactor=1.5');
    expect(JSON.stringify(compile(name).runs)).toBe(before);
  });
});

describe('scenarios', () => {
  it('there is a file for each family', () => {
    expect(FILES).toEqual(expect.arrayContaining(FAMILIES.map((name) => `${name}.yaml`)));
  });

  it('there is one for each reported figure, and a table of results for each question', () => {
    const numbers = FILES.flatMap((name) => /complaints\/(\d+)-/.exec(name)?.[1] ?? []).map(Number);
    expect(numbers).toEqual(COMPLAINTS);
    const page = readFileSync(resolve(FOLDER, '../docs/questions.md'), 'utf8');
    for (const name of FILES.filter((file) => file.startsWith('questions')))
      expect(page).toContain(`ccbench compare scenarios/${name}`);
  });

  it.each(FILES.filter((name) => name.includes('/')))('%s expects something of every run', (name) => {
    for (const run of compile(name).runs) expect(run.expectations.length).toBeGreaterThan(0);
  });

  it.each(FAMILIES)('%s says what it shows and expects something of every run', (family) => {
    const text = readFileSync(join(FOLDER, `${family}.yaml`), 'utf8');
    expect(text.split('\n').filter((line) => /^# \S/.test(line)).length).toBeGreaterThan(2);
    for (const run of compile(`${family}.yaml`).runs) expect(run.expectations.length).toBeGreaterThan(0);
  });

  // Those beside no others are run by test/docs/mechanisms-page.test.ts.
  it.each(FILES.filter((name) => name.includes('/')))('%s holds what it expects', (name) => {
    const failed: string[] = [];
    const open = openOnce('.');
    for (const run of compile(name).runs) {
      if (filesOf(run.transcript).length > 0) continue;
      const facts = foldLog(runLog(run.plan, open(run.transcript)));
      for (const expectation of run.expectations) {
        const result = evaluateExpectation(expectation, facts);
        if (!result.passed) failed.push(`${run.variant ?? 'base'}: ${result.text}: ${result.message}`);
      }
    }
    expect(failed).toEqual([]);
  });
});
