import { CcbenchError } from './errors.js';
import { addTo } from './groups.js';

/** What a file may be given: words at hand, or words that are made when somebody reads them. */
export type FileContent = string | { readonly chars: number; read(): string };

/** One file of the simulated home. */
export class StoredFile {
  constructor(
    readonly path: string,
    readonly content: FileContent,
    readonly mtimeMs: number,
  ) {}

  get text(): string {
    return typeof this.content === 'string' ? this.content : this.content.read();
  }

  /** Length of the text, known without reading it. */
  get chars(): number {
    return typeof this.content === 'string' ? this.content.length : this.content.chars;
  }
}

/** Files in memory whose modification times are simulated. Paths are absolute and slash-separated. */
export interface Files {
  write(path: string, content: FileContent, nowMs: number): void;
  read(path: string): StoredFile | null;
  remove(path: string): boolean;
  setMtime(path: string, mtimeMs: number): void;
  /** Paths below a folder, sorted. */
  list(folder: string): readonly string[];
  /** The files below a folder, sorted by path. */
  below(folder: string): readonly StoredFile[];
  /** Number of changes so far below the first part of a folder's path. */
  revision(folder: string): number;
  /** Paths changed since this many changes, oldest first; one may come more than once. */
  changedSince(folder: string, revision: number): readonly string[];
  /** An independent copy. */
  clone(): Files;
}

/** Resolves `.` and `..`; a path that climbs above the root is an error. */
export function normalisePath(path: string): string {
  if (isNormal(path)) return path;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (parts.length === 0) throw new CcbenchError('bad-value', `the path "${path}" climbs above the root`);
      parts.pop();
    } else parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Empty parts, `.` and `..`. */
const ODD_PART = /\/\.{0,2}(?:\/|$)/;

function isNormal(path: string): boolean {
  return path.startsWith('/') && !ODD_PART.test(path);
}

/** True when a path lies inside a folder once `..` is resolved. */
export function isInside(path: string, folder: string): boolean {
  const base = normalisePath(folder);
  const target = normalisePath(path);
  return target !== base && target.startsWith(base === '/' ? '/' : `${base}/`);
}

/** The first folder of a path, as far as changes are counted by. */
function topOf(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path : path.slice(0, end);
}

/** Where a path stands or would stand among things sorted by their paths. */
export function placeOf(files: readonly { readonly path: string }[], path: string): number {
  let low = 0;
  let high = files.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (files[middle]!.path < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Creates an empty file store, or one that starts from the given files. */
export function createFiles(initial: readonly StoredFile[] = []): Files {
  const files = new Map<string, StoredFile>();
  /** Paths of the files in order. */
  const sorted: { readonly path: string }[] = [];
  const changes = new Map<string, string[]>();
  const note = (path: string): void => addTo(changes, topOf(path), path);
  const put = (file: StoredFile): void => {
    if (!files.has(file.path)) sorted.splice(placeOf(sorted, file.path), 0, { path: file.path });
    files.set(file.path, file);
    note(file.path);
  };
  const below = (folder: string): readonly StoredFile[] => {
    const base = normalisePath(folder);
    const start = base === '/' ? '/' : `${base}/`;
    const from = placeOf(sorted, start);
    let to = from;
    while (to < sorted.length && sorted[to]!.path.startsWith(start)) to++;
    return sorted.slice(from, to).map(({ path }) => files.get(path)!);
  };
  for (const file of initial) put(file);
  return {
    write: (path, content, nowMs) => put(new StoredFile(normalisePath(path), content, nowMs)),
    read: (path) => files.get(path) ?? (isNormal(path) ? null : (files.get(normalisePath(path)) ?? null)),
    remove(path) {
      const key = normalisePath(path);
      if (!files.delete(key)) return false;
      sorted.splice(placeOf(sorted, key), 1);
      note(key);
      return true;
    },
    setMtime(path, mtimeMs) {
      const key = normalisePath(path);
      const file = files.get(key);
      if (file === undefined) throw new CcbenchError('file-missing', `no simulated file at ${key}`);
      put(new StoredFile(key, file.content, mtimeMs));
    },
    list: (folder) => below(folder).map(({ path }) => path),
    below,
    revision: (folder) => changes.get(topOf(normalisePath(folder)))?.length ?? 0,
    changedSince: (folder, revision) => changes.get(topOf(normalisePath(folder)))?.slice(revision) ?? [],
    clone: () => createFiles([...files.values()]),
  };
}
