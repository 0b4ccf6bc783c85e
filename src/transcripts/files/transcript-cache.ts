import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Transcript } from '../../core/model/transcript.js';
import { compileTranscript } from '../compiled/compile-transcript.js';
import { COMPILED_VERSION } from '../compiled/layout.js';
import { loadCompiled } from '../compiled/load-compiled.js';
import { COMPILED_FOLDER, readEntry, writeEntry } from './compiled-store.js';
import { type DiskFile, fileSource, hashFile } from './disk-file.js';

/** Compiled transcripts on disk, found by the content of the files they were made from. */
export interface TranscriptCache {
  /** The transcript of the files, where an intact one is kept. */
  read(): CompiledTranscript | null;
  /** Keeps a transcript; where nothing can be written, nothing is kept. */
  write(transcript: Transcript): CompiledTranscript;
}

/** A transcript and its compiled form, which threads can share. */
export interface CompiledTranscript {
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
