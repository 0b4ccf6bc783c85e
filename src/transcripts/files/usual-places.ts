import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CcbenchError } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import { decodeHead } from '../lines/json-lines.js';
import { transcriptReaders } from '../readers/readers.js';
import { fileHead, readPart } from './disk-file.js';
import type { LeftOut } from './find-sessions.js';
import { expandGlob } from './glob.js';
import { withHome } from './home.js';
import { isAgentFile } from './subagent-files.js';
import { inputFormat } from './transcripts.js';

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
  /** First and last day, as the session tells it; null where it does not. */
  readonly from: string | null;
  readonly to: string | null;
  readonly bytes: number;
}

/** Bytes at the end of a file in which the last time is looked for. */
const TAIL_BYTES = 65_536;
const DAY = /"(?:timestamp|time|ts|created|startTime|lastUpdated)"\s*:\s*"(\d{4}-\d{2}-\d{2})T/g;
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

function daysIn(text: string): readonly string[] {
  const written = [...text.matchAll(DAY)].map(([, day]) => day!);
  const counted = [...text.matchAll(EPOCH)].map(([, ms]) => new Date(Number(ms)).toISOString().slice(0, 10));
  return [...written, ...counted].sort();
}

function projectOf(head: string, file: string): string {
  const written = FOLDER.exec(head)?.[1];
  if (written === undefined) return basename(dirname(file));
  try {
    return String(JSON.parse(written));
  } catch {
    return basename(dirname(file));
  }
}

function headOf(file: string): string {
  const name = basename(file);
  const start = fileHead({ name, path: file, place: { file } });
  return decodeHead(start, name).toString('utf8');
}

/** The folder that the agent of a session worked in, as its first lines tell; the folder of the file where they do not. */
export function projectOfSession(file: string): string {
  try {
    return projectOf(headOf(file), file);
  } catch {
    return basename(dirname(file));
  }
}

function glance(file: string): FoundSession {
  const agent = inputFormat(file, { cwd: '/' });
  const head = headOf(file);
  const { text, bytes } = tailOf(file);
  const days = [...daysIn(head), ...daysIn(text)].sort();
  return {
    file,
    agent,
    project: projectOf(head, file),
    from: days[0] ?? null,
    to: days.at(-1) ?? null,
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
