// Closes a build: bundles the packages of which little is used, and leaves in dist what an installation uses and nothing else.
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePackages, licenceNotices, NOTICES } from './bundle-packages.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');

/** Built files that no source of the same name stands for. */
const WITHOUT_SOURCE = ['study/worker-bundle.js', relative('dist', NOTICES)];

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

/** Files in dist that no command and no program uses: of earlier builds, maps, declarations out of reach. */
function useless() {
  const declarations = declarationsFrom('index.d.ts');
  return filesBelow(dist).filter((name) => {
    if (WITHOUT_SOURCE.includes(name)) return false;
    if (name.endsWith('.d.ts')) return !declarations.has(name);
    return !(name.endsWith('.js') && existsSync(join(root, 'src', name.replace(/\.js$/, '.ts'))));
  });
}

const folders = await bundlePackages();
writeFileSync(join(root, NOTICES), licenceNotices(folders));
for (const name of useless()) rmSync(join(dist, name));
chmodSync(join(dist, 'cli/main.js'), 0o755);
