import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { attempt, CcbenchError } from '../../core/base/errors.js';
import { addTo } from '../../core/base/groups.js';
import type { RequestTrace } from '../../core/model/request-trace.js';
import type { Transcript } from '../../core/model/transcript.js';
import { compileTranscript } from '../compiled/compile-transcript.js';
import { readSession } from '../read-transcript.js';
import { transcriptReaders } from '../readers/readers.js';
import { parseRequestTrace } from '../readers/request-trace/parse-request-trace.js';
import { openTranscriptCache } from './compiled-store.js';
import { type DiskFile, fileState, hashFile, isPacked, readPart, sessionFile } from './disk-file.js';
import type { FileDigests } from './file-digests.js';
import { formatOfFile, readForeignSession, rowsOfSession, sessionsInFile } from './foreign-session.js';
import {
  checkIsFile,
  type InputOptions,
  inputId,
  pathOnDisk,
  readInput,
  STDIN,
  sessionPath,
} from './read-input.js';
import { recordedInput, recordingKey, sharedRecording, type TranscriptInput } from './transcript-input.js';

/** Files of Claude Code's subagents. */
const AGENT_FILE = /^agent-.*\.jsonl(?:\.gz)?$/;
const SESSION_ID = /"sessionId"\s*:\s*"([^"\\]+)"/;
/** Bytes in which the first line of a subagent names its session. */
const HEAD_BYTES = 16_384;
const SUBAGENTS = 'subagents';

/** Whether a file is one of a subagent by its name. */
export function isAgentFile(path: string): boolean {
  return AGENT_FILE.test(basename(path));
}

/** The session that a subagent's file belongs to, as a path without its ending; null if nothing tells. Absolute paths. */
export function sessionOfAgent(path: string): string | null {
  const parts = path.split(sep);
  const at = parts.lastIndexOf(SUBAGENTS);
  if (at > 0) return parts.slice(0, at).join(sep);
  const head = attempt(() => readPart(path, 0, HEAD_BYTES).toString('utf8'), '');
  const id = SESSION_ID.exec(head)?.[1];
  return id === undefined ? null : join(dirname(path), id);
}

/** The folder that was looked through last, as long as it does not change. */
let latest: { folder: string; mtimeMs: number; bySession: ReadonlyMap<string, readonly string[]> } | null =
  null;

/** Subagents that lie in the same folder as their sessions, by session. */
function flatAgents(folder: string): ReadonlyMap<string, readonly string[]> {
  const { mtimeMs } = statSync(folder);
  if (latest?.folder === folder && latest.mtimeMs === mtimeMs) return latest.bySession;
  const bySession = new Map<string, string[]>();
  for (const name of readdirSync(folder).filter(isAgentFile).sort()) {
    const session = sessionOfAgent(join(folder, name));
    if (session !== null) addTo(bySession, session, name);
  }
  latest = { folder, mtimeMs, bySession };
  return bySession;
}

/** The subagents of a session, named without its ending: in the folder of its name, and beside it where older clients put them. */
function agentsOfSession(session: string): readonly { readonly name: string; readonly path: string }[] {
  const folder = join(session, SUBAGENTS);
  const own = attempt(() => readdirSync(folder, { recursive: true, encoding: 'utf8' }), [])
    .filter((name) => (name.includes(sep) ? isAgentFile(name) : /\.jsonl(?:\.gz)?$/.test(name)))
    .sort();
  const known = new Set(own.map((name) => basename(name)));
  const agents = attempt(() => flatAgents(dirname(session)).get(session), []) ?? [];
  const flat = agents.filter((name) => !known.has(name));
  return [
    ...own.map((name) => ({ name, path: join(folder, name) })),
    ...flat.map((name) => ({ name, path: join(dirname(session), name) })),
  ];
}

/** Name of the reader of sessions: only they are compiled and have subagents. */
const SESSION_FORMAT = 'claude-code';
/** Smaller sessions are read as fast as their compiled form. */
const SMALLEST_CACHED_BYTES = 262_144;

