import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Transcript } from '../model/transcript.js';
import { compileTranscript } from '../transcript/compiled/compile-transcript.js';
import { COMPILED_VERSION } from '../transcript/compiled/layout.js';
import { loadCompiled } from '../transcript/compiled/load-compiled.js';
import { type DiskFile, fileChunks, fileSource } from './disk-file.js';

/** Folder of compiled transcripts below the current one; it may be deleted at any time. */
const CACHE_FOLDER = join('.ccbench', 'cache');

/** Compiled transcripts on disk, found by the content of the files they were made from. */
export interface TranscriptCache {
  /** The transcript of the files, where an intact one is kept. */
  read(): Transcript | null;
  /** Keeps a transcript; where nothing can be written, nothing is kept. */
  write(transcript: Transcript): void;
}

function keyOf(files: readonly DiskFile[], id: string): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([COMPILED_VERSION, id]));
  for (const file of files) {
    const content = createHash('sha256');
    for (const chunk of fileChunks(file)) content.update(chunk);
    hash.update(JSON.stringify([file.name, content.digest('hex')]));
  }
  return hash.digest('hex');
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Where nothing could be written, nothing can be removed.
  }
}

/** Opens the place of a session's files in the cache; the whole files are read for it once. */
export function openTranscriptCache(files: readonly DiskFile[], id: string, cwd: string): TranscriptCache {
  const folder = join(cwd, CACHE_FOLDER);
  const path = join(folder, `${keyOf(files, id)}.bin`);
  return {
    read() {
      let bytes: Uint8Array;
      try {
        bytes = readFileSync(path);
      } catch {
        return null;
      }
      const byName = new Map(files.map((file) => [file.name, file] as const));
      return loadCompiled(bytes, { id, source: (name) => fileSource(byName.get(name)!) });
    },
    write(transcript) {
      const bytes = compileTranscript(transcript);
      const part = `${path}.${process.pid}.part`;
      try {
        mkdirSync(folder, { recursive: true });
        writeFileSync(part, bytes);
        renameSync(part, path);
      } catch {
        remove(part);
      }
    },
  };
}
