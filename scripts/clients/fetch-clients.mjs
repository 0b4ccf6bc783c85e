// Fetches published clients from npm into a scratch folder, without running their install scripts.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';

const PACKAGE = '@anthropic-ai/claude-code';

const folderOf = (version, scratch) => join(scratch, 'clients', version);

/** How a fetched version is started, or null: newer ones hold their program in a package of the platform. */
export function commandOf(version, scratch) {
  const folder = folderOf(version, scratch);
  const modules = join(folder, 'node_modules');
  const script = join(modules, PACKAGE, 'cli.js');
  if (existsSync(script)) return [process.execPath, script];
  for (const name of [`${platform()}-${arch()}`, `${platform()}-${arch()}-musl`]) {
    const program = join(modules, `${PACKAGE}-${name}`, platform() === 'win32' ? 'claude.exe' : 'claude');
    if (existsSync(program)) return [program];
  }
  return null;
}

/** Fetches a version where it is not there yet. */
export function fetchClient(version, scratch) {
  if (commandOf(version, scratch) === null) fetchPackage(`${PACKAGE}@${version}`, folderOf(version, scratch));
}

/** Fetches a package into a folder of its own, without running its install scripts. */
export function fetchPackage(spec, folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const npm = platform() === 'win32' ? 'npm.cmd' : 'npm';
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  spawnSync(npm, ['install', ...options, spec], { cwd: folder, stdio: 'ignore' });
}