/** Sessions from this size on stay on disk while they are replayed: a study has all of its sessions open. */
const LARGE_BYTES = 65_536;

const UNKNOWN_DIGESTS = { of: hashFile };

/** A transcript with how its format is called. */
interface LoadedTranscript {
  readonly path: string;
  readonly format: string;
  readonly transcript: Transcript;
}

/** How a file is read, with the digests of files where some are known already. */
export interface LoadOptions extends InputOptions {
  readonly digests?: Pick<FileDigests, 'of'>;
  /** `once`: texts are kept from the first reading on, as far as there is room, and no compiled form is made for later. */
  readonly use?: 'once';
}

/** What was read, with the compiled form where there is one, and the state of the files before. */
interface Reading {
  readonly format: string;
  readonly transcript: Transcript;
  readonly compiled: Uint8Array<SharedArrayBuffer> | null;
  readonly before: readonly ReturnType<typeof fileState>[];
}

/** A sentence without the id that it begins with. */
function withoutId(sentence: string, id: string): string {
  if (sentence.startsWith(`${id}: `)) return sentence.slice(id.length + 2);
  return sentence.startsWith(`${id} is `) ? `the file${sentence.slice(id.length)}` : sentence;
}

/** Replaces the id that readers know with the path as the user wrote it. */
function placeError(error: unknown, path: string, options: InputOptions): unknown {
  if (!(error instanceof CcbenchError) || error.code === 'file-unreadable') return error;
  const id = inputId(path);
  const sentence = withoutId(error.message, id);
  return new CcbenchError(error.code, options.place === undefined ? sentence : `${path}: ${sentence}`, {
    place: options.place ?? { ...error.place, file: path },
    ...(error.hint === null ? {} : { hint: error.hint }),
    cause: error,
  });
}

/** A session file and its subagents. */
function sessionFiles(path: string, options: InputOptions): readonly [DiskFile, ...DiskFile[]] {
  const place = options.place ?? { file: path };
  const { file, session } = sessionPath(path);
  const main: DiskFile = { name: inputId(path), path: pathOnDisk(options.cwd, file), place };
  if (session !== null) return [rowsOfSession(main, session)];
  if (path === STDIN || isAgentFile(path)) return [main];
  const agents = agentsOfSession(resolve(options.cwd, dirname(path), inputId(path))).map((agent) => ({
    ...agent,
    place: { file: agent.name },
  }));
  return [main, ...agents];
}

/** The files that a session is read from; null if they are not all of it: one of several in a file, or what is piped in. */
export function filesOfSession(path: string, options: InputOptions): readonly DiskFile[] | null {
  if (path === STDIN || sessionPath(path).session !== null) return null;
  return sessionFiles(path, options);
}

/** Whether a format is read from these files alone: others have more beside them. */
export function isSelfContained(format: string): boolean {
  return format === SESSION_FORMAT || transcriptReaders.get(format).stream !== undefined;
}

/** The format of a file the user named, by its beginning. */
export function inputFormat(path: string, options: InputOptions): string {
  checkIsFile(path, options);
  try {
    const [main] = sessionFiles(path, options);
    return formatOfFile(main);
  } catch (error) {
    throw placeError(error, path, options);
  }
}

/** The sessions behind a file, each by the name that reads it alone: the file itself unless it holds several. */
export function sessionsOf(path: string, options: InputOptions): readonly string[] {
  if (path === STDIN || sessionPath(path).session !== null) return [path];
  checkIsFile(path, options);
  try {
    const [main] = sessionFiles(path, options);
    const sessions = sessionsInFile(main);
    return sessions.length < 2 ? [path] : sessions.map((session) => `${path}#${session}`);
  } catch (error) {
    throw placeError(error, path, options);
  }
}

/** Reads a request trace as it is. */
export function parseTrace(path: string, options: InputOptions): RequestTrace {
  const bytes = readInput(path, options);
  try {
    return parseRequestTrace(bytes, { id: inputId(path) });
  } catch (error) {
    throw placeError(error, path, options);
  }
}

