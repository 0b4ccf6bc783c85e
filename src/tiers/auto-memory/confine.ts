import { type Files, isInside, normalisePath, type StoredFile } from '../../base/files.js';
import { MEMORY_DIRECTORY } from '../../model/memory.js';

/** How a link stands in the simulated home: a file whose text names its target. */
const LINK_MARK = 'link to ';

/** True for a link: words that are made when read are never one. */
export function isLink({ content }: StoredFile): boolean {
  return typeof content === 'string' && content.startsWith(LINK_MARK);
}

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
    const file = files.read(way);
    if (file !== null && isLink(file)) return { kind: 'refused', reason: 'link' };
  }
  return { kind: 'allowed', path: way };
}
