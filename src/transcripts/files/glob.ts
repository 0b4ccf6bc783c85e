import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { attempt } from '../../core/base/errors.js';

const MAGIC = /[*?[{]/;
/** Most patterns that braces may stand for. */
const MOST_PATTERNS = 1_000;

/** Whether a path has signs in it that stand for other names. */
export function isGlob(path: string): boolean {
  return MAGIC.test(path);
}

/** Where the parts of the first `{a,b}` of a pattern begin and end; null without one. */
function firstBraces(pattern: string): { readonly start: number; readonly commas: readonly number[] } | null {
  const start = pattern.indexOf('{');
  if (start < 0) return null;
  const commas = [start];
  let depth = 0;
  for (let i = start; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === '{') depth++;
    else if (char === ',' && depth === 1) commas.push(i);
    else if (char === '}' && --depth === 0) return { start, commas: [...commas, i] };
  }
  return null;
}

/** The patterns that one with braces stands for, in order. */
function withoutBraces(pattern: string): readonly string[] {
  const done: string[] = [];
  const open = [pattern];
  while (open.length > 0 && done.length < MOST_PATTERNS) {
    const next = open.pop()!;
    const braces = firstBraces(next);
    if (braces === null) {
      done.push(next);
      continue;
    }
    const { start, commas } = braces;
    const rest = next.slice(commas.at(-1)! + 1);
    for (let i = commas.length - 2; i >= 0; i--)
      open.push(next.slice(0, start) + next.slice(commas[i]! + 1, commas[i + 1]) + rest);
  }
  return done;
}

/** The pattern of one part of a path: `*`, `?` and `[abc]`. */
function partPattern(part: string): RegExp {
  let source = '';
  for (let i = 0; i < part.length; i++) {
    const char = part[i]!;
    const end = char === '[' ? part.indexOf(']', i + 2) : -1;
    if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (end > 0) {
      const body = part.slice(i + 1, end).replace(/[\\[\]]/g, '\\$&');
      source += `[${body.startsWith('!') ? `^${body.slice(1)}` : body}]`;
      i = end;
    } else source += char.replace(/[.+^$()|\\[\]{}]/g, '\\$&');
  }
  try {
    return new RegExp(`^${source}$`, 'su');
  } catch {
    return /(?!)/; // an empty range such as [z-a] stands for nothing
  }
}

function entriesIn(folder: string): readonly Dirent[] {
  return attempt(
    () => readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)),
    [],
  );
}

function kindOf(path: string): 'file' | 'folder' | null {
  return attempt(() => (statSync(path).isDirectory() ? 'folder' : 'file'), null);
}

function matches(cwd: string, base: string, parts: readonly string[]): readonly string[] {
  const [part, ...rest] = parts;
  if (part === undefined) return kindOf(resolve(cwd, base)) === null ? [] : [base];
  const folder = resolve(cwd, base === '' ? '.' : base);
  if (part === '**') {
    const below = entriesIn(folder)
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .flatMap(({ name }) => matches(cwd, join(base, name), parts));
    return [...matches(cwd, base, rest), ...below];
  }
  if (!MAGIC.test(part)) {
    return matches(cwd, base === '' ? part || '/' : join(base, part), rest);
  }
  const pattern = partPattern(part);
  return entriesIn(folder)
    .filter(({ name }) => pattern.test(name) && (part.startsWith('.') || !name.startsWith('.')))
    .filter(({ name }) => rest.length === 0 || kindOf(join(folder, name)) === 'folder')
    .flatMap(({ name }) => matches(cwd, join(base, name), rest));
}

/** The parts of a path; an empty one at its beginning is the root. */
function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part, i) => i === 0 || (part !== '' && part !== '.'));
}

/** The files and folders behind a pattern such as `sessions/**\/*.{json,jsonl}`, sorted, each once. */
export function expandGlob(pattern: string, cwd: string): readonly string[] {
  const found = withoutBraces(pattern).flatMap((plain) =>
    matches(cwd, '', partsOf(plain)).filter(
      (path) => !plain.endsWith('/') || kindOf(resolve(cwd, path)) === 'folder',
    ),
  );
  return [...new Set(found)].sort();
}
