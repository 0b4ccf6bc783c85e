import { type Client, type ClientHabits, clientRegistry, type Habit } from '../../../agent/client/client.js';
import { BARE_API } from '../../../agent/client/clients.generated.js';
import { type Column, tableLines, wrapText } from '../../../report/text/table.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type CliSession, printJson } from '../../session.js';
import { screenFor } from '../../terminal/paint.js';

const COLUMNS: readonly Column[] = [
  { header: 'habit', align: 'left', drop: null },
  { header: 'value', align: 'left', drop: null },
  { header: 'bare API', align: 'left', drop: 1 },
];

/** Version that stands for all there ever were. */
const FIRST_VERSION = '0';

/** What a client does otherwise than the bare API. */
function differences({ habits, sources }: Client) {
  const own: Partial<ClientHabits> = habits;
  return (Object.keys(BARE_API) as Habit[]).flatMap((habit) => {
    const value = own[habit];
    if (value === undefined || value === BARE_API[habit]) return [];
    return [{ habit, value, bare: BARE_API[habit], source: sources[habit] ?? null }];
  });
}

/** `ccbench policies clients`: every client with what it does towards the cache, and how that is known. */
export function clientsCommand(session: CliSession): ExitCode {
  const clients = clientRegistry.all().map((client) => {
    const { name, from, summary } = client;
    return { name, from, summary, habits: differences(client) };
  });
  if (session.json) {
    printJson(session, { clients });
    return EXIT.fine;
  }
  const screen = screenFor(session.host.stdout, session.colors);
  const lines = clients.flatMap(({ name, from, summary, habits }) => {
    const rows = habits.map(({ habit, value, bare }) => ({ cells: [habit, value, bare] }));
    return [
      `${screen.style.bold(name)}${begins(from)}`,
      `  ${summary}`,
      ...(rows.length === 0 ? [] : tableLines(COLUMNS, rows, { indent: '  ', ...screen })),
      '',
    ];
  });
  const sources = new Set(
    clients.flatMap(({ habits }) => habits.map(({ habit, source }) => `${habit}: ${source ?? ''}`)),
  );
  lines.push(screen.style.bold('How each habit is known'));
  for (const source of sources) lines.push(...wrapText(source, screen.width, '  ', '    '));
  session.host.stdout.write(`${lines.join('\n')}\n`);
  return EXIT.fine;
}

function begins(from: string | null): string {
  if (from === null) return '';
  return from === FIRST_VERSION ? '  from the first version on' : `  from ${from} on`;
}
