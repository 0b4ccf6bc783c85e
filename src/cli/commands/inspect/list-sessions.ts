import { dirname } from 'node:path';
import { formatBytes, formatCount, formatCounted, printable } from '../../../core/base/format.js';
import { groupBy } from '../../../core/base/groups.js';
import { sum } from '../../../core/base/stats.js';
import * as doc from '../../../report/document/document.js';
import { shortPath } from '../../../report/text/words.js';
import { homeFolder } from '../../../transcripts/files/home.js';
import type { FoundSession } from '../../../transcripts/files/usual-places.js';
import { belowHome, filterSessions, type SessionChoice, usualSessions } from '../../files/chosen-sessions.js';
import { type CliSession, EXIT, type ExitCode } from '../../session.js';
import { screenFor } from '../../terminal/paint.js';
import { type Closing, present } from '../../terminal/present.js';

/** The sessions of one agent in one project. */
interface ProjectFacts extends Omit<FoundSession, 'file' | 'endedAtMs'> {
  /** Where the files lie: what to name for them. */
  readonly folder: string;
  readonly sessions: number;
}

/** Room that the indent, agents and numbers of sessions need beside the project and the days. */
const FIXED_CHARS = 29;
const SHORTEST_NAME = 12;
const LONGEST_NAME = 40;

/** The longest folder that holds all of the files. */
function commonFolder(files: readonly string[]): string {
  let folder = dirname(files[0]!);
  while (!files.every((file) => file.startsWith(folder.endsWith('/') ? folder : `${folder}/`)))
    folder = dirname(folder);
  return folder;
}

function projectsOf(sessions: readonly FoundSession[]): readonly ProjectFacts[] {
  const groups = groupBy(sessions, ({ agent, project }) => JSON.stringify([agent, project]));
  return [...groups.values()]
    .map((group): ProjectFacts => {
      const { agent, project } = group[0]!;
      return {
        agent,
        project,
        folder: commonFolder(group.map(({ file }) => file)),
        sessions: group.length,
        ...spanOf(group),
      };
    })
    .sort((a, b) => compare(a.agent, b.agent) || compare(a.project, b.project));
}

/** First and last day of all, and their bytes. */
export function spanOf(all: readonly Pick<ProjectFacts, 'from' | 'to' | 'bytes'>[]) {
  return {
    from: all.flatMap(({ from }) => from ?? []).sort()[0] ?? null,
    to:
      all
        .flatMap(({ to }) => to ?? [])
        .sort()
        .at(-1) ?? null,
    bytes: sum(all.map(({ bytes }) => bytes)),
  };
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A span of days, without what both have in common. */
export function daysOf(from: string | null, to: string | null): string {
  if (from === null || to === null) return '–';
  if (from === to) return from;
  return `${from}–${from.slice(0, 5) === to.slice(0, 5) ? to.slice(5) : to}`;
}

/** The projects and all of them together; names are cut to what the width leaves them. */
function listBlocks(projects: readonly ProjectFacts[], home: string, width: number): readonly doc.Block[] {
  const all: ProjectFacts = {
    agent: 'all',
    project: '',
    folder: '',
    sessions: sum(projects.map(({ sessions }) => sessions)),
    ...spanOf(projects),
  };
  const days = Math.max(...[all, ...projects].map(({ from, to }) => daysOf(from, to).length));
  const most = Math.min(LONGEST_NAME, Math.max(SHORTEST_NAME, width - FIXED_CHARS - days));
  const columns: readonly doc.ColumnOf<ProjectFacts>[] = [
    doc.text('agent', ({ agent }) => agent),
    doc.text('project', (own) =>
      own === all
        ? formatCounted(projects.length, 'project')
        : shortPath(printable(belowHome(own.project, home)), most),
    ),
    doc.number('sessions', ({ sessions }) => sessions, formatCount),
    doc.text('days', ({ from, to }) => daysOf(from, to), 2),
    doc.amount('size', ({ bytes }) => formatBytes(bytes), 1),
  ];
  return [doc.table(columns, [...projects, all], (own) => (own === all ? 'strong' : 'plain')), doc.DROPPED];
}

function listClosing(projects: readonly ProjectFacts[], home: string): Closing {
  const biggest = [...projects].sort((a, b) => b.bytes - a.bytes || compare(a.folder, b.folder))[0]!;
  const sessions = sum(projects.map((project) => project.sessions));
  return {
    result: `${formatCounted(sessions, 'session')} of ${formatCounted(projects.length, 'project')} ${sessions === 1 ? 'was' : 'were'} found on this machine.`,
    advice: `Where their money went: ccbench why; to look into one: ccbench inspect ${shellWord(belowHome(biggest.folder, home))}`,
  };
}

/** A path as a shell takes it; `~` stays outside of quotation marks. */
function shellWord(path: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(path)) return path;
  const [, tilde, rest] = /^(~\/)?(.*)$/s.exec(path)!;
  return `${tilde ?? ''}'${rest!.replaceAll("'", "'\\''")}'`;
}

/** Lists the sessions in the usual places of every known agent: by agent and project. */
export async function listSessions(session: CliSession, choice: SessionChoice): Promise<ExitCode> {
  const { host } = session;
  const { sessions, leftOut, looked } = await usualSessions(session, 'inspect');
  const projects = projectsOf(await filterSessions(session, sessions, choice));
  const home = homeFolder(host.env);
  const { width } = screenFor(host.stdout, session.colors);
  present(session, {
    blocks: listBlocks(projects, home, width),
    closing: listClosing(projects, home),
    json: { projects, looked, skipped: leftOut },
  });
  return EXIT.fine;
}
