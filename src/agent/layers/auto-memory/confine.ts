import { type Files, isInside, normalisePath, type StoredFile } from '../../../core/base/files.js';
import { MEMORY_DIRECTORY, type MemoryText } from '../../../core/model/memory.js';

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

const BAD_NAME = /[\\\p{Cc}]/u;

/**
 * Confines a write to a directory: `..`, paths that lie elsewhere, and everything that passes through a link are refused,
 * as are hidden files, which hold the directory's own state.
 */
export function confine(files: Files, directory: string, name: string): Confined {
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
  let throughLink = isLinkAt(files, way);
  for (const part of parts) {
    way = `${way}/${part}`;
    throughLink ||= isLinkAt(files, way);
  }
  return throughLink ? THROUGH_LINK : { kind: 'allowed', path: way };
}

function isLinkAt(files: Files, path: string): boolean {
  const file = files.read(path);
  return file !== null && isLink(file);
}

const THROUGH_LINK: Confined = { kind: 'refused', reason: 'link' };

/** Confines the write of a memory to its directory; the path of a plain name is known. */
export function confineMemory(files: Files, name: string, content: string | MemoryText): Confined {
  const path = typeof content === 'string' ? null : content.path;
  if (path === null) return confine(files, MEMORY_DIRECTORY, `${name}.md`);
  return isLinkAt(files, MEMORY_DIRECTORY) || isLinkAt(files, path)
    ? THROUGH_LINK
    : { kind: 'allowed', path };
}
