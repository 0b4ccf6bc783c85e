import { resolve } from 'node:path';
import { dayStartMs } from '../../core/base/clock.js';
import { CcbenchError } from '../../core/base/errors.js';
import { formatCounted } from '../../core/base/format.js';
import { pick } from '../../core/base/pick.js';
import { unknownName } from '../../core/base/registry.js';
import { endedAtMs } from '../../core/model/transcript.js';
import { type FoundSessions, findSessions, type LeftOut } from '../../transcripts/files/find-sessions.js';
import { homeFolder } from '../../transcripts/files/home.js';
import { sessionPath } from '../../transcripts/files/read-input.js';
import { loadTranscript } from '../../transcripts/files/transcripts.js';
import { type FoundSession, glance, sessionsIn, usualPlaces } from '../../transcripts/files/usual-places.js';
import { transcriptReaders } from '../../transcripts/readers/readers.js';
import type { CommandOptions } from '../commands.generated.js';
import { type CliSession, note, remark } from '../session.js';
import { runInterruptible, yieldToEventLoop } from '../terminal/interrupt.js';
import { createProgress } from '../terminal/progress.js';
import { leftOutLines } from './each-file.js';
import { inputOptions } from './input-options.js';

/** The sessions in their usual places. */
interface UsualSessions {
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

/** The options that choose among sessions. */
export type SessionChoice = Pick<CommandOptions['ttl'], (typeof CHOICE)[number]>;

const CHOICE = ['since', 'project', 'agent', 'last'] as const;

/** What a command line names. */
interface Named {
  readonly command: string;
  /** Files, folders and patterns; none: the sessions on this machine. */
  readonly paths: readonly string[];
  /** The newest that are taken where nothing is named and `--last` says nothing; all where absent. */
  readonly usualLast?: number;
  /** Whether a file is known to hold one session. */
  isKnown?(path: string): boolean;
}

type Known = Pick<FoundSession, 'file' | 'agent' | 'project' | 'endedAtMs'>;

/** The newest sessions that commands take where nothing is named and each session takes its time. */
export const USUAL_LAST = 20;

/** Projects that an error names. */
const NAMED_PROJECTS = 5;

/** The choice among the options of a command. */
export function choiceOf(options: SessionChoice): SessionChoice {
  return pick(options, CHOICE);
}

/** Whether an option chooses among sessions. */
export function isChosen(options: SessionChoice): boolean {
  return Object.keys(choiceOf(options)).length > 0;
}

/** When the day of an option begins. */
export function dayMs(option: '--since' | '--split', day: string): number {
  const ms = dayStartMs(day);
  if (ms !== null) return ms;
  throw new CcbenchError('bad-usage', `${option} ${day} is not a day`, {
    hint: `write it as year-month-day: ${option} 2026-07-01`,
  });
}

/** Refuses a choice that cannot be meant, before anything is read. */
export function checkChoice({ since, agent }: SessionChoice): void {
  if (since !== undefined) dayMs('--since', since);
  if (agent !== undefined && !transcriptReaders.names.includes(agent))
    throw unknownName('agent', agent, transcriptReaders.names);
}

/** Sessions of an agent and a project; none is an error that says what there is. */
function sessionsBy<T extends Pick<FoundSession, 'agent' | 'project'>>(
  session: CliSession,
  all: readonly T[],
  { agent, project }: SessionChoice,
): readonly T[] {
  const ofAgent = all.filter((each) => agent === undefined || each.agent === agent);
  if (ofAgent.length === 0 && all.length > 0)
    throw new CcbenchError('bad-input', `none of ${formatCounted(all.length, 'session')} is of ${agent}`, {
      hint: `there are sessions of ${namesOf(all.map((each) => each.agent))}`,
    });
  const text = project?.toLowerCase();
  const found = ofAgent.filter((each) => text === undefined || each.project.toLowerCase().includes(text));
  if (found.length === 0 && ofAgent.length > 0)
    throw new CcbenchError(
      'bad-input',
      `none of ${formatCounted(ofAgent.length, 'session')} is of a project with "${project}" in its name`,
      {
        hint: `there are sessions of ${namesOf(ofAgent.map((each) => belowHome(each.project, homeFolder(session.host.env))))}`,
      },
    );
  return found;
}

function namesOf(names: readonly string[]): string {
  const each = [...new Set(names)].sort();
  const more = each.length - NAMED_PROJECTS;
  return `${each.slice(0, NAMED_PROJECTS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The time a session ended; its calls are read if the end of its file does not say. */
function endOf(session: CliSession, { file, endedAtMs: known }: Known): number | null {
  if (known !== null) return known;
  try {
    return endedAtMs(loadTranscript(file, inputOptions(session)).transcript);
  } catch (error) {
    // Whoever reads it says what is wrong with it.
    if (error instanceof CcbenchError) return null;
    throw error;
  }
}

/** The sessions that ended late enough, and the newest of them; a session without a known end is not left out, but counts as the oldest. */
async function newest<T extends Known>(
  session: CliSession,
  known: readonly T[],
  { since, last }: SessionChoice,
): Promise<readonly T[]> {
  if (since === undefined && (last === undefined || last >= known.length)) return known;
  const { interrupt } = session.host;
  const ends = new Map<T, number | null>();
  for (const each of known) {
    await yieldToEventLoop(interrupt);
    ends.set(each, await runInterruptible(interrupt, () => endOf(session, each)));
  }
  const late = known.filter((each) => {
    const end = ends.get(each) ?? null;
    return since === undefined || end === null || end >= dayMs('--since', since);
  });
  if (late.length === 0 && known.length > 0)
    throw new CcbenchError('bad-input', `no session ended on ${since} or later`, {
      hint: 'choose an earlier day, or leave --since out',
    });
  const order = late.toSorted((a, b) => (ends.get(b) ?? -Infinity) - (ends.get(a) ?? -Infinity));
  const kept = new Set(order.slice(0, last));
  return late.filter((each) => kept.has(each));
}

/** Those of some sessions that the options take. */
export async function filterSessions<T extends Known>(
  session: CliSession,
  all: readonly T[],
  choice: SessionChoice,
): Promise<readonly T[]> {
  checkChoice(choice);
  return newest(session, sessionsBy(session, all, choice), choice);
}

/** What a quick look at files shows; null for one that cannot be read, which its reader reports. */
async function glances(session: CliSession, files: readonly string[]): Promise<readonly (Known | null)[]> {
  const { cwd, interrupt } = session.host;
  const found: (Known | null)[] = [];
  for (const file of files) {
    await yieldToEventLoop(interrupt);
    try {
      found.push({ ...(await runInterruptible(interrupt, () => glance(resolve(cwd, file)))), file });
    } catch (error) {
      if (!(error instanceof CcbenchError)) throw error;
      found.push(null);
    }
  }
  return found;
}

/** Of the sessions at paths those that were chosen, and what cannot be read. */
async function chosenOf(
  session: CliSession,
  { files, leftOut }: FoundSessions,
  choice: SessionChoice,
): Promise<FoundSessions> {
  const known = await glances(session, files);
  const readable = known.filter((each) => each !== null);
  const chosen = new Set(await filterSessions(session, readable, choice));
  const kept = files.filter((_, i) => {
    const own = known[i] ?? null;
    return own === null || chosen.has(own);
  });
  return { files: kept, leftOut };
}

/**
 * The sessions that a command is about: those at the named paths, or those on this machine, of which the options take
 * some.
 */
export async function chosenSessions(
  session: CliSession,
  { command, paths, usualLast, isKnown }: Named,
  choice: SessionChoice,
): Promise<FoundSessions> {
  checkChoice(choice);
  const { host } = session;
  const find = (named: readonly string[]): Promise<FoundSessions> =>
    runInterruptible(host.interrupt, () =>
      findSessions(named, {
        cwd: host.cwd,
        home: homeFolder(host.env),
        ...(isKnown === undefined ? {} : { isKnown }),
      }),
    );
  if (paths.length > 0) {
    const progress = createProgress(session, 'files');
    progress.start('looking for sessions', 0);
    try {
      const found = await find(paths);
      return isChosen(choice) ? await chosenOf(session, found, choice) : found;
    } finally {
      progress.clear();
    }
  }
  const { sessions } = await usualSessions(session, command);
  const byFile = new Map(sessionsBy(session, sessions, choice).map((each) => [each.file, each]));
  const { files } = await find([...byFile.keys()]);
  const known = files.map((file): Known => {
    const own = byFile.get(file);
    return own ?? { ...byFile.get(sessionPath(file).file)!, file, endedAtMs: null };
  });
  const last = choice.last ?? usualLast;
  const chosen = await newest(session, known, { ...choice, ...(last === undefined ? {} : { last }) });
  if (usualLast !== undefined) note(session, usualNote(chosen.length, files.length));
  return { files: chosen.map(({ file }) => file), leftOut: [] };
}

function usualNote(chosen: number, all: number): string {
  const which =
    chosen === all
      ? `all ${formatCounted(all, 'session')}`
      : `the newest ${chosen} of ${formatCounted(all, 'session')}`;
  return `${which} on this machine; --last, --since, --project and --agent choose others`;
}
