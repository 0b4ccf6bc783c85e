import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CcbenchError } from '../../../base/errors.js';

const MAGIC = /[*?[{]/;

/** The pattern of one part of a path: `*`, `?`, `[abc]` and `{a,b}`. */
function partPattern(part: string): RegExp {
  let source = '';
  let inGroup = false;
  for (let i = 0; i < part.length; i++) {
    const char = part[i]!;
    if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '[' && part.indexOf(']', i + 2) > 0) {
      const end = part.indexOf(']', i + 2);
      const body = part.slice(i + 1, end).replace(/\\/g, '\\\\');
      source += `[${body.startsWith('!') ? `^${body.slice(1)}` : body}]`;
      i = end;
    } else if (char === '{' && part.includes('}', i)) {
      source += '(?:';
      inGroup = true;
    } else if (char === '}' && inGroup) {
      source += ')';
      inGroup = false;
    } else if (char === ',' && inGroup) source += '|';
    else source += char.replace(/[.+^$()|\\[\]{}]/g, '\\$&');
  }
  return new RegExp(`^${source}$`);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function matches(cwd: string, base: string, parts: readonly string[]): readonly string[] {
  const [part, ...rest] = parts;
  if (part === undefined) return isFolder(resolve(cwd, base)) ? [] : [base];
  const folder = resolve(cwd, base === '' ? '.' : base);
  if (part === '**') {
    const below = namesIn(folder)
      .filter((name) => !name.startsWith('.') && isFolder(join(folder, name)))
      .flatMap((name) => matches(cwd, join(base, name), parts));
    return [...matches(cwd, base, rest), ...below];
  }
  if (!MAGIC.test(part)) return matches(cwd, base === '' ? part || '/' : join(base, part), rest);
  const pattern = partPattern(part);
  return namesIn(folder)
    .filter((name) => pattern.test(name) && (part.startsWith('.') || !name.startsWith('.')))
    .filter((name) => rest.length === 0 || isFolder(join(folder, name)))
    .flatMap((name) => matches(cwd, join(base, name), rest));
}

/** The files behind patterns such as `sessions/**\/*.jsonl`, sorted, each once; a pattern without one is an error. */
export function expandGlobs(patterns: readonly string[], cwd: string): readonly string[] {
  const found = patterns.flatMap((pattern) => {
    if (!MAGIC.test(pattern)) return [pattern];
    const files = matches(cwd, '', pattern.split('/'));
    if (files.length === 0) {
      throw new CcbenchError('file-missing', `no file matches ${pattern}`, {
        place: { file: `--transcripts ${pattern}` },
        hint: 'put the pattern in quotes; * stands for names, ** for folders at any depth',
      });
    }
    return files;
  });
  return [...new Set(found)].sort();
}
