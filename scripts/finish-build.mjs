// Closes a build: bundles the program, and leaves in dist what an installation uses and nothing else.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCode, licenceNotices, NOTICES } from './build-code.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');

/** Every file below a folder, by its path from there, with slashes. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.replaceAll('\\', '/'))
    .sort();
}

/** The declarations that a program which imports ccbench reads: those that lead from one to the next, beginning with the given one. */
function declarationsFrom(name, seen = new Set()) {
  if (seen.has(name) || !existsSync(join(dist, name))) return seen;
  seen.add(name);
  const text = readFileSync(join(dist, name), 'utf8');
  for (const [, specifier] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)) {
    const next = resolve(dist, dirname(name), specifier.replace(/\.js$/, '.d.ts'));
    declarationsFrom(relative(dist, next).replaceAll('\\', '/'), seen);
  }
  return seen;
}

const { files, folders } = await buildCode();
const used = new Set([...files, ...declarationsFrom('index.d.ts')]);
for (const name of filesBelow(dist)) if (!used.has(name)) rmSync(join(dist, name));
chmodSync(join(dist, 'cli/main.js'), 0o755);
// Last, since its time is that of the build.
writeFileSync(join(root, NOTICES), licenceNotices(folders));
