// Changes the program in one place at a time and sees whether a test notices; results are kept in .ccbench/mutation, the
// scores in docs/mutation.md: npm run mutate -- --folder tiers [--limit 40] [--seed 1] [--files 12] [--again] [--show]

import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findMutations, mutate } from './find-mutations.mjs';
import { RelatedTests } from './related-tests.mjs';
import { TestRunner } from './run-tests.mjs';
import { scoreRow, withRow } from './score-table.mjs';

const root = resolve(import.meta.dirname, '../..');
const PAGE = join(root, 'docs/mutation.md');
const COPIED = [
  'src',
  'test',
  'fixtures',
  'scenarios',
  'schema',
  'docs',
  'reports',
  'scripts',
  'lint',
  'package.json',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'tsconfig.json',
  'biome.json',
  'knip.json',
  'vitest.config.ts',
];
/** Test files that take longer than this are left out. */
const SLOW_MS = 25_000;

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

/** One file for each folder, so that two folders can be tried at a time. */
const resultsFile = join(root, '.ccbench/mutation', `${options.folder}.json`);

function readResults() {
  return existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, 'utf8')) : { tests: {}, mutants: {} };
}

function writeResults(results) {
  mkdirSync(dirname(resultsFile), { recursive: true });
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 1)}\n`);
}

function copyTree() {
  const work = mkdtempSync(join(tmpdir(), 'ccbench-mutate-'));
  for (const name of COPIED)
    if (existsSync(join(root, name))) cpSync(join(root, name), join(work, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(work, 'node_modules'));
  return work;
}

function describe({ file, text, mutation }) {
  const { start, end, replacement, kind, line } = mutation;
  const before = text.slice(start, end).replaceAll(/\s+/g, ' ').slice(0, 60);
  return `${file}:${line} ${kind}: ${before === '' ? '(here)' : before} → ${replacement.trim()}`;
}

/**
 * The nearest tests that pass in the copy as it is and are quick enough; the others (they need a build, or minutes) say
 * nothing of a mutant.
 */
async function soundTests(runner, tests, known) {
  const isKnown = (test) => known[test]?.digest === digest(readFileSync(join(root, test)));
  const isSound = (test) => isKnown(test) && known[test].ms !== null;
  for (;;) {
    const sound = tests.filter(isSound).slice(0, most);
    const last = sound.length < most ? tests.length : tests.indexOf(sound.at(-1));
    const unknown = tests.slice(0, last).filter((test) => !isKnown(test));
    if (unknown.length === 0) return sound;
    const batch = unknown.slice(0, most - tests.slice(0, tests.indexOf(unknown[0])).filter(isSound).length);
    const { modules } = await runner.run(batch, SLOW_MS * Math.max(2, batch.length), 0);
    for (const test of batch) {
      const { ok = false, ms = 0 } = modules.find(({ file }) => file === test) ?? {};
      known[test] = { digest: digest(readFileSync(join(root, test))), ms: ok && ms <= SLOW_MS ? ms : null };
    }
  }
}

/** What became of the tests of a changed program: the nearest first, as most mutants end there. */
async function verdictOf(runner, tests, known) {
  for (const batch of [tests.slice(0, 3), tests.slice(3, 10), tests.slice(10)]) {
    const usualMs = batch.reduce((sum, test) => sum + known[test].ms, 0);
    const outcome = await runner.run(batch, 20_000 + 5 * usualMs);
    if (outcome.verdict !== 'passed') return outcome;
  }
  return { verdict: 'passed', modules: [] };
}

const WORDS = { passed: 'survived', failed: 'killed', timeout: 'timeout' };

async function tryMutants(mutants, results) {
  const work = copyTree();
  const runner = new TestRunner(work, Number(options.workers));
  const related = new RelatedTests(root);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      runner.stop();
      rmSync(work, { recursive: true, force: true });
      process.exit(130);
    });
  }
  try {
    for (const [i, mutant] of mutants.entries()) {
      const { file, text, mutation, key } = mutant;
      const tests = await soundTests(runner, related.of(file), results.tests);
      writeFileSync(join(work, file), mutate(text, mutation));
      runner.touch(file);
      const { verdict, modules } = await verdictOf(runner, tests, results.tests);
      writeFileSync(join(work, file), text);
      runner.touch(file);
      const word = tests.length === 0 ? 'untested' : WORDS[verdict];
      results.mutants[key] = {
        file,
        line: mutation.line,
        kind: mutation.kind,
        verdict: word,
        by: modules.find(({ ok }) => !ok)?.file ?? null,
      };
      writeResults(results);
      console.log(`${i + 1}/${mutants.length} ${word} ${describe(mutant)}`);
    }
  } finally {
    runner.stop();
    rmSync(work, { recursive: true, force: true });
  }
}

const folders = readdirSync(join(root, 'src'));
if (!folders.includes(options.folder))
  throw new Error(`--folder ${options.folder}: one of ${folders.join(', ')}`);
const results = readResults();
const all = shuffled(mutantsOf(options.folder), options.seed);
const wanted = all.slice(0, Number(options.limit) || all.length);
const isOpen = ({ key }) =>
  results.mutants[key] === undefined || (options.again && results.mutants[key].verdict === 'survived');
console.log(
  `${options.folder}: ${all.length} mutants, ${wanted.length} wanted, ${wanted.filter(isOpen).length} to try`,
);
await tryMutants(wanted.filter(isOpen), results);
const verdicts = wanted.map(({ key }) => results.mutants[key].verdict);
if (options.show)
  for (const [i, mutant] of wanted.entries())
    if (verdicts[i] === 'survived' || verdicts[i] === 'untested')
      console.log(`${verdicts[i]} ${describe(mutant)}`);
const row = scoreRow({ ...options, mutants: all.length, verdicts });
writeFileSync(PAGE, withRow(readFileSync(PAGE, 'utf8'), row));
console.log(row);
