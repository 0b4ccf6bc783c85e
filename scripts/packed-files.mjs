import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Runs npm and gives what it prints; the scripts of the package are not run, and what goes wrong is shown. */
export function npm(args, options = {}) {
  const cli = process.env.npm_execpath;
  const [command, first] = cli?.endsWith('.js') ? [process.execPath, [cli]] : ['npm', []];
  return execFileSync(command, [...first, ...args, '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: command === 'npm' && process.platform === 'win32',
    ...options,
  });
}

/** What `npm pack` tells of the package it made or, with `--dry-run`, would make. */
export function pack(...args) {
  const told = JSON.parse(npm(['pack', '--json', ...args]));
  return Array.isArray(told) ? told[0] : Object.values(told)[0];
}

/**
 * Paths of all files that an installation gets, in order.
 * @returns {string[]}
 */
export function packedFiles() {
  return pack('--dry-run')
    .files.map(({ path }) => path)
    .sort();
}
