import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/base/errors.js';
import { readAt } from './disk-file.js';
import { nameOfPart, removeLitter } from './litter.js';
import { makeFolder } from './make-folder.js';

const NAME = 'waiting';

/** Bytes that wait on disk until somebody asks for them. Nobody else can: their file has no name, and is gone with the process. */
export class WaitingFile {
  readonly #folder: string;
  /** Null if none can be made; undefined before the first bytes. */
  #file: number | null | undefined;
  #end = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Puts bytes away, and says how to get them back; where they cannot be written, they wait in memory. */
  put(bytes: Uint8Array): () => Uint8Array {
    // No function is made here: it would hold the bytes as long as there is one.
    const start = this.#end;
    return this.#isWritten(bytes) ? this.#reading(start, bytes.length) : held(new Uint8Array(bytes));
  }

  #isWritten(bytes: Uint8Array): boolean {
    if (this.#file === undefined) this.#file = attempt(() => openNameless(this.#folder), null);
    const file = this.#file;
    if (file === null || attempt(() => writeSync(file, bytes, 0, bytes.length, this.#end), 0) < bytes.length)
      return false;
    this.#end += bytes.length;
    return true;
  }

  #reading(start: number, length: number): () => Uint8Array {
    const file = this.#file!;
    return () => readAt(file, start, length);
  }

  /** Nothing is asked for any more. */
  close(): void {
    if (typeof this.#file === 'number') closeSync(this.#file);
    this.#file = null;
  }
}

function held(bytes: Uint8Array): () => Uint8Array {
  return () => bytes;
}

function openNameless(folder: string): number {
  makeFolder(folder, 0o700);
  removeLitter(folder, (owner) => owner === NAME);
  const path = join(folder, nameOfPart(NAME, 'part'));
  const file = openSync(path, 'w+', 0o600);
  rmSync(path, { force: true });
  return file;
}
