import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { attempt, CcbenchError } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import { decodeHead } from '../lines/json-lines.js';
import { transcriptReaders } from '../readers/readers.js';
import { fileHead, readPart } from './disk-file.js';
import type { LeftOut } from './find-sessions.js';
import { expandGlob } from './glob.js';
import { withHome } from './home.js';
import { sessionPath } from './read-input.js';
import { inputFormat, isAgentFile } from './transcripts.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Folders of the home folder that the environment may put elsewhere. */
const MOVED: readonly (readonly [folder: string, variable: string])[] = [
  ['.claude', 'CLAUDE_CONFIG_DIR'],
  ['.codex', 'CODEX_HOME'],
  ['.local/share', 'XDG_DATA_HOME'],
  ['.config', 'XDG_CONFIG_HOME'],
];

/** Where the sessions of an agent are looked for. */
export interface UsualPlace {
  readonly agent: string;
  /** An absolute pattern. */
  readonly pattern: string;
}

/** A session that was found, as far as its beginning and its end tell. */
export interface FoundSession {
  readonly file: string;
  readonly agent: string;
  /** The folder the agent worked in; the folder of the file where it does not tell. */
  readonly project: string;
  /** First and last day, as the session tells it; null if it does not. */
  readonly from: string | null;
  readonly to: string | null;
  /** The last time near its end; null if only reading all of it can tell. */
  readonly endedAtMs: number | null;
  readonly bytes: number;
}

/** Bytes at the end of a file in which the last time is looked for. */
const TAIL_BYTES = 65_536;
const TIME =
  /"(?:timestamp|time|ts|created|startTime|lastUpdated)"\s*:\s*"(\d{4}-\d{2}-\d{2}T[\d:.]+)(Z|[+-]\d{2}:?\d{2})?/g;
const EPOCH = /"(?:timestamp|ts|created|updated|completed|time)"\s*:\s*(1\d{12})\b/g;
const FOLDER = /"(?:cwd|directory|workingDirectory)"\s*:\s*("(?:[^"\\]|\\.)*")/;

/** The places of every known reader, below the home folder or where the environment puts them. */
export function usualPlaces(home: string, env: Environment): readonly UsualPlace[] {
  return transcriptReaders.names.flatMap((agent) =>
    (transcriptReaders.get(agent).places ?? []).map((pattern) => {
      const moved = MOVED.find(
        ([folder, name]) => pattern.startsWith(`${folder}/`) && (ownValue(env, name) ?? '') !== '',
      );
      if (moved === undefined) return { agent, pattern: join(home, pattern) };
      const [folder, name] = moved;
      return {
        agent,
        pattern: join(resolve(withHome(ownValue(env, name)!, home)), pattern.slice(folder.length)),
      };
    }),
  );
}

function tailOf(path: string): { readonly text: string; readonly bytes: number } {
  const { size } = statSync(path);
  const bytes = Math.min(TAIL_BYTES, size);
  return { text: readPart(path, size - bytes, bytes).toString('utf8'), bytes: size };
}

/** The times that a text names, from the earliest on; one without a zone counts as UTC. */
function timesIn(text: string): readonly number[] {
  const written = [...text.matchAll(TIME)].map(([, time, zone = 'Z']) => Date.parse(`${time}${zone}`));
  const counted = [...text.matchAll(EPOCH)].map(([, ms]) => Number(ms));
  return [...written, ...counted].filter((ms) => !Number.isNaN(ms)).sort((a, b) => a - b);
}

function dayOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString().slice(0, 10);
}

/** Bytes in which nearly every session names its folder. */
const NEAR_BYTES = 16_384;

/** The folder that the first lines of a session name; null if they name none. */
function folderIn(head: Buffer): string | null {
  const near = FOLDER.exec(head.toString('utf8', 0, NEAR_BYTES));
  const written = (near ?? FOLDER.exec(head.toString('utf8')))?.[1];
  if (written === undefined) return null;
  return attempt(() => String(JSON.parse(written)), null);
}

function headOf(file: string): Buffer {
  const name = basename(file);
  const start = fileHead({ name, path: file, place: { file } });
  return decodeHead(start, name);
}

/** The folder that the agent of a session worked in, as its first lines tell; null if they do not. */
export function recordedProject(path: string): string | null {
  return attempt(() => folderIn(headOf(sessionPath(path).file)), null);
}

/** The same; the folder of the file where they do not. */
export function projectOfSession(file: string): string {
  return recordedProject(file) ?? basename(dirname(file));
}

/** What the beginning and the end of a session's file tell of it; one that is no session throws. */
export function glance(path: string): FoundSession {
  const { file, session } = sessionPath(path);
  const agent = inputFormat(path, { cwd: '/' });
  const head = headOf(file);
  const { text, bytes } = tailOf(file);
  const ends = timesIn(text);
  const times = [...timesIn(head.toString('utf8')), ...ends].sort((a, b) => a - b);
  return {
    file: path,
    agent,
    project: folderIn(head) ?? basename(dirname(file)),
    from: dayOf(times[0]),
    to: dayOf(times.at(-1)),
    endedAtMs: session === null ? (ends.at(-1) ?? null) : null,
    bytes,
  };
}

/** Finds the sessions in the usual places; only the beginning and the end of each file are read. */
export function sessionsIn(places: readonly UsualPlace[]): {
  readonly sessions: readonly FoundSession[];
  readonly leftOut: readonly LeftOut[];
} {
  const files = new Set(places.flatMap(({ pattern }) => expandGlob(pattern, '/')));
  const sessions: FoundSession[] = [];
  const leftOut: LeftOut[] = [];
  for (const file of files) {
    if (isAgentFile(file)) continue;
    try {
      sessions.push(glance(file));
    } catch (error) {
      const reason = error instanceof CcbenchError ? error.message : String((error as Error).message);
      leftOut.push({ file, reason });
    }
  }
  return { sessions, leftOut };
}
