// Changes the program in one place at a time and sees whether a test notices; results are kept in .ccbench/mutation, the
// scores in docs/robustness.md: npm run mutate -- --folder engine [--limit 40] [--seed 1] [--files 12] [--again] [--show]

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findMutations, mutate } from './find-mutations.mjs';
import { RelatedTests } from './related-tests.mjs';
import { TestRunner } from './run-tests.mjs';
import { scoreRow, withRow } from './score-table.mjs';
import { WorkTree } from './work-tree.mjs';

const root = resolve(import.meta.dirname, '../..');
const PAGE = join(root, 'docs/robustness.md');
/** Test files that take more of the processor than this are left out, however busy it is; those of the page may take more. */
const SLOW_MS = 25_000;
const PAGE_MS = 200_000;

const { values: options } = parseArgs({
  options: {
    folder: { type: 'string' },
    limit: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    files: { type: 'string', default: '0' },
    workers: { type: 'string', default: '2' },
    again: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
  },
});

const most = Number(options.files) || Number.POSITIVE_INFINITY;

function sourcesOf(folder) {
  return readdirSync(join(root, 'src', folder), { recursive: true })
    .map((name) => join('src', folder, String(name)))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.generated.ts'))
    .sort();
}

const digest = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);
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
  return sourcesOf(folder).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return findMutations(text, file).map((mutation) => ({
      file,
      text,
      mutation,
      key: keyOf(digest(text), mutation),
    }));
  });
}

/** One file for each folder, so that two folders can be tried at a time; how long tests take is known to all. */
const resultsFile = join(root, '.ccbench/mutation', `${options.folder}.json`);
const timesFile = join(root, '.ccbench/mutation/tests.json');

const readJson = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});

function writeJson(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 1)}\n`);
  renameSync(`${file}.new`, file);
}

function describe({ file, text, mutation }) {
  const { start, end, replacement, kind, line } = mutation;
  const before = text.slice(start, end).replaceAll(/\s+/g, ' ').slice(0, 60);
  return `${file}:${line} ${kind}: ${before === '' ? '(here)' : before} → ${replacement.trim()}`;
}

/** How long each test takes in the copy as it is; null for those that fail there or take too long. */
class TestTimes {
  #known = readJson(timesFile);

  msOf(test) {
    const { digest: of = null, ms = null } = this.#known[test] ?? {};
    return of === digest(readFileSync(join(root, test))) ? ms : undefined;
  }

  async learn(runner, tests) {
    for (const test of tests.filter((one) => this.msOf(one) === undefined)) {
      const mostMs = test.startsWith('test/browser/') ? PAGE_MS : SLOW_MS;
      const once = () => runner.run([test], 2 * mostMs);
      let { verdict, cpuMs, modules } = await once();
      // whichever test comes first loads the program for all others
      if (verdict === 'passed' && cpuMs > mostMs) ({ verdict, cpuMs, modules } = await once());
      const ms = verdict === 'passed' && cpuMs <= mostMs ? modules[0].ms : null;
      if (ms === null) console.log(`left out: ${test} (${verdict === 'failed' ? 'fails' : 'slow'})`);
      const entry = { [test]: { digest: digest(readFileSync(join(root, test))), ms } };
      // a failure may be of the copy or of the moment: the next run tries it again
      if (verdict !== 'failed') writeJson(timesFile, { ...readJson(timesFile), ...entry });
      this.#known = { ...this.#known, ...entry };
    }
  }

  /** The nearest tests of a list, those that are known to be quick first. */
  nearest(tests) {
    const near = tests.filter((test) => this.msOf(test) !== null).slice(0, most);
    const guess = (test) => this.msOf(test) ?? 1_000;
    return near.sort((a, b) => guess(a) - guess(b));
  }
}

/** What became of the tests of a changed program, the nearest first, as most mutants end there. */
async function verdictOf({ file, text, mutation }, { work, runner, times, related }) {
  const waiting = times.nearest(related.of(file));
  let tried = 0;
  while (waiting.length > 0) {
    const near = waiting.splice(0, 4);
    await times.learn(runner, near);
    const sound = near.filter((test) => times.msOf(test) !== null);
    const usualMs = sound.reduce((sum, test) => sum + times.msOf(test), 0);
    tried += sound.length;
    const alsoBuilt = sound.some((test) => related.isOfBuild(test));
    const { touched, putBack } = work.change(file, mutate(text, mutation), { alsoBuilt });
    for (const one of touched) runner.touch(one);
    const { verdict, modules } = await runner.run(sound, 90_000 + 10 * usualMs);
    putBack();
    for (const one of touched) runner.touch(one);
    if (verdict !== 'passed')
      return { word: WORDS[verdict], by: modules.find(({ ok }) => !ok)?.file ?? null };
  }
  return { word: tried === 0 ? 'untested' : 'survived', by: null };
}

const WORDS = { failed: 'killed', timeout: 'timeout' };

async function tryMutants(mutants, results) {
  const work = new WorkTree(root);
  const runner = new TestRunner(work.path, work.cache, Number(options.workers));
  const bench = { work, runner, times: new TestTimes(), related: new RelatedTests(root) };
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      runner.stop();
      work.remove();
      process.exit(130);
    });
  }
  try {
    for (const [i, mutant] of mutants.entries()) {
      const { file, mutation, key } = mutant;
      const { word, by } = await verdictOf(mutant, bench);
      results[key] = { file, line: mutation.line, kind: mutation.kind, verdict: word, by };
      writeJson(resultsFile, results);
      console.log(`${i + 1}/${mutants.length} ${word} ${describe(mutant)}`);
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
const isUnnoticed = ({ key }) => ['survived', 'untested'].includes(results[key]?.verdict);
const isOpen = (mutant) => results[mutant.key] === undefined || (options.again && isUnnoticed(mutant));
console.log(
  `${options.folder}: ${all.length} mutants, ${wanted.length} wanted, ${wanted.filter(isOpen).length} to try`,
);
await tryMutants(wanted.filter(isOpen), results);
const verdicts = wanted.map(({ key }) => results[key].verdict);
if (options.show)
  for (const mutant of wanted.filter(isUnnoticed))
    console.log(`${results[mutant.key].verdict} ${describe(mutant)}`);
const row = scoreRow({ ...options, mutants: all.length, verdicts });
writeFileSync(PAGE, withRow(readFileSync(PAGE, 'utf8'), row));
console.log(row);
