import { type Files, isInside, normalisePath } from '../../base/files.js';
import { MEMORY_DIRECTORY } from '../../model/memory.js';

/** How a link stands in the simulated home: a file whose text names its target. */
export const LINK_MARK = 'link to ';

/** Why a write was refused. */
export type RefusalReason = 'climbs' | 'outside' | 'link' | 'reserved' | 'bad-name';

/** Where a write would go, or why it may not. */
export type Confined =
  | { readonly kind: 'allowed'; readonly path: string }
  | { readonly kind: 'refused'; readonly reason: RefusalReason };

/** Names that need no second look: letters, figures and hyphens, then a plain ending. */
const PLAIN_NAME = /^[\w-]+\.md$/;
const BAD_NAME = /[\\\p{Cc}]/u;

/**
 * Confines a write to a directory: `..`, paths that lie elsewhere, and everything that passes through a link are refused,
 * as are hidden files, which hold the directory's own state.
 */
export function confine(files: Files, directory: string, name: string): Confined {
  if (PLAIN_NAME.test(name) && directory === MEMORY_DIRECTORY) return throughLinks(files, directory, [name]);
  if (name === '' || BAD_NAME.test(name)) return { kind: 'refused', reason: 'bad-name' };
  if (name.split('/').includes('..')) return { kind: 'refused', reason: 'climbs' };
  const path = normalisePath(name.startsWith('/') ? name : `${directory}/${name}`);
  if (!isInside(path, directory)) return { kind: 'refused', reason: 'outside' };
  const parts = path.slice(normalisePath(directory).length + 1).split('/');
  if (parts.some((part) => part.startsWith('.'))) return { kind: 'refused', reason: 'reserved' };
  return throughLinks(files, normalisePath(directory), parts);
}

/** The way down to a file; a link on it is refused. */
function throughLinks(files: Files, directory: string, parts: readonly string[]): Confined {
  let way = directory;
  for (const part of ['', ...parts]) {
    if (part !== '') way = `${way}/${part}`;
    if (files.read(way)?.text.startsWith(LINK_MARK) === true) return { kind: 'refused', reason: 'link' };
  }
  return { kind: 'allowed', path: way };
}
