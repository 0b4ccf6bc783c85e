// Changes the program in one place at a time and sees whether a test notices; results are kept in .ccbench/mutation, the
// scores in docs/robustness.md: npm run mutate -- --folder engine [--limit 40] [--seed 1] [--budget 60] [--again] [--show]

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findMutations, mutate } from './find-mutations.mjs';
import { digest, filesBelow, isOfPage, Reach, readJson, writeJson } from './reach.mjs';
import { TestRunner } from './run-tests.mjs';
import { scoreRow, withRow } from './score-table.mjs';
import { WorkTree } from './work-tree.mjs';

const root = resolve(import.meta.dirname, '../..');
const PAGE = join(root, 'docs/robustness.md');
const { values: options } = parseArgs({
  options: {
    folder: { type: 'string' },
    limit: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    budget: { type: 'string', default: '60' },
    again: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
  },
});

const keyOf = (sourceDigest, { start, end, replacement }) => `${sourceDigest} ${start}-${end} ${replacement}`;

/** The same order for the same seed, wherever it is made. */
function shuffled(items, seed) {
  const rank = (item) =>
    digest(`${seed} ${item.file} ${item.mutation.start} ${item.mutation.end} ${item.mutation.replacement}`);
  return items
    .map((item) => [rank(item), item])
    .sort((a, b) => (a[0] < b[0] ? -1 : 1))
    .map(([, item]) => item);
}

function mutantsOf(folder) {
  return filesBelow(root, join('src', folder), '.ts').flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return findMutations(text, file).map((mutation) => ({
      file,
      text,
      mutation,
      key: keyOf(digest(text), mutation),
    }));
  });
}

/** One file for each folder, so that two folders can be tried at a time; what tests run is known to all. */
const resultsFile = join(root, '.ccbench/mutation', `${options.folder}.json`);
const reachFile = join(root, '.ccbench/mutation/reach.json');

/** The place and kind of a change, and the line with the change marked in it. */
function describe({ file, text, mutation }) {
  const { start, end, replacement, kind, line } = mutation;
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start).trimStart();
  const [after] = text.slice(end).split('\n', 1);
  const change = `«${text.slice(start, end)} → ${replacement.trim()}»`.replaceAll(/\s+/g, ' ');
  return `${file}:${line} ${kind}: ${before}${change}${after}`;
}

/** The quickest tests that fit into the seconds for one mutant, at least one. */
function withinBudget(tests) {
  let ms = 0;
  return tests.filter((one, i) => {
    ms += one.ms;
    return i === 0 || ms <= Number(options.budget) * 1_000;
  });
}

/** What became of a changed program: noticed by a recorded test, or else by one of those whose lines are not recorded. */
async function verdictOf(mutant, { work, runner, reach }) {
  const { file, text, mutation } = mutant;
  const { recorded, unrecorded } = reach.of(mutant);
  const near = withinBudget(recorded);
  const tryTests = async (tests, timeoutMs) => {
    const alsoBuilt = tests.some((test) => reach.startsBuild(test));
    const { touched, putBack } = work.change(file, mutate(text, mutation), { alsoBuilt });
    for (const one of touched) runner.touch(one);
    const result = await runner.run(tests, timeoutMs);
    putBack();
    for (const one of touched) runner.touch(one);
    return result;
  };
  const ms = near.reduce((sum, one) => sum + one.ms, 0);
  const tests = near.map(({ test }) => test);
  let result = await tryTests(tests, 30_000 + 5 * ms);
  if (result.verdict === 'passed' && unrecorded.length > 0) {
    // they may be slow, or fail, whatever the program does
    const mostMs = recorded.length > 0 ? 180_000 : 600_000;
    result = await tryTests(unrecorded, mostMs);
    const same = result.by === null ? unrecorded : [result.by];
    const counts = result.verdict !== 'passed' && (await runner.run(same, mostMs)).verdict === 'passed';
    if (!counts) result = { verdict: 'passed', by: null };
  }
  const isReached = recorded.length > 0 || isOfPage(file);
  if (result.verdict === 'passed') result.verdict = isReached ? 'survived' : 'not reached';
  return result;
}

async function tryMutants(mutants, results) {
  const work = new WorkTree(root);
  const runner = new TestRunner(work.path, work.env);
  const reach = new Reach(root, readJson(reachFile));
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      runner.stop();
      work.remove();
      process.exit(130);
    });
  }
  try {
    console.log('recording which lines new and changed test files run');
    writeJson(reachFile, reach.record(work.path, work.env));
    for (const [i, mutant] of mutants.entries()) {
      const { file, mutation, key } = mutant;
      const { verdict, by } = await verdictOf(mutant, { work, runner, reach });
      results[key] = { file, line: mutation.line, kind: mutation.kind, verdict, by };
      writeJson(resultsFile, results);
      console.log(
        `${i + 1}/${mutants.length} ${verdict} ${describe(mutant)}${by === null ? '' : ` (${by})`}`,
      );
    }
  } finally {
    runner.stop();
    work.remove();
  }
}

const folders = readdirSync(join(root, 'src'));
if (!folders.includes(options.folder))
  throw new Error(`--folder ${options.folder}: one of ${folders.join(', ')}`);
const results = readJson(resultsFile);
const all = shuffled(mutantsOf(options.folder), options.seed);
const wanted = all.slice(0, Number(options.limit) || all.length);
const isUnnoticed = ({ key }) => ['survived', 'not reached'].includes(results[key]?.verdict);
const isOpen = (mutant) => results[mutant.key] === undefined || (options.again && isUnnoticed(mutant));
console.log(
  `${options.folder}: ${all.length} mutants, ${wanted.length} wanted, ${wanted.filter(isOpen).length} to try`,
);
if (wanted.some(isOpen)) await tryMutants(wanted.filter(isOpen), results);
const verdicts = wanted.map(({ key }) => results[key].verdict);
if (options.show)
  for (const mutant of wanted.filter(isUnnoticed))
    console.log(`${results[mutant.key].verdict} ${describe(mutant)}`);
const row = scoreRow({ ...options, mutants: all.length, verdicts });
writeFileSync(PAGE, withRow(readFileSync(PAGE, 'utf8'), row));
console.log(row);
