import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { CcbenchError } from '../../core/base/errors.js';
import { isAtWork } from '../../transcripts/files/litter.js';
import { remedyFor, whyUnwritable } from '../../transcripts/files/why-unwritable.js';

/** Names of what a process of some machine is writing. */
const BEING_WRITTEN = /\.([\w-]+)\.(\d+)\.(?:\d+\.)?part$/;

/** Something unfinished of another machine, whose processes cannot be seen, is given up after so long without a change. */
const GIVEN_UP_MS = 86_400_000;

let written = 0;

/** This process among those of all machines that write into a folder. */
export function writerName(): string {
  return `${hostname().replace(/[^\w-]/g, '-')}.${process.pid}`;
}

/** The error for a folder of results that cannot be written. */
export function unwritable(
  path: string,
  error: unknown,
  elsewhere = 'choose another folder with --results',
): CcbenchError {
  if (error instanceof CcbenchError) return error;
  return new CcbenchError('output-unwritable', `${path} cannot be written: ${whyUnwritable(error)}`, {
    hint: remedyFor(error, elsewhere),
    cause: error,
  });
}

/** Writes a file whole or not at all: under a name of its own first, then in its place. */
export function writeWhole(
  path: string,
  data: string | Uint8Array,
  fail = (error: unknown): CcbenchError => unwritable(path, error),
): void {
  const fresh = `${path}.${writerName()}.${written++}.part`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(fresh, data);
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw fail(error);
  }
}

/** Removes what killed processes left unfinished in a folder. */
export function removeUnfinished(folder: string): void {
  const own = writerName().split('.')[0];
  for (const name of namesIn(folder)) {
    const [, host, pid] = BEING_WRITTEN.exec(name) ?? [];
    if (host === undefined) continue;
    const path = join(folder, name);
    try {
      const isLeft =
        host === own ? !isAtWork(Number(pid)) : Date.now() - statSync(path).mtimeMs > GIVEN_UP_MS;
      if (isLeft) rmSync(path, { force: true });
    } catch {
      // Another process was faster.
    }
  }
}

/** The names in a folder, sorted; none where there is no folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
