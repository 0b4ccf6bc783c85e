// Puts the built command where npx looks first, so that `npx ccbench` in this folder starts it at once.
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const bin = join(root, 'node_modules/.bin');
const link = join(bin, 'ccbench');

if (existsSync(join(root, 'node_modules'))) {
  try {
    chmodSync(join(root, 'dist/cli/main.js'), 0o755);
    mkdirSync(bin, { recursive: true });
    rmSync(link, { force: true });
    symlinkSync('../../dist/cli/main.js', link);
  } catch {
    console.warn('no link for npx could be made; npx ccbench still works, a little slower');
  }
}
