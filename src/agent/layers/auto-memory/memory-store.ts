import { type Files, isInside, normalisePath, placeOf, type StoredFile } from '../../../core/base/files.js';
import {
  type ListLine,
  listLine,
  MEMORY_DIRECTORY,
  MEMORY_INDEX,
  type Memory,
  MemoryText,
  parseMemory,
} from '../../../core/model/memory.js';

/** How a link stands in the simulated home: a file whose text names its target. */
const LINK_MARK = 'link to ';

/** True for a link: words that are made when read are never one. */
function isLink({ content }: StoredFile): boolean {
  return typeof content === 'string' && content.startsWith(LINK_MARK);
}

/** Why a write was refused. */
export type RefusalReason = 'climbs' | 'outside' | 'link' | 'reserved' | 'bad-name';

/** Where a write would go, or why it may not. */
type Confined =
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

/** A memory as it lies in its directory. */
export interface StoredMemory extends Memory {
  readonly path: string;
  readonly mtimeMs: number;
  readonly chars: number;
  /** How an instruction lists it. */
  readonly line: ListLine;
}

/** What the memory directory holds. */
export interface MemoryStore {
  /** In the order of their paths. */
  readonly memories: readonly StoredMemory[];
  /** The same, most recently changed first; of one time, in the order of their paths. */
  readonly latest: readonly StoredMemory[];
  /** Files that are no memories: broken front matter, binary content. They are left as they are. */
  readonly corrupt: readonly string[];
}

/** What a directory held after this many changes. */
interface Reading {
  readonly revision: number;
  readonly store: MemoryStore;
}

const READINGS = new WeakMap<Files, Reading>();

/** Reads the memory directory: the first time all of it, later what has changed. */
export function readMemories(files: Files): MemoryStore {
  const revision = files.revision(MEMORY_DIRECTORY);
  const known = READINGS.get(files);
  if (known?.revision === revision) return known.store;
  const store =
    known === undefined
      ? update(NOTHING, files, files.list(MEMORY_DIRECTORY))
      : update(known.store, files, files.changedSince(MEMORY_DIRECTORY, known.revision));
  READINGS.set(files, { revision, store });
  return store;
}

const NOTHING: MemoryStore = { memories: [], latest: [], corrupt: [] };

const MEMORY_FOLDER = `${MEMORY_DIRECTORY}/`;

/** Index and hidden files are no memories. */
function isMemoryPath(path: string): boolean {
  return (
    path !== MEMORY_INDEX && path.startsWith(MEMORY_FOLDER) && path.endsWith('.md') && !path.includes('/.')
  );
}

/** A store with some paths read again; the same one when none of them is a memory. */
function update(store: MemoryStore, files: Files, paths: readonly string[]): MemoryStore {
  const changed = new Set(paths.filter(isMemoryPath));
  if (changed.size === 0) return store;
  let { memories, latest } = store;
  const corrupt = store.corrupt.filter((path) => !changed.has(path));
  for (const path of changed) {
    const file = files.read(path);
    const memory = file === null ? null : memoryOf(file);
    const place = placeOf(memories, path);
    const old = memories[place]?.path === path ? memories[place]! : null;
    if (old !== null) latest = latest.toSpliced(latest.indexOf(old), 1);
    if (memory !== null) {
      memories = memories.toSpliced(place, old === null ? 0 : 1, memory);
      latest = latest.toSpliced(placeOfLatest(latest, memory), 0, memory);
    } else if (old !== null) memories = memories.toSpliced(place, 1);
    if (memory === null && file !== null && !isLink(file)) corrupt.push(path);
  }
  return { memories, latest, corrupt: corrupt.sort() };
}

/** Where a memory belongs among those with the most recently changed first. */
function placeOfLatest(latest: readonly StoredMemory[], memory: StoredMemory): number {
  let place = 0;
  while (place < latest.length && !isBefore(memory, latest[place]!)) place++;
  return place;
}

function isBefore(a: StoredMemory, b: StoredMemory): boolean {
  return a.mtimeMs > b.mtimeMs || (a.mtimeMs === b.mtimeMs && a.path < b.path);
}

/** The memory in a file; its text is read only when nothing else can tell. */
function memoryOf(file: StoredFile): StoredMemory | null {
  const { path, content, mtimeMs, chars } = file;
  const isKnown = content instanceof MemoryText;
  const memory = isKnown ? content.memory : isLink(file) ? null : parseMemory(file.text);
  if (memory === null) return null;
  const { name, description, type, body } = memory;
  const line = isKnown ? content.listLine : listLine(memory);
  return { name, description, type, body, path, mtimeMs, chars, line };
}
