import { dirname } from 'node:path';
import { formatCount, formatCounted, formatDecimal, printable } from '../../../core/base/format.js';
import { sum } from '../../../core/base/stats.js';
import { shortPath } from '../../../report/text/short-name.js';
import { type Column, droppedHeaders, type Row, tableLines, wrapText } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';
import { homeFolder } from '../../../transcripts/files/home.js';
import type { FoundSession } from '../../../transcripts/files/usual-places.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { belowHome, usualSessions } from '../../files/usual-sessions.js';
import { type CliSession, printJson } from '../../session.js';
import { closingText } from '../../terminal/closing.js';
import { screenFor } from '../../terminal/paint.js';

/** The sessions of one agent in one project. */
interface ProjectFacts {
  readonly agent: string;
  readonly project: string;
  /** Where the files lie: what to name for them. */
  readonly folder: string;
  readonly sessions: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly bytes: number;
}

const INDENT = '  ';
/** Room that agents and numbers of sessions need beside the project and the days. */
const FIXED_CHARS = 27;
const SHORTEST_NAME = 12;
const LONGEST_NAME = 40;

const COLUMNS: readonly Column[] = [
  { header: 'agent', align: 'left', drop: null },
  { header: 'project', align: 'left', drop: null },
  { header: 'sessions', align: 'right', drop: null },
  { header: 'days', align: 'left', drop: 2 },
  { header: 'size', align: 'right', drop: 1 },
];

/** The longest folder that holds all of the files. */
function commonFolder(files: readonly string[]): string {
  let folder = dirname(files[0]!);
  while (!files.every((file) => file.startsWith(folder.endsWith('/') ? folder : `${folder}/`)))
    folder = dirname(folder);
  return folder;
}

function projectsOf(sessions: readonly FoundSession[]): readonly ProjectFacts[] {
  const groups = new Map<string, FoundSession[]>();
  for (const session of sessions) {
    const key = JSON.stringify([session.agent, session.project]);
    groups.set(key, [...(groups.get(key) ?? []), session]);
  }
  return [...groups.values()]
    .map((group): ProjectFacts => {
      const { agent, project } = group[0]!;
      return {
        agent,
        project,
        folder: commonFolder(group.map(({ file }) => file)),
        sessions: group.length,
        from: group.flatMap(({ from }) => from ?? []).sort()[0] ?? null,
        to:
          group
            .flatMap(({ to }) => to ?? [])
            .sort()
            .at(-1) ?? null,
        bytes: sum(group.map(({ bytes }) => bytes)),
      };
    })
    .sort((a, b) => compare(a.agent, b.agent) || compare(a.project, b.project));
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Bytes in the largest unit that fits. */
function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${formatCount(bytes)} B`;
  if (bytes < 999_500) return `${formatDecimal(bytes / 1e3, bytes < 1e4 ? 1 : 0)} kB`;
  return bytes < 999_500_000 ? `${formatDecimal(bytes / 1e6, 1)} MB` : `${formatDecimal(bytes / 1e9, 1)} GB`;
}

function daysOf(from: string | null, to: string | null): string {
  if (from === null || to === null) return '–';
  if (from === to) return from;
  return `${from}–${from.slice(0, 5) === to.slice(0, 5) ? to.slice(5) : to}`;
}

function listText(projects: readonly ProjectFacts[], home: string, screen: Screen): string {
  const { width, style } = screen;
  const cells = (project: ProjectFacts, name: string): readonly string[] => [
    project.agent,
    name,
    formatCount(project.sessions),
    daysOf(project.from, project.to),
    formatBytes(project.bytes),
  ];
  const all: ProjectFacts = {
    agent: 'all',
    project: '',
    folder: '',
    sessions: sum(projects.map(({ sessions }) => sessions)),
    from: projects.flatMap(({ from }) => from ?? []).sort()[0] ?? null,
    to:
      projects
        .flatMap(({ to }) => to ?? [])
        .sort()
        .at(-1) ?? null,
    bytes: sum(projects.map(({ bytes }) => bytes)),
  };
  const days = Math.max(...[all, ...projects].map(({ from, to }) => daysOf(from, to).length));
  const room = width - INDENT.length - FIXED_CHARS - days;
  const most = Math.min(LONGEST_NAME, Math.max(SHORTEST_NAME, room));
  const rows: readonly Row[] = [
    ...projects.map((project) => ({
      cells: cells(project, shortPath(printable(belowHome(project.project, home)), most)),
    })),
    { cells: cells(all, formatCounted(projects.length, 'project')), tone: 'strong' },
  ];
  const dropped = droppedHeaders(COLUMNS, rows, width - INDENT.length);
  const biggest = [...projects].sort((a, b) => b.bytes - a.bytes || compare(a.folder, b.folder))[0]!;
  const notes =
    dropped.length === 0 ? [] : [`not shown in ${width} columns: ${dropped.join(', ')}; --json has all`];
  const closing = {
    result: `${formatCounted(all.sessions, 'session')} of ${formatCounted(projects.length, 'project')} ${all.sessions === 1 ? 'was' : 'were'} found on this machine.`,
    advice: `Where their money went: ccbench why; to look into one: ccbench inspect ${shellWord(belowHome(biggest.folder, home))}`,
  };
  const lines = [
    ...tableLines(COLUMNS, rows, { indent: INDENT, ...screen }),
    ...notes.flatMap((line) => wrapText(printable(line), width, INDENT, INDENT + INDENT).map(style.dim)),
  ];
  return `${lines.join('\n')}\n\n${closingText(closing, screen)}`;
}

/** A path as a shell takes it; `~` stays outside of quotation marks. */
function shellWord(path: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(path)) return path;
  const [, tilde, rest] = /^(~\/)?(.*)$/s.exec(path)!;
  return `${tilde ?? ''}'${rest!.replaceAll("'", "'\\''")}'`;
}

/** Lists the sessions in the usual places of every known agent: by agent and project. */
export async function listSessions(session: CliSession): Promise<ExitCode> {
  const { host } = session;
  const { sessions, leftOut, looked } = await usualSessions(session, 'inspect');
  const projects = projectsOf(sessions);
  if (session.json) printJson(session, { projects, looked, skipped: leftOut });
  else host.stdout.write(listText(projects, homeFolder(host.env), screenFor(host.stdout, session.colors)));
  return EXIT.fine;
}
