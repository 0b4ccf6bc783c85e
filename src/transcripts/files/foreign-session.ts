import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { attempt, CcbenchError } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import type { Transcript } from '../../core/model/transcript.js';
import { createWarnings } from '../../core/run/warning.js';
import { splitLines } from '../lines/byte-lines.js';
import { decodeUtf8, parseObject, unpackBytes } from '../lines/json-lines.js';
import { type JsonObject, objectsOf, textOf } from '../lines/narrow.js';
import { detectReader, transcriptReaders } from '../readers/readers.js';
import {
  type DiskFile,
  fileChunks,
  fileHead,
  fileState,
  isPacked,
  plainChunks,
  readParts,
  sessionFile,
} from './disk-file.js';
import { isDatabase, nodeSqlite, readOpencodeDatabase } from './opencode-database.js';
import { type InputOptions, readInput } from './read-input.js';

/** Bytes at the start of a file that tell its format. */
const FORMAT_BYTES = 131_072;

/** Where the rows of each session lie in a file: starts and ends in turn, sessions in the order in which they begin. */
interface RowIndex {
  readonly path: string;
  readonly format: string;
  /** A database finds its sessions itself. */
  readonly isDatabase: boolean;
  readonly state: ReturnType<typeof fileState>;
  /** The whole of a packed file, which has no places to go back to. */
  readonly plain: Buffer | null;
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** The index made last: sessions of a file are read one after the other. */
let latest: RowIndex | null = null;

function makeIndex(file: DiskFile): RowIndex {
  const kind = kindOf(file);
  const { sessionOf } = transcriptReaders.get(kind.format);
  const places = new Map<string, number[]>();
  const index = {
    path: file.path,
    ...kind,
    state: fileState(file),
    places,
  };
  if (sessionOf === undefined || index.isDatabase) return { ...index, plain: null };
  const plain = isPacked(file)
    ? unpackBytes(Buffer.concat([...fileChunks(file)].map((chunk) => Buffer.from(chunk))), {
        name: file.name,
        warnings: createWarnings(),
      })
    : null;
  for (const { buffer, start, end, offset } of splitLines(
    plain === null ? fileChunks(file) : [plain],
    file.name,
  )) {
    const row = parseObject(decodeUtf8(buffer, start, end));
    const session = row === null ? null : sessionOf(row);
    if (session === null) continue;
    const own = places.get(session);
    const after = offset + end - start + 1;
    if (own === undefined) places.set(session, [offset, after]);
    else if (own.at(-1) === offset) own[own.length - 1] = after;
    else own.push(offset, after);
  }
  return { ...index, plain };
}

function indexOf(file: DiskFile): RowIndex {
  const { bytes, mtimeMs } = fileState(file);
  const isLatest =
    latest?.path === file.path && latest.state.bytes === bytes && latest.state.mtimeMs === mtimeMs;
  if (!isLatest) latest = makeIndex(file);
  return latest!;
}

/** The names of the sessions in a file whose rows say which they belong to; none for every other file. */
export function sessionsInFile(file: DiskFile): readonly string[] {
  return [...indexOf(file).places.keys()];
}

/** Sessions that are named where one is not there. */
const NAMED_SESSIONS = 5;

/** The file with nothing but the rows of one session; a database, which finds its sessions itself, as it is. */
export function rowsOfSession(file: DiskFile, session: string): DiskFile {
  const { places, plain, format, isDatabase: isWhole } = indexOf(file);
  if (isWhole) return file;
  const own = places.get(session);
  if (own === undefined) {
    const known = [...places.keys()].slice(0, NAMED_SESSIONS).join(', ');
    throw new CcbenchError('bad-transcript', `the file has no session ${session}`, {
      hint: known === '' ? 'it holds one session: name the file alone' : `its first sessions are ${known}`,
      place: file.place,
    });
  }
  const parts =
    plain === null
      ? readParts(file.path, own)
      : own.flatMap((start, i) => (i % 2 === 0 ? [plain.subarray(start, own[i + 1]!)] : []));
  return { ...file, format, bytes: Buffer.concat(parts) };
}

/** The JSON objects of a folder's files in the order of their names; those half written are left out. */
function jsonFolder(folder: string): readonly JsonObject[] {
  const names = attempt(() => readdirSync(folder), []).filter((name) => name.endsWith('.json'));
  return names
    .sort()
    .flatMap((name) => attempt(() => objectsOf([JSON.parse(readFileSync(join(folder, name), 'utf8'))]), []));
}

/** The state of an OpenHands conversation together with the events of its folder; null for any other file. */
function readOpenhandsFolder(path: string, bytes: Uint8Array): Uint8Array | null {
  if (basename(path) !== 'base_state.json') return null;
  const events = jsonFolder(join(dirname(path), 'events'));
  if (events.length === 0) return null;
  const state = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8').trim();
  return Buffer.from(`[${state},${JSON.stringify({ events })}]`);
}

/** A session's own file in the storage folder of opencode 1.x. */
const SESSION_FILE = /[\\/]storage[\\/]session[\\/][^\\/]+[\\/](ses_[^\\/]+)\.json$/;

/** The session of a storage folder in the form of `opencode export`; null for any other file. Files half-written are left out. */
function readOpencodeStorage(path: string, bytes: Uint8Array): Uint8Array | null {
  const session = SESSION_FILE.exec(path)?.[1];
  if (session === undefined) return null;
  const storage = join(dirname(path), '..', '..');
  const messages = jsonFolder(join(storage, 'message', session)).map((info) => ({
    info,
    parts: jsonFolder(join(storage, 'part', basename(textOf(info.id) ?? '-'))),
  }));
  if (messages.length === 0) return null;
  const info = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return Buffer.from(`{"info":${info},"messages":${JSON.stringify(messages)}}`);
}

/** Name of the reader of what databases hold. */
const DATABASE_FORMAT = 'opencode';
/** Formats that spread a session over a folder, with what brings its files together. */
const GATHERED: Readonly<Record<string, (path: string, bytes: Uint8Array) => Uint8Array | null>> = {
  opencode: readOpencodeStorage,
  openhands: readOpenhandsFolder,
};
/** The format of a file, and whether it is a database, by its beginning. */
function kindOf(file: DiskFile): Pick<RowIndex, 'format' | 'isDatabase'> {
  const head = fileHead(file, FORMAT_BYTES);
  if (isDatabase(head)) return { format: file.format ?? DATABASE_FORMAT, isDatabase: true };
  const whole = () => plainChunks(file);
  return { format: file.format ?? detectReader(head, { id: file.name, whole }), isDatabase: false };
}

/** The format of a file, by its beginning. */
export function formatOfFile(file: DiskFile): string {
  return file.format ?? kindOf(file).format;
}

/** Reads a session that is not Claude Code's, together with the files of its folder that belong to it. */
export function readForeignSession(
  file: DiskFile,
  options: InputOptions & { readonly format: string; readonly session: string | null },
): Transcript {
  const { format, session } = options;
  const { name: id, path, place } = file;
  const reader = transcriptReaders.get(format);
  if (isDatabase(fileHead(file))) {
    const { bytes, others } = readOpencodeDatabase(path, { session, sqlite: nodeSqlite(), id, place });
    const transcript = reader.read(bytes, { id });
    if (session !== null || others === 0) return transcript;
    const warning = {
      code: 'other-sessions',
      message: 'the database holds other sessions; the latest one is read',
      remedy: 'name another one after the file: opencode.db#ses_…',
      count: others,
    };
    return { ...transcript, warnings: [...transcript.warnings, warning] };
  }
  const own = reader.stream === undefined ? null : sessionFile(file);
  if (own !== null && 'chunks' in own) return reader.stream!(own, { id });
  const bytes = file.bytes ?? readInput(path, options);
  const beside = (name: string): Uint8Array | null => {
    return attempt(() => readFileSync(join(dirname(path), name)), null);
  };
  return reader.read(ownValue(GATHERED, format)?.(path, bytes) ?? bytes, { id, beside });
}
