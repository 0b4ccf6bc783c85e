import { formatCounted } from '../../core/base/format.js';
import * as doc from '../../report/document/document.js';
import { foundSessions, lookedIn } from '../files/chosen-sessions.js';
import { type CliSession, EXIT, type ExitCode } from '../session.js';
import { present } from '../terminal/present.js';
import { daysOf, spanOf } from './inspect/list-sessions.js';

/** Commands to begin with, and what they answer. */
type Suggestion = readonly [command: string, answers: string];

/** With sessions on this machine. */
const WITH_SESSIONS: readonly Suggestion[] = [
  ['ccbench why', 'where their money went, and what would have been cheaper'],
  ['ccbench tune', 'at which size compacting would have cost least'],
  ['ccbench validate', 'how far the simulator is from what they cost'],
];

/** Without any. */
const WITHOUT_SESSIONS: readonly Suggestion[] = [
  ['ccbench why <path>', 'where the money of a session went: a file, a folder or a pattern'],
  ['ccbench init', 'write a scenario with a generated session'],
  ['ccbench run my-scenario.yaml', 'what it costs'],
];

const SUGGESTED: readonly doc.ColumnOf<Suggestion>[] = [
  doc.text('', ([command]) => command),
  doc.text('', ([, answers]) => answers),
];

/** `ccbench` alone: what there is on this machine, and what to ask of it. */
export async function overview(session: CliSession): Promise<ExitCode> {
  const { sessions, looked } = await foundSessions(session);
  const agents = [...new Set(sessions.map(({ agent }) => agent))].sort();
  const projects = new Set(sessions.map(({ project }) => project)).size;
  const { from, to } = spanOf(sessions);
  const isEmpty = sessions.length === 0;
  const commands = isEmpty ? WITHOUT_SESSIONS : WITH_SESSIONS;
  const found = isEmpty
    ? `No sessions were found on this machine: looked in ${lookedIn(session, looked)}.`
    : `On this machine: ${formatCounted(sessions.length, 'session')} of ${agents.join(', ')} in ${formatCounted(projects, 'project')}${from === null ? '' : `, ${daysOf(from, to)}`}.`;
  present(session, {
    blocks: [found, '', doc.table(SUGGESTED, commands), '', 'ccbench --help lists all commands'],
    closing: null,
    json: {
      sessions: sessions.length,
      agents: agents.map((agent) => ({
        agent,
        sessions: sessions.filter((each) => each.agent === agent).length,
      })),
      projects,
      from,
      to,
      looked,
      commands: commands.map(([command, answers]) => ({ command, answers })),
    },
  });
  return EXIT.fine;
}
