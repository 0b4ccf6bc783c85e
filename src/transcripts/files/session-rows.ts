import { CcbenchError } from '../../core/base/errors.js';
import { createWarnings } from '../../core/run/warning.js';
import { splitLines } from '../lines/byte-lines.js';
import { decodeUtf8, parseObject, unpackBytes } from '../lines/json-lines.js';
import { transcriptReaders } from '../readers/readers.js';
import { type DiskFile, fileChunks, fileHead, fileState, isPacked, readPart } from './disk-file.js';
import { formatOfFile } from './foreign-session.js';
import { isDatabase } from './opencode-database.js';

/** Where the rows of each session lie in a file: starts and ends in turn, sessions in the order in which they begin. */
interface RowIndex {
  readonly path: string;
  readonly state: ReturnType<typeof fileState>;
  /** The whole of a packed file, which has no places to go back to. */
  readonly plain: Buffer | null;
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** The index made last: sessions of a file are read one after the other. */
let latest: RowIndex | null = null;

function makeIndex(file: DiskFile): RowIndex {
  const { sessionOf } = transcriptReaders.get(formatOfFile(file));
  const places = new Map<string, number[]>();
  const index = { path: file.path, state: fileState(file), places };
  if (sessionOf === undefined) return { ...index, plain: null };
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
  return isDatabase(fileHead(file)) ? [] : [...indexOf(file).places.keys()];
}

/** Sessions that are named where one is not there. */
const NAMED_SESSIONS = 5;

/** The file with nothing but the rows of one session; a database, which finds its sessions itself, as it is. */
export function rowsOfSession(file: DiskFile, session: string): DiskFile {
  if (isDatabase(fileHead(file))) return file;
  const { places, plain } = indexOf(file);
  const own = places.get(session);
  if (own === undefined) {
    const known = [...places.keys()].slice(0, NAMED_SESSIONS).join(', ');
    throw new CcbenchError('bad-transcript', `the file has no session ${session}`, {
      hint: known === '' ? 'it holds one session: name the file alone' : `its first sessions are ${known}`,
      place: file.place,
    });
  }
  const parts: Uint8Array[] = [];
  for (let i = 0; i < own.length; i += 2) {
    const [start, end] = [own[i]!, own[i + 1]!];
    parts.push(plain === null ? readPart(file.path, start, end - start) : plain.subarray(start, end));
  }
  return { ...file, bytes: Buffer.concat(parts) };
}
