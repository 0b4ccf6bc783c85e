import { CcbenchError } from '../../core/base/errors.js';
import type { LeftOut } from '../../transcripts/files/find-sessions.js';
import { homeFolder } from '../../transcripts/files/home.js';
import { type FoundSession, sessionsIn, usualPlaces } from '../../transcripts/files/usual-places.js';
import { type CliSession, remark } from '../session.js';
import { runInterruptible } from '../terminal/interrupt.js';
import { leftOutLines } from './each-file.js';

/** The sessions in their usual places. */
export interface UsualSessions {
  readonly sessions: readonly FoundSession[];
  readonly leftOut: readonly LeftOut[];
  /** The patterns that were looked for. */
  readonly looked: readonly string[];
}

/** A path below the home folder as people write it. */
export function belowHome(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The folders that patterns begin with, below the home folder, each once. */
function foldersOf(patterns: readonly string[], home: string): readonly string[] {
  const folders = patterns.map((pattern) => belowHome(pattern, home).replace(/\/[^/]*[*?{].*$/, ''));
  return [...new Set(folders)];
}

/** Finds the sessions of every known agent in their usual places; none is an error that says where it looked. */
export async function usualSessions(session: CliSession, command: string): Promise<UsualSessions> {
  const { host } = session;
  const home = homeFolder(host.env);
  const places = usualPlaces(home, host.env);
  const { sessions, leftOut } = await runInterruptible(host.interrupt, () => sessionsIn(places));
  const looked = places.map(({ pattern }) => pattern);
  for (const line of leftOutLines(leftOut)) remark(session, line);
  if (sessions.length > 0) return { sessions, leftOut, looked };
  throw new CcbenchError('file-missing', 'no sessions were found in their usual places', {
    hint: `name a file or a folder: ccbench ${command} <path>; looked in ${foldersOf(looked, home).join(', ')}`,
  });
}
