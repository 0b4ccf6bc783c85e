import { mkdtempSync, readdirSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isatty } from 'node:tty';
import { CcbenchError, type Place } from '../../core/base/errors.js';
import type { PlannedModel } from '../../core/run/run-plan.js';

/** What represents standard input where a file is read. */
export const STDIN = '-';

const DESCRIPTOR = 0;
const CHUNK_BYTES = 65_536;
/** Time to wait for a writer who has nothing to say yet. */
const WAIT_MS = 20;

let spooled: string | null = null;

function readAll(): Buffer {
  const chunks: Buffer[] = [];
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (true) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let bytes: number;
    try {
      bytes = readSync(DESCRIPTOR, chunk, 0, CHUNK_BYTES, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') break;
      if (code !== 'EAGAIN')
        throw new CcbenchError('file-unreadable', `standard input cannot be read: ${code}`, {
          place: { file: STDIN },
          hint: 'name a file instead',
          cause: error,
        });
      Atomics.wait(pause, 0, 0, WAIT_MS);
      continue;
    }
    if (bytes === 0) break;
    chunks.push(chunk.subarray(0, bytes));
  }
  return Buffer.concat(chunks);
}

/** The file that holds what came in on standard input: readers go back and forth in it. It is read once, and goes away with the process. */
function stdinFile(): string {
  if (spooled !== null) return spooled;
  if (isatty(DESCRIPTOR))
    throw new CcbenchError('bad-usage', '- reads standard input, and nothing is piped into it', {
      hint: 'name a file, or pipe one: cat session.jsonl | ccbench inspect -',
    });
  const bytes = readAll();
  const folder = mkdtempSync(join(tmpdir(), 'ccbench-stdin-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  spooled = join(folder, 'stdin');
  writeFileSync(spooled, bytes, { mode: 0o600 });
  return spooled;
}

/** Where a file that a user named lies on disk. */
export function pathOnDisk(cwd: string, path: string): string {
  return path === STDIN ? stdinFile() : resolve(cwd, path);
}

/** Endings of recordings. */
const RECORDING = /\.jsonl?(?:\.(?:gz|zst))?$/;

/** Where a path was named; the path itself unless something names a better place. */
export interface InputOptions {
  readonly cwd: string;
  readonly place?: Place;
  /** Where compiled transcripts are kept and used again; off unless asked for. */
  readonly cache?: CacheChoice;
  /** Day whose prices count for all requests, in place of the day of each. */
  readonly priceDay?: string;
  /** Models whose prices the user gives. */
  readonly models?: readonly PlannedModel[];
}

/** The folder below which compiled transcripts are kept, or none. */
export type CacheChoice = 'off' | { readonly folder: string };

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EACCES' || code === 'EPERM') return 'no permission';
  if (code === 'ERR_FS_FILE_TOO_LARGE') return 'it is larger than 2 GiB';
  return code ?? String(error);
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** A name without its last ending. */
function stemOf(name: string): string {
  return name.replace(/\.[^.]+$/, '').toLowerCase();
}

/** A file beside a missing one that has the same name with another ending, or none; null if there is none. */
function withOtherEnding(path: string, cwd: string): string | null {
  const wanted = basename(path);
  try {
    const names = readdirSync(pathOnDisk(cwd, dirname(path)), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
    const found = names.find(
      (name) => stemOf(name) === wanted.toLowerCase() || stemOf(name) === stemOf(wanted),
    );
    return found === undefined ? null : join(dirname(path), found);
  } catch {
    return null;
  }
}

/** What stands at a path the user named. */
export function kindOfInput(path: string, options: InputOptions): 'file' | 'folder' {
  const place = options.place ?? { file: path };
  try {
    return statSync(pathOnDisk(options.cwd, sessionPath(path).file)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    if (error instanceof CcbenchError) throw error;
    if (isMissing(error)) {
      const other = withOtherEnding(path, options.cwd);
      const from = options.place?.line === undefined ? 'the current folder' : 'the folder of the scenario';
      const hints = [
        ...(other === null ? [] : [`did you mean ${other}?`]),
        ...(isAbsolute(path) ? [] : [`paths are relative to ${from}`]),
      ];
      throw new CcbenchError('file-missing', `there is no file ${path}`, {
        place,
        ...(hints.length > 0 ? { hint: hints.join(' ') } : {}),
      });
    }
    throw unreadable(path, place, error);
  }
}

/** Throws when there is no file at a path the user named. */
export function checkIsFile(path: string, options: InputOptions): void {
  if (kindOfInput(path, options) === 'file') return;
  throw new CcbenchError('bad-input', `${path} is a folder`, {
    place: options.place ?? { file: path },
    hint: 'name a file in it',
  });
}

/** The bytes of a file the user named. */
export function readInput(path: string, options: InputOptions): Uint8Array {
  const place = options.place ?? { file: path };
  checkIsFile(path, options);
  try {
    return readFileSync(pathOnDisk(options.cwd, path));
  } catch (error) {
    throw unreadable(path, place, error);
  }
}

/** The error for a file that is there and cannot be read. */
export function unreadable(path: string, place: Place, error: unknown): CcbenchError {
  return new CcbenchError('file-unreadable', `${path} cannot be read: ${reasonOf(error)}`, {
    place,
    cause: error,
  });
}

/** The error for a file without a byte. */
export function emptyInput(place: Place): CcbenchError {
  return new CcbenchError('bad-input', 'the file is empty', { place });
}

/** The error for a file that is no text. */
export function binaryInput(place: Place, cause: unknown): CcbenchError {
  return new CcbenchError('bad-input', 'the file is binary, not text', {
    place,
    hint: 'it must be text in UTF-8',
    cause,
  });
}

/** The text of a file the user named; anything but UTF-8 text is an error. */
export function readTextInput(path: string, options: InputOptions): string {
  const bytes = readInput(path, options);
  const place = options.place ?? { file: path };
  if (bytes.length === 0) throw emptyInput(place);
  if (bytes.length > MAX_TEXT_BYTES) {
    throw new CcbenchError('bad-input', 'the file is larger than 256 MiB', {
      place,
      hint: 'it is read in one piece; check that it is the right file',
    });
  }
  try {
    if (bytes.subarray(0, 8_192).includes(0)) throw new TypeError('a zero byte');
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw binaryInput(place, cause);
  }
}

/** Largest text that is read in one piece. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

/** What a name may hold and no line of a table. */
const CONTROL = /\p{Cc}/gu;

/** A session inside a file that holds several, as a user names it: `opencode.db#ses_…`. */
const SESSION_IN_FILE = /^(.*\.(?:db|(?:jsonl?|ndjson)(?:\.(?:gz|zst))?))#([^#]+)$/;

/** The file of a path that a user named, and the session inside it where one is named too. */
export function sessionPath(path: string): { readonly file: string; readonly session: string | null } {
  const found = SESSION_IN_FILE.exec(path);
  return found === null ? { file: path, session: null } : { file: found[1]!, session: found[2]! };
}

/** The name a file gives to what is in it: no folder, no extension, the same packed and unpacked, on one line. */
export function inputId(path: string): string {
  if (path === STDIN) return 'stdin';
  const { file, session } = sessionPath(path);
  const name = basename(file).replace(RECORDING, '');
  return (session === null ? name : `${name}#${session}`).replace(CONTROL, '_');
}
