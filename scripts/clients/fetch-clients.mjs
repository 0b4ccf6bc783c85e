// Fetches published clients from npm into a scratch folder, without running their install scripts.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';

const PACKAGE = '@anthropic-ai/claude-code';

/** How a fetched client is started, or null: newer versions hold their program in a package of the platform. */
function commandOf(folder) {
  const modules = join(folder, 'node_modules');
  const script = join(modules, PACKAGE, 'cli.js');
  if (existsSync(script)) return [process.execPath, script];
  for (const name of [`${platform()}-${arch()}`, `${platform()}-${arch()}-musl`]) {
    const program = join(modules, `${PACKAGE}-${name}`, platform() === 'win32' ? 'claude.exe' : 'claude');
    if (existsSync(program)) return [program];
  }
  return null;
}

/** The command of a version, fetched where it is not there yet; null where it cannot be had. */
export function fetchClient(version, scratch) {
  const folder = join(scratch, 'clients', version);
  const known = commandOf(folder);
  if (known !== null) return known;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const npm = platform() === 'win32' ? 'npm.cmd' : 'npm';
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  spawnSync(npm, ['install', ...options, `${PACKAGE}@${version}`], { cwd: folder, stdio: 'ignore' });
  return commandOf(folder);
}
