// Gives the built command line damaged inputs of every kind: npm run damage -- [--cases n] [--seed n] [--only case] [--kind name]

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { prepareBases } from './damage/bases.mjs';
import { KINDS, makeCase } from './damage/cases.mjs';
import { judge, MOST_BYTES, MOST_MS } from './damage/judge.mjs';
import { openProgram } from './damage/program.mjs';
import { createRandom } from './damage/random.mjs';

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    kind: { type: 'string' },
  },
});
const seed = Number(values.seed);
const [from, to] =
  values.only === undefined ? [0, Number(values.cases)] : [Number(values.only), Number(values.only) + 1];
const { runCli } = await import(new URL('../dist/cli/run-cli.js', import.meta.url).href);

/** Runs a command line in this process. */
async function run(argv, cwd, interrupt = new AbortController().signal) {
  const out = { stdout: '', stderr: '' };
  const stream = (name) => ({
    isTerminal: false,
    columns: null,
    write(text) {
      if (out[name].length < 1_000_000) out[name] += text;
    },
  });
  const host = {
    cwd,
    env: { CCBENCH_CACHE: '.ccbench' },
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    interrupt,
    now: () => performance.now(),
    epochMs: () => Date.parse('2026-11-17T12:00:00Z'),
  };
  const code = await runCli(argv, host);
  return { code, ...out };
}

/** Ends the process when a case holds it up: this thread could not. */
const WATCH = `
  const { workerData } = require('node:worker_threads');
  const state = new Float64Array(workerData.state);
  const { index, startMs, cpuMs, mostMs, mostBytes } = { index: 0, startMs: 1, cpuMs: 2, ...workerData };
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    const waited = Date.now() - state[startMs];
    const late = waited > 60 * mostMs || Math.min(waited, (user + system) / 1_000 - state[cpuMs]) > mostMs + 5_000;
    const large = process.memoryUsage.rss() > mostBytes;
    if (state[index] < 0 || (!late && !large)) return;
    require('node:fs').writeSync(2, 'case ' + state[index] + ': ' + (late ? 'it hangs' : 'more than 1 GB of memory') + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }, 200);
`;

const shared = new SharedArrayBuffer(24);
const state = new Float64Array(shared);
function begin(index) {
  const { user, system } = process.cpuUsage();
  state.set([index, Date.now(), (user + system) / 1_000]);
}
begin(-1); // the sound inputs are no case
const watch = new Worker(WATCH, {
  eval: true,
  workerData: { state: shared, mostMs: MOST_MS, mostBytes: MOST_BYTES },
});
watch.unref();

const work = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'ccbench-damage-'));
const counts = new Map();
const problems = [];
const slowest = { ms: 0, index: -1 };
let peak = 0;
const startMs = performance.now();
try {
  const program = await openProgram((name) => import(`../dist/${name}.js`));
  const bases = await prepareBases(root, run, join(work, 'bases'), program);
  for (let index = from; index < to; index++) {
    const random = createRandom(seed, index);
    const item =
      values.kind === undefined
        ? makeCase(bases, random)
        : { kind: values.kind, ...KINDS[values.kind](bases, random) };
    begin(index);
    const { code, ms, problem, stderr } = await judge(item, run, join(work, 'case'));
    const key = `${item.kind} ${code}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (ms > slowest.ms) Object.assign(slowest, { ms, index });
    peak = Math.max(peak, process.memoryUsage.rss());
    if (problem !== null) {
      problems.push(index);
      console.error(
        `case ${index} (${item.kind}): ${problem}\n  ${item.argv === undefined ? '' : `ccbench ${item.argv.join(' ')}`}\n  ${stderr.split('\n').slice(0, 4).join('\n  ')}`,
      );
    }
    if (index % 5_000 === 4_999) console.error(`${index + 1} cases, ${problems.length} problems`);
  }
} finally {
  if (values.only === undefined) rmSync(work, { recursive: true, force: true });
  else console.log(`the files are in ${work}`);
}
for (const [key, count] of [...counts].sort()) console.log(`${key.padEnd(16)} ${count}`);
const seconds = Math.round((performance.now() - startMs) / 1_000);
console.log(
  `${to - from} cases of seed ${seed} in ${seconds} s: ${problems.length} problems; slowest ${Math.round(slowest.ms)} ms (case ${slowest.index}), most memory ${Math.round(peak / 1_048_576)} MB`,
);
if (problems.length > 0) console.log(`again: npm run damage -- --seed ${seed} --only ${problems[0]}`);
process.exit(problems.length > 0 ? 1 : 0);
