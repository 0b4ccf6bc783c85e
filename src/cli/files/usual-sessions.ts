import { CcbenchError } from '../../core/base/errors.js';
import { formatCounted } from '../../core/base/format.js';
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

/** Places that are named where nothing was found; `--json` has all. */
const NAMED_PLACES = 3;

/** The folders that patterns begin with, below the home folder: the first few, and how many more. */
export function lookedIn({ host }: CliSession, patterns: readonly string[]): string {
  const home = homeFolder(host.env);
  const folders = patterns.map((pattern) => belowHome(pattern, home).replace(/\/[^/]*[*?{].*$/, ''));
  const different = [...new Set(folders)];
  const more = different.length - NAMED_PLACES;
  return `${different.slice(0, NAMED_PLACES).join(', ')}${more > 0 ? ` and ${formatCounted(more, 'other place')}` : ''}`;
}

/** The sessions of every known agent in their usual places, if any. */
export async function foundSessions(session: CliSession): Promise<UsualSessions> {
  const { host } = session;
  const places = usualPlaces(homeFolder(host.env), host.env);
  const found = await runInterruptible(host.interrupt, () => sessionsIn(places));
  return { ...found, looked: places.map(({ pattern }) => pattern) };
}

/** The same; none is an error that says where it looked. */
export async function usualSessions(session: CliSession, command: string): Promise<UsualSessions> {
  const found = await foundSessions(session);
  for (const line of leftOutLines(found.leftOut)) remark(session, line);
  if (found.sessions.length > 0) return found;
  throw new CcbenchError('file-missing', 'no sessions were found in their usual places', {
    hint: `name a file or a folder: ccbench ${command} <path>; looked in ${lookedIn(session, found.looked)}`,
  });
}
