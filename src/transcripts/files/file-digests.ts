import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../core/base/digest.js';
import { succeeds } from '../../core/base/errors.js';
import { type DiskFile, hashFile } from './disk-file.js';
import { nameOfPart, removeLitter } from './litter.js';
import { makeFolder } from './make-folder.js';

/** What is known of a file: its state when it was read, the SHA-256 of what it held, and whether that was one session. */
export interface KnownFile {
  readonly path: string;
  readonly state: string;
  readonly sha256: string;
  readonly isSession: boolean;
}

const INDEX = 'digests.json';
const VERSION = 2;
const SESSION = 'session';
/** Files that are known at most; beyond them, what was used longest ago goes. */
const MOST_KNOWN = 100_000;
/** A file that changed less than this before it was read may change again within the same tick of its clock. */
const SETTLED_MS = 2_000;

interface State {
  readonly text: string;
  readonly changedMs: number;
}

function stateOf(path: string): State | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return null;
  const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs, ctimeMs } = found;
  const text = [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  return { text, changedMs: Number(ctimeMs > mtimeMs ? ctimeMs : mtimeMs) };
}

/**
 * Digests of files. A file whose place, size, times and inode are as they were is not read again, unless it had just been changed
 * when it was read.
 */
export class FileDigests {
  readonly #folder: string | null;
  readonly #nowMs: number;
  #index: Map<string, KnownFile> | null = null;
  /** Files that had just been changed when they were read. */
  readonly #unsettled = new Set<string>();
  #learned: KnownFile[] = [];

  /** What earlier runs kept in a folder is known; null: nothing is kept. */
  constructor(folder: string | null, nowMs: number) {
    this.#folder = folder;
    this.#nowMs = nowMs;
  }

  /** What is known, with what earlier runs kept; that is read when it is first needed. */
  get #known(): Map<string, KnownFile> {
    if (this.#index !== null) return this.#index;
    this.#index = new Map();
    if (this.#folder === null) return this.#index;
    removeLitter(this.#folder, (name) => name === INDEX);
    for (const [path, state, sha256, kind] of readIndex(this.#folder))
      this.#index.set(path, { path, state, sha256, isSession: kind === SESSION });
    return this.#index;
  }

  /** The digest of a file as it is known; null if the file has to be read. */
  find({ path, bytes }: DiskFile): string | null {
    return bytes === undefined ? (this.#at(path)?.sha256 ?? null) : null;
  }

  /** Whether a file is as it was when it was read as one session. */
  isSession(path: string): boolean {
    return this.#at(path)?.isSession ?? false;
  }

  /** A file was read as one session; what is known of it is kept. */
  keep(files: readonly DiskFile[]): void {
    for (const [i, { path }] of files.entries()) {
      const known = this.#known.get(path);
      if (known !== undefined && !this.#unsettled.has(path))
        this.#learned.push({ ...known, isSession: i === 0 });
    }
  }

  #at(path: string): KnownFile | null {
    const known = this.#known.get(path);
    return known !== undefined && stateOf(path)?.text === known.state ? known : null;
  }

  /** The digest of a file. */
  of(file: DiskFile): string {
    const found = this.find(file);
    if (found !== null) return found;
    const before = stateOf(file.path);
    const sha256 = hashFile(file);
    if (before === null || file.bytes !== undefined || stateOf(file.path)?.text !== before.text)
      return sha256;
    const known: KnownFile = { path: file.path, state: before.text, sha256, isSession: false };
    this.#known.set(file.path, known);
    if (before.changedMs + SETTLED_MS < this.#nowMs) this.#learned.push(known);
    else this.#unsettled.add(file.path);
    return sha256;
  }

  /** Takes over what others found. */
  learn(files: readonly KnownFile[]): void {
    this.#learned.push(...files);
  }

  /** What is to be kept since it was last asked. */
  takeLearned(): readonly KnownFile[] {
    const learned = this.#learned;
    this.#learned = [];
    return learned;
  }

  /** Keeps what was found; where nothing can be written, nothing is kept. */
  save(): void {
    const learned = this.takeLearned();
    if (this.#folder === null || learned.length === 0) return;
    const files = new Map(readIndex(this.#folder).map((row) => [row[0], row]));
    for (const { path, state, sha256, isSession } of learned) {
      files.delete(path);
      files.set(path, [path, state, sha256, isSession ? SESSION : '']);
    }
    const rows = [...files.values()].slice(-MOST_KNOWN);
    const part = nameOfPart(join(this.#folder, INDEX), 'part');
    try {
      makeFolder(this.#folder, 0o700);
      writeFileSync(part, JSON.stringify({ version: VERSION, sum: sumOf(rows), files: rows }), {
        mode: 0o600,
      });
      renameSync(part, join(this.#folder, INDEX));
    } catch {
      succeeds(() => rmSync(part, { force: true }));
    }
  }
}

type IndexRow = readonly [path: string, state: string, sha256: string, kind: string];

/** The sum of an index: a file that had the digest of another would have its answers. */
function sumOf(files: readonly IndexRow[]): string {
  return sha256Hex(JSON.stringify(files));
}

/** The rows of an index; none if it is damaged or of another version: it only saves reading. */
function readIndex(folder: string): readonly IndexRow[] {
  try {
    const { version, sum, files } = JSON.parse(readFileSync(join(folder, INDEX), 'utf8')) as {
      readonly version: number;
      readonly sum: string;
      readonly files: readonly IndexRow[];
    };
    return version === VERSION && sum === sumOf(files) ? files : [];
  } catch {
    return [];
  }
}

/** Removes what is known of files. */
export function forgetDigests(folder: string): void {
  removeLitter(folder, (name) => name === INDEX);
  // One of somebody else stays: what it says is checked before it is used.
  succeeds(() => rmSync(join(folder, INDEX), { force: true }));
}
