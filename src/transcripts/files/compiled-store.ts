import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';
import { attempt, succeeds } from '../../core/base/errors.js';
import type { Transcript } from '../../core/model/transcript.js';
import { compileTranscript } from '../compiled/compile-transcript.js';
import { COMPILED_VERSION } from '../compiled/layout.js';
import { loadCompiled } from '../compiled/load-compiled.js';
import { type DiskFile, fileSource, readPart } from './disk-file.js';
import type { FileDigests } from './file-digests.js';
import { nameOfPart, removeLitter } from './litter.js';
import { makeFolder } from './make-folder.js';

/** Folder of compiled transcripts below the one of everything that is kept. */
export const COMPILED_FOLDER = 'transcripts';

/** Folder of what `why` found, beside it. */
export const WHY_FOLDER = 'why';

/** Bytes that are kept in each of them; beyond them, what was used longest ago goes. */
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

/** The entries in a folder; none if there is no such folder. */
export function compiledEntries(folder: string): readonly Entry[] {
  return attempt(() => readdirSync(folder), []).flatMap((name) => {
    const path = join(folder, name);
    const found = ENTRY.test(name) ? statSync(path, { throwIfNoEntry: false }) : undefined;
    return found === undefined ? [] : [{ path, bytes: found.size, usedMs: found.mtimeMs }];
  });
}

/** Removes a file; what is somebody else's, or in use, the next one may. */
function remove(path: string): void {
  succeeds(() => rmSync(path, { force: true }));
}

/** What part of all that is kept may be written before it is looked at again: looking at every entry for each would take longest. */
const UNCHECKED_SHARE = 1 / 16;

/** Bytes that this process has written to folders since it looked at them; none if it has not yet looked. */
const unchecked = new Map<string, number>();

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

/** The bytes of an entry; null if there is none. It counts as used now. @internal */
export function readEntry(folder: string, key: string): Uint8Array | null {
  const bytes = attempt(() => readFileSync(join(folder, `${key}.bin`)), null);
  if (bytes !== null) touchEntry(folder, key);
  return bytes;
}

/** Some bytes of an entry, as many as there are; null if it is gone. */
export function readEntryPart(
  folder: string,
  key: string,
  offset: number,
  length: number,
): Uint8Array | null {
  return attempt(() => readPart(join(folder, `${key}.bin`), offset, length), null);
}

/** Counts an entry as used now; a read-only one is as old as it looks. */
export function touchEntry(folder: string, key: string): void {
  const now = new Date();
  succeeds(() => utimesSync(join(folder, `${key}.bin`), now, now));
}

/**
 * Keeps an entry. It is made under a name of its own and moved into place whole, so any number of processes may do so at once. Where
 * nothing can be written, nothing is kept.
 */
export function writeEntry(
  folder: string,
  key: string,
  bytes: Uint8Array,
  mostBytes = MOST_KEPT_BYTES,
): 'kept' | 'not-kept' {
  const path = join(folder, `${key}.bin`);
  const part = nameOfPart(join(folder, `${key}.${threadId}.bin`), 'part');
  try {
    makeFolder(folder, 0o700);
    const waiting = unchecked.get(folder);
    // Parts of other threads look like those of an earlier process with this one's number.
    if (waiting === undefined && isMainThread) tidyEntries(folder);
    writeFileSync(part, bytes, { mode: 0o600 });
    renameSync(part, path);
    const isDue = waiting === undefined || waiting + bytes.length > mostBytes * UNCHECKED_SHARE;
    unchecked.set(folder, isDue ? 0 : waiting + bytes.length);
    if (isDue) makeRoom(folder, path, mostBytes * (1 - UNCHECKED_SHARE));
    return 'kept';
  } catch {
    remove(part);
    return 'not-kept';
  }
}

/** Removes what killed processes left of entries. */
export function tidyEntries(folder: string): void {
  removeLitter(folder, isEntryPart);
}

/** Removes all entries and what killed processes left of them. */
export function removeEntries(folder: string): void {
  tidyEntries(folder);
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

/** What an entry is found by: what makes it, and the names and contents of the files it is made from. */
export function entryKey(made: readonly unknown[], files: readonly (readonly [string, string])[]): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(made));
  for (const file of files) hash.update(JSON.stringify(file));
  return hash.digest('hex');
}

function sharedCopy(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

/** Opens the place of a session's files in the cache below a folder; the whole files are read for it once. */
export function openTranscriptCache(
  files: readonly DiskFile[],
  id: string,
  { kept, digests }: { readonly kept: string; readonly digests: Pick<FileDigests, 'of'> },
): TranscriptCache {
  const folder = join(kept, COMPILED_FOLDER);
  const key = entryKey(
    [COMPILED_VERSION, id],
    files.map((file) => [file.name, digests.of(file)]),
  );
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
