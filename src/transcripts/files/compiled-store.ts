import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { Transcript } from '../../core/model/transcript.js';
import { compileTranscript } from '../compiled/compile-transcript.js';
import { COMPILED_VERSION } from '../compiled/layout.js';
import { loadCompiled } from '../compiled/load-compiled.js';
import { type DiskFile, fileSource, hashFile } from './disk-file.js';
import { nameOfPart, removeLitter } from './litter.js';

/** Folder of compiled transcripts below the one of everything that is kept. */
export const COMPILED_FOLDER = 'transcripts';

/** Bytes that are kept; beyond them, what was used longest ago goes. */
export const MOST_KEPT_BYTES = 536_870_912;

/** Names of entries: a digest of what they were made from. */
const ENTRY = /^[0-9a-f]{64}\.bin$/;
const isEntryPart = (owner: string): boolean => /^[0-9a-f]{64}\.\d+\.bin$/.test(owner);

/** One entry: its file, its size, and when it was used last. */
interface Entry {
  readonly path: string;
  readonly bytes: number;
  readonly usedMs: number;
}

/** The entries in a folder; none where there is no such folder. */
export function compiledEntries(folder: string): readonly Entry[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = join(folder, name);
    const found = ENTRY.test(name) ? statSync(path, { throwIfNoEntry: false }) : undefined;
    return found === undefined ? [] : [{ path, bytes: found.size, usedMs: found.mtimeMs }];
  });
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is somebody else's, or in use: the next one may.
  }
}

/** Removes what was used longest ago until the rest fits; the entry that was just written stays. */
function makeRoom(folder: string, written: string, mostBytes: number): void {
  const entries = compiledEntries(folder)
    .filter(({ path }) => path !== written)
    .sort((a, b) => b.usedMs - a.usedMs || (a.path < b.path ? -1 : 1));
  let bytes = statSync(written).size;
  for (const entry of entries) {
    bytes += entry.bytes;
    if (bytes > mostBytes) remove(entry.path);
  }
}

/** The bytes of an entry; null where there is none. It counts as used now. @internal */
export function readEntry(folder: string, key: string): Uint8Array | null {
  const path = join(folder, `${key}.bin`);
  try {
    const bytes = readFileSync(path);
    const now = new Date();
    try {
      utimesSync(path, now, now);
    } catch {
      // Read-only: it is as old as it looks.
    }
    return bytes;
  } catch {
    return null;
  }
}

/**
 * Keeps an entry. It is made under a name of its own and moved into place whole, so any number of processes may do so at once. Where
 * nothing can be written, nothing is kept.
 * @internal
 */
export function writeEntry(
  folder: string,
  key: string,
  bytes: Uint8Array,
  mostBytes = MOST_KEPT_BYTES,
): void {
  const path = join(folder, `${key}.bin`);
  const part = nameOfPart(join(folder, `${key}.${threadId}.bin`), 'part');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeLitter(folder, isEntryPart);
    writeFileSync(part, bytes, { mode: 0o600 });
    renameSync(part, path);
    makeRoom(folder, path, mostBytes);
  } catch {
    remove(part);
  }
}

/** Removes all entries and what killed processes left of them. */
export function removeEntries(folder: string): void {
  removeLitter(folder, isEntryPart);
  for (const { path } of compiledEntries(folder)) remove(path);
}

/** Compiled transcripts on disk, found by the content of the files they were made from. */
interface TranscriptCache {
  /** The transcript of the files, where an intact one is kept. */
  read(): CompiledTranscript | null;
  /** Keeps a transcript; where nothing can be written, nothing is kept. */
  write(transcript: Transcript): CompiledTranscript;
}

/** A transcript and its compiled form, which threads can share. */
interface CompiledTranscript {
  readonly transcript: Transcript;
  readonly compiled: Uint8Array<SharedArrayBuffer>;
}

function keyOf(files: readonly DiskFile[], id: string): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([COMPILED_VERSION, id]));
  for (const file of files) {
    hash.update(JSON.stringify([file.name, hashFile(file)]));
  }
  return hash.digest('hex');
}

function sharedCopy(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** Opens the place of a session's files in the cache below a folder; the whole files are read for it once. */
export function openTranscriptCache(files: readonly DiskFile[], id: string, kept: string): TranscriptCache {
  const folder = join(kept, COMPILED_FOLDER);
  const key = keyOf(files, id);
  return {
    read() {
      const bytes = readEntry(folder, key);
      if (bytes === null) return null;
      const compiled = sharedCopy(bytes);
      const byName = new Map(files.map((file) => [file.name, file] as const));
      const source = (name: string) => fileSource(byName.get(name)!);
      const transcript = loadCompiled(compiled, { id, source });
      return transcript === null ? null : { transcript, compiled };
    },
    write(transcript) {
      const compiled = compileTranscript(transcript);
      writeEntry(folder, key, compiled);
      return { transcript, compiled };
    },
  };
}
