import { CcbenchError } from '../../core/base/errors.js';
import { createWarnings } from '../../core/run/warning.js';
import { splitLines } from '../lines/byte-lines.js';
import { decodeUtf8, parseObject, unpackBytes } from '../lines/json-lines.js';
import { transcriptReaders } from '../readers/readers.js';
import { type DiskFile, fileChunks, fileHead, fileState, isPacked, readParts } from './disk-file.js';
import { formatOfFile } from './foreign-session.js';
import { isDatabase } from './opencode-database.js';

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
  const format = formatOfFile(file);
  const { sessionOf } = transcriptReaders.get(format);
  const places = new Map<string, number[]>();
  const index = {
    path: file.path,
    format,
    isDatabase: isDatabase(fileHead(file)),
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
