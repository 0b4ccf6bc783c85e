// Runs every property test with fresh seeds for a given time, counts the cases and says how to repeat a failure:
// npm run soak -- --minutes 60 [--only test/engine] [--runs 1000] [--seed 1]

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const root = resolve(import.meta.dirname, '..');
/** Files of one start of the test runner: few enough to end near the wanted time. */
const FILES_AT_ONCE = 6;
const SEEDS = 2 ** 31;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    only: { type: 'string', default: 'test' },
    runs: { type: 'string' },
    seed: { type: 'string' },
  },
});
const minutes = Number(options.minutes);
if (!(minutes > 0)) throw new Error(`--minutes ${options.minutes}: a number above 0`);

/** Test files that hold a property. */
function propertyFiles() {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((name) => join('test', String(name)))
    .filter((name) => name.endsWith('.test.ts') && name.startsWith(options.only))
    .filter((name) => readFileSync(join(root, name), 'utf8').includes("from 'fast-check'"))
    .sort();
}

/** Another order in each round: a short soak sees other files each time. */
function shuffled(items) {
  return items
    .map((item) => [Math.random(), item])
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

const files = propertyFiles();
if (files.length === 0) throw new Error(`--only ${options.only}: no property test there`);

const work = mkdtempSync(join(tmpdir(), 'ccbench-soak-'));
const tally = join(work, 'tally.jsonl');
const report = join(work, 'report.json');
const endMs = Date.now() + minutes * 60_000;
const found = { properties: 0, cases: 0, seeds: 0, failures: [] };
let child = null;
let stopped = false;

/** Runs some files with one seed; resolves when the runner ended. */
function runFiles(batch, seed) {
  const env = { ...process.env, CCBENCH_SEED: String(seed), CCBENCH_TALLY: tally };
  if (options.runs !== undefined) env.CCBENCH_RUNS = options.runs;
  const args = [
    'vitest',
    'run',
    '--mode=full',
    ...batch,
    '--testTimeout=600000',
    '--reporter=json',
    `--outputFile=${report}`,
  ];
  rmSync(report, { force: true });
  return new Promise((done) => {
    child = spawn('npx', args, { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    let words = '';
    child.stderr.on('data', (bytes) => {
      words = (words + bytes).slice(-2_000);
    });
    child.on('close', () => done(words));
  });
}

/** Adds what the properties of the last start counted. */
function count() {
  if (!existsSync(tally)) return;
  for (const line of readFileSync(tally, 'utf8').split('\n').filter(Boolean)) {
    found.properties++;
    found.cases += JSON.parse(line).numRuns;
  }
  rmSync(tally);
}

function failuresOf(seed, words) {
  if (!existsSync(report)) return [{ file: '(the runner)', title: '', seed, message: words }];
  return JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap(
    ({ name, message, assertionResults }) => {
      const file = relative(root, name);
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return message ? [{ file, title: '', seed, message }] : [];
      return failed.map(({ title, failureMessages }) => ({
        file,
        title,
        seed,
        message: failureMessages[0] ?? '',
      }));
    },
  );
}

function tell({ file, title, seed, message }) {
  const only =
    title === '' ? '' : ` -t '${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", '.')}'`;
  const runs = options.runs === undefined ? '' : `CCBENCH_RUNS=${options.runs} `;
  console.log(`FAILED ${file}: ${title}\n${message.split('\n').slice(0, 12).join('\n')}`);
  console.log(`repeat: ${runs}CCBENCH_SEED=${seed} npx vitest run --mode full ${file}${only}\n`);
}

process.on('SIGINT', () => {
  stopped = true;
  if (child?.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
});

const isOver = () => stopped || Date.now() >= endMs;
try {
  for (let round = 0; !isOver(); round++) {
    const order = shuffled(files);
    for (let at = 0; at < order.length && !isOver(); at += FILES_AT_ONCE) {
      const first = options.seed === undefined ? Math.floor(Math.random() * SEEDS) : Number(options.seed);
      const seed = options.seed === undefined ? first : (first + found.seeds) % SEEDS;
      const words = await runFiles(order.slice(at, at + FILES_AT_ONCE), seed);
      found.seeds++;
      count();
      if (stopped) break;
      const failures = failuresOf(seed, words);
      for (const failure of failures) tell(failure);
      found.failures.push(...failures);
    }
    const left = Math.max(0, Math.round((endMs - Date.now()) / 1_000));
    console.log(
      `round ${round + 1}: ${found.cases} cases so far, ${found.failures.length} failures, ${left} s left`,
    );
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(
  `${files.length} files, ${found.seeds} seeds, ${found.properties} properties, ${found.cases} cases: ` +
    `${found.failures.length} failures`,
);
process.exitCode = found.failures.length > 0 ? 1 : 0;
