import { CcbenchError } from './errors.js';

/** One file of the simulated home. */
export interface StoredFile {
  readonly path: string;
  readonly text: string;
  readonly mtimeMs: number;
}

/** Files in memory whose modification times are simulated. Paths are absolute and slash-separated. */
export interface Files {
  write(path: string, text: string, nowMs: number): void;
  read(path: string): StoredFile | null;
  remove(path: string): boolean;
  setMtime(path: string, mtimeMs: number): void;
  /** Paths below a folder, sorted. */
  list(folder: string): readonly string[];
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

function isNormal(path: string): boolean {
  return (
    path.length > 1 && path[0] === '/' && !path.endsWith('/') && !path.includes('//') && !path.includes('/.')
  );
}

/** True when a path lies inside a folder once `..` is resolved. */
export function isInside(path: string, folder: string): boolean {
  const base = normalisePath(folder);
  const target = normalisePath(path);
  return target.startsWith(base === '/' ? '/' : `${base}/`);
}

/** Creates an empty file store, or one that starts from the given files. */
export function createFiles(initial: readonly StoredFile[] = []): Files {
  const files = new Map<string, StoredFile>();
  for (const file of initial) files.set(file.path, file);
  return {
    write(path, text, nowMs) {
      const key = normalisePath(path);
      files.set(key, { path: key, text, mtimeMs: nowMs });
    },
    read: (path) => files.get(normalisePath(path)) ?? null,
    remove: (path) => files.delete(normalisePath(path)),
    setMtime(path, mtimeMs) {
      const key = normalisePath(path);
      const file = files.get(key);
      if (file === undefined) throw new CcbenchError('file-missing', `no simulated file at ${key}`);
      files.set(key, { ...file, mtimeMs });
    },
    list(folder) {
      const base = normalisePath(folder);
      const start = base === '/' ? '/' : `${base}/`;
      return [...files.keys()].filter((path) => path.startsWith(start)).sort();
    },
    clone: () => createFiles([...files.values()]),
  };
}
