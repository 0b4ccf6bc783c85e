import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SourceFile } from './layers.js';

/** The repository root. */
export const ROOT = resolve(import.meta.dirname, '../../..');

const NOT_OURS = new Set(['.git', 'node_modules', 'dist', 'coverage', '.ccbench', 'reports']);

/** Paths of the repository's own files, sorted: tracked or not, without the ignored ones. */
export function ownFiles(): readonly string[] {
  let paths: string[];
  try {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const listed = execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    paths = listed.split('\0').filter((path) => path !== '');
  } catch {
    paths = walk('').filter((path) => !path.endsWith('.log'));
  }
  return [...new Set(paths)].filter((path) => existsSync(join(ROOT, path))).sort();
}

/** The TypeScript sources below src, sorted by path. */
export function sourceFiles(): readonly SourceFile[] {
  return walk('src')
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

function walk(folder: string): string[] {
  const found: string[] = [];
  for (const name of readdirSync(join(ROOT, folder)).sort()) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (NOT_OURS.has(path)) continue;
    if (statSync(join(ROOT, path)).isDirectory()) found.push(...walk(path));
    else found.push(path);
  }
  return found;
}