/** Loads a recording or trace in any known format, a session together with the subagents beside it. */
export function loadTranscript(path: string, options: LoadOptions): LoadedTranscript {
  const { format, transcript } = readPath(path, options);
  return { path, format, transcript: pricedOn(transcript, options) };
}

/** A transcript with the day whose prices are asked for, and the prices that are given. */
function pricedOn(transcript: Transcript, { priceDay, models }: InputOptions): Transcript {
  if (priceDay === undefined && models === undefined) return transcript;
  return {
    ...transcript,
    ...(priceDay === undefined ? {} : { priceDay }),
    ...(models === undefined ? {} : { models }),
  };
}

function readPath(path: string, options: LoadOptions): Reading {
  checkIsFile(path, options);
  try {
    return load(sessionFiles(path, options), { ...options, session: sessionPath(path).session });
  } catch (error) {
    throw placeError(error, path, options);
  }
}

function load(
  files: readonly [DiskFile, ...DiskFile[]],
  options: LoadOptions & { readonly session: string | null },
): Reading {
  const [main] = files;
  const id = main.name;
  const before = files.map(fileState);
  const { cache: choice = 'off' } = options;
  const isCached = choice !== 'off' && options.session === null && before[0]!.bytes >= SMALLEST_CACHED_BYTES;
  const { digests = UNKNOWN_DIGESTS } = options;
  const cache = isCached ? openTranscriptCache(files, id, { kept: choice.folder, digests }) : null;
  const cached = cache?.read() ?? null;
  if (cached !== null) return { format: SESSION_FORMAT, ...cached, before };
  const format = formatOfFile(main);
  if (format !== SESSION_FORMAT) {
    const transcript = readForeignSession(main, { ...options, format });
    return { format, transcript, compiled: null, before };
  }
  const texts = options.use === 'once' ? 'at-hand' : 'in-file';
  const transcript = readSession(
    files.map((file) => sessionFile(file, texts)),
    { id },
  );
  if (cache === null || options.use === 'once' || !isDeepStrictEqual(files.map(fileState), before)) {
    return { format, transcript, compiled: null, before };
  }
  return { format, ...cache.write(transcript), before };
}

function keyOf(
  [main, ...agents]: readonly [DiskFile, ...DiskFile[]],
  { digests = UNKNOWN_DIGESTS }: LoadOptions,
): string {
  const hashes = agents.map((file) => ({ name: file.name, sha256: digests.of(file) }));
  return recordingKey(main.name, digests.of(main), hashes);
}

/** A recording or trace as it travels to whoever replays it: read once, here, unless its files change meanwhile. */
export function loadTranscriptInput(
  path: string,
  options: LoadOptions,
): LoadedTranscript & { readonly input: TranscriptInput } {
  const { format, transcript, compiled, before } = readPath(path, options);
  const files = sessionFiles(path, options);
  const isWhole = files.every(({ bytes }) => bytes === undefined);
  if (isWhole && before.some(({ bytes }) => bytes >= LARGE_BYTES) && !files.some(isPacked)) {
    const key = keyOf(files, options);
    if (isDeepStrictEqual(files.map(fileState), before)) {
      const shared = files.map((file) => ({ name: file.name, path: file.path }));
      const form = compiled ?? compileTranscript(transcript);
      const input = { kind: 'shared', key, id: files[0].name, compiled: form, files: shared } as const;
      return { path, format, transcript, input };
    }
  }
  const [main, ...agents] = files.map((file) => ({
    name: file.name,
    bytes: file.bytes ?? readInput(file.path, { ...options, place: file.place }),
  }));
  const recorded = recordedInput(main!.name, main!.bytes, agents);
  const input = isDeepStrictEqual(files.map(fileState), before)
    ? sharedRecording(recorded, compiled ?? compileTranscript(transcript))
    : recorded;
  return { path, format, transcript, input };
}
