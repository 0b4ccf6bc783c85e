import { type Client, type ClientHabits, clientRegistry, type Habit } from '../../../agent/client/client.js';
import { BARE_API } from '../../../agent/client/clients.generated.js';
import { paramSpecs, policyRegistry } from '../../../agent/policies/catalogue.js';
import type { Policy } from '../../../agent/policies/policy.js';
import * as doc from '../../../report/document/document.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import type { CliSession } from '../../session.js';
import { present } from '../../terminal/present.js';

const POLICIES: readonly doc.ColumnOf<Policy>[] = [
  doc.text('policy', ({ name }) => name),
  doc.text('kind', ({ kind }) => kind, 1),
  doc.text('what it is', ({ summary }) => summary),
];

/** `ccbench policies`: every policy with one sentence. */
export async function policiesCommand(session: CliSession, options: PluginOptions): Promise<ExitCode> {
  return withPlugins(session, [], options, () => {
    const all = policyRegistry.all();
    const policies = all.map(({ name, kind, summary, tiers, sources }) => ({
      name,
      kind,
      summary,
      tiers,
      sources,
    }));
    const blocks = [doc.tableOf(POLICIES, doc.rowsOf(POLICIES, all), '')];
    present(session, { blocks, closing: null, json: { policies, parameters: paramSpecs() } });
    return EXIT.fine;
  });
}

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

const HABITS: readonly doc.ColumnOf<ReturnType<typeof differences>[number]>[] = [
  doc.text('habit', ({ habit }) => habit),
  doc.text('value', ({ value }) => value),
  doc.text('bare API', ({ bare }) => bare, 1),
];

/** `ccbench policies clients`: every client with what it does towards the cache, and how that is known. */
export function clientsCommand(session: CliSession): ExitCode {
  const clients = clientRegistry.all().map((client) => {
    const { name, from, summary } = client;
    return { name, from, summary, habits: differences(client) };
  });
  const sources = new Set(
    clients.flatMap(({ habits }) => habits.map(({ habit, source }) => `${habit}: ${source ?? ''}`)),
  );
  const blocks = [
    ...clients.flatMap(({ name, from, summary, habits }) => [
      doc.title(name, begins(from)),
      doc.inset(summary),
      doc.table(HABITS, habits),
      '',
    ]),
    doc.section('How each habit is known', ...[...sources].map((source) => doc.inset(source))),
  ];
  present(session, { blocks, closing: null, json: { clients } });
  return EXIT.fine;
}

function begins(from: string | null): string {
  if (from === null) return '';
  return from === FIRST_VERSION ? 'from the first version on' : `from ${from} on`;
}
