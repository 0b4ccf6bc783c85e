import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../damage/random.mjs';

const SCENARIO = `name: killed
transcript: { synthetic: { workload: bugfix, turns: 30, text: none } }
policy: claude-code/2.1
variants:
  - { name: none, policy: none }
`;

/** The cache of compiled transcripts, below the folder of a command. */
export const CACHE = '.ccbench';

/** The commands that write reports, with the folder that each one makes. */
const COMMANDS = [
  { argv: ['run', 'a.yaml'], folder: 'killed' },
  { argv: ['sweep', 'a.yaml', '--vary', 'seed=1,2,3,4', '--workers', '2'], folder: 'killed-sweep' },
  { argv: ['compare', 'a.yaml', '--policy', 'none,unbounded', '--workers', '2'], folder: 'killed-compare' },
  {
    argv: [
      'tune',
      'a.yaml',
      '--vary',
      'estimatorFactor=0.5..2',
      '--minimise',
      'costUsd',
      '--budget',
      '6',
      '--workers',
      '2',
    ],
    folder: 'killed-tune',
    // No value is better than the unchanged scenario.
    endsWith: 99,
  },
  // Fills the cache of compiled transcripts and explained sessions, in threads; it starts empty where there is no earlier report.
  { argv: ['why', 'many'], folder: 'why' },
];

/** Recordings that are explained in threads, each large enough to be compiled. */
const RECORDINGS = ['a.jsonl', 'b.jsonl', 'c.jsonl'];

function recording() {
  const fixture = join(import.meta.dirname, '../../fixtures/bugfix-20-turns.jsonl');
  return `${readFileSync(fixture, 'utf8').trimEnd()}\n${JSON.stringify({ type: 'system', pad: 'x'.repeat(2_500_000) })}\n`;
}

/** The files of a folder by their digests; results of a sweep stand in the order in which threads finished them. */
function digests(folder) {
  const found = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) continue;
    const text = readFileSync(path, 'latin1');
    const sorted = name.endsWith('sweep.jsonl') ? text.split('\n').sort().join('\n') : text;
    found[name] = createHash('sha256').update(sorted).digest('hex');
  }
  return found;
}

function ended(child) {
  return new Promise((done) => child.on('close', (code, signal) => done({ code, signal })));
}

/** Names below the reports that no finished command leaves. */
function litter(reports) {
  return readdirSync(reports, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:new|old|part)$/.test(name),
  );
}

/** What differs between the files of a report and those it should have. */
function difference(now, wanted) {
  return [...new Set([...Object.keys(now), ...Object.keys(wanted)])].filter(
    (name) => now[name] !== wanted[name],
  );
}

/** Tries one kill after this many milliseconds: the earlier report must stand, and the next run must end as if nothing had been. */
async function tryKill({ argv, folder, endsWith = 0 }, { cwd, wanted, afterMs, start, isFresh }) {
  const reports = join(cwd, 'reports');
  const target = join(reports, folder);
  if (isFresh) for (const path of [target, join(cwd, CACHE)]) rmSync(path, { recursive: true, force: true });
  const child = start(argv, cwd);
  const end = ended(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  const { signal } = await end;
  clearTimeout(timer);
  const problems = [];
  if (!isFresh && !existsSync(target)) problems.push('the earlier report is gone');
  else if (!isFresh) {
    const changed = difference(digests(target), wanted).filter((name) => !/\.(?:new|part)$/.test(name));
    if (changed.length > 0) problems.push(`the earlier report is damaged: ${changed.join(', ')}`);
  }
  const { code } = await ended(start(argv, cwd));
  if (code !== endsWith) problems.push(`the next run ended with ${code}`);
  const left = [reports, join(cwd, CACHE)].filter(existsSync).flatMap(litter);
  if (left.length > 0) problems.push(`litter after the next run: ${left.join(', ')}`);
  const changed = difference(digests(target), wanted);
  if (changed.length > 0) problems.push(`the next report differs: ${changed.join(', ')}`);
  return { isKilled: signal === 'SIGKILL', problems };
}

/** Kills commands at random moments of their lives, half of them over an earlier report and half without one. */
export async function tryKills({ kills, seed, only = null, start, say }) {
  const commands = COMMANDS.filter(({ argv }) => only === null || argv[0] === only);
  if (commands.length === 0) throw new Error(`--only ${only}: no such command`);
  const cwd = mkdtempSync(join(tmpdir(), 'ccbench-kills-'));
  const result = { kills: 0, early: 0, problems: [] };
  try {
    writeFileSync(join(cwd, 'a.yaml'), SCENARIO);
    mkdirSync(join(cwd, 'many'));
    for (const name of RECORDINGS) writeFileSync(join(cwd, 'many', name), recording());
    /** What each command makes, once it is its turn, and how long it takes. */
    const known = new Map();
    // The first command fills caches, which all of them use: its time says nothing of the later ones.
    await ended(start(commands[0].argv, cwd));
    rmSync(join(cwd, 'reports', commands[0].folder), { recursive: true, force: true });
    for (let n = 0; result.kills < kills; n++) {
      const random = createRandom(seed, n);
      const which = n % commands.length;
      const { argv, folder, endsWith = 0 } = commands[which];
      if (!known.has(which)) {
        const startMs = performance.now();
        const { code } = await ended(start(argv, cwd));
        if (code !== endsWith) throw new Error(`ccbench ${argv.join(' ')} ended with ${code}`);
        known.set(which, { ms: performance.now() - startMs, wanted: digests(join(cwd, 'reports', folder)) });
      }
      const { ms, wanted } = known.get(which);
      const afterMs = ms * random.next();
      const isFresh = Math.floor(n / commands.length) % 2 === 1;
      const { isKilled, problems } = await tryKill(commands[which], { cwd, wanted, afterMs, start, isFresh });
      if (isKilled) result.kills++;
      else result.early++;
      const what = `${argv[0]} after ${Math.round(afterMs)} ms${isFresh ? ', no earlier report' : ''}`;
      for (const problem of problems) {
        result.problems.push(`${what}: ${problem}`);
        say(`${what}: ${problem}`);
      }
      if (n > 20 * kills) throw new Error('the commands are over before they can be killed');
    }
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
  return result;
}
