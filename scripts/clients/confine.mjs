// Keeps published clients to themselves: a network with loopback alone where the system allows it, and an empty home.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where clients are fetched to and run. */
export const SCRATCH = resolve(process.env.CCBENCH_CLIENTS ?? join(tmpdir(), 'ccbench-clients'));

const CONFINED = 'CCBENCH_CLIENTS_CONFINED';
const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');
const MOST_MS = 300_000;

/** Fetches, and starts this program again inside; returns where it is inside already. */
export function confine(fetchAll) {
  if (process.env[CONFINED] !== undefined) return;
  fetchAll();
  const inside = spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status === 0;
  if (!inside) console.log('no network of its own can be made here: clients get a proxy that leads nowhere');
  const self = [process.execPath, ...process.argv.slice(1)];
  const [program, ...args] = inside
    ? ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...self]
    : self;
  const env = { ...process.env, [CONFINED]: inside ? 'network' : 'proxy' };
  process.exit(spawnSync(program, args, { stdio: 'inherit', env }).status ?? 1);
}

/** What Claude Code needs to stay quiet in an empty home. */
export const claudeEnv = (home) => ({
  CLAUDE_CONFIG_DIR: join(home, 'config'),
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  IS_SANDBOX: '1',
});

/** Runs ccbench with nothing of the user's, and nothing but loopback for what it starts. */
export function ccbench(args, { cwd, home, env = {} }) {
  const nowhere = 'http://127.0.0.1:9';
  return spawnSync(process.execPath, [MAIN, ...args], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    timeout: MOST_MS,
    env: {
      PATH: process.env.PATH,
      LANG: 'C.UTF-8',
      HOME: home,
      HTTP_PROXY: nowhere,
      HTTPS_PROXY: nowhere,
      NO_PROXY: '127.0.0.1,localhost',
      CCBENCH_CACHE: join(SCRATCH, 'cache'),
      ...env,
    },
  });
}

/** Runs a command against a server that answers by a script and records all; `made` is what `exec --json` says, or null. */
export function execScripted(script, record, command, where) {
  rmSync(record, { force: true });
  const server = ['--script', script, '--latency-scale', '0', '--record', record, '--keep-text', '--json'];
  const { stdout, stderr } = ccbench(['exec', ...server, '--', ...command], where);
  try {
    return { made: JSON.parse(stdout), stderr };
  } catch {
    return { made: null, stderr: stderr ?? '' };
  }
}
