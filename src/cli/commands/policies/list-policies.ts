import {
  type Behaviour,
  type Client,
  type ClientBehaviour,
  clientRegistry,
} from '../../../agent/client/client.js';
import { BARE_API } from '../../../agent/client/clients.generated.js';
import { paramSpecs, policyRegistry } from '../../../agent/policies/catalogue.js';
import type { Policy } from '../../../agent/policies/policy.js';
import { daysSince } from '../../../core/base/clock.js';
import { formatCount } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import * as doc from '../../../report/document/document.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import type { CliSession } from '../../session.js';
import { present } from '../../terminal/present.js';

/** A policy, and how many days ago it was compared with its sources; null where it does not say. */
type Dated = Policy & { readonly daysSinceChecked: number | null };

const POLICIES: readonly doc.ColumnOf<Dated>[] = [
  doc.text('policy', ({ name }) => name),
  doc.text('kind', ({ kind }) => kind, 1),
  doc.number('age', ({ daysSinceChecked }) => daysSinceChecked, formatCount),
  doc.text('what it is', ({ summary }) => summary),
];

/** `ccbench policies`: every policy with one sentence. */
export async function policiesCommand(session: CliSession, options: PluginOptions): Promise<ExitCode> {
  return withPlugins(session, [], options, () => {
    const nowMs = session.host.epochMs();
    const all = policyRegistry.all().map((policy) => {
      const { checked } = policy;
      return { ...policy, daysSinceChecked: checked === null ? null : daysSince(checked, nowMs) };
    });
    const policies = all.map(({ name, kind, summary, layers, checked, daysSinceChecked, sources }) => ({
      name,
      kind,
      summary,
      layers,
      checked,
      daysSinceChecked,
      sources,
    }));
    const blocks = [
      doc.tableOf(POLICIES, doc.rowsOf(POLICIES, all), ''),
      '',
      'Age is in days since a policy was compared with its sources; – has none, or does not say.',
    ];
    present(session, { blocks, closing: null, json: { policies, parameters: paramSpecs() } });
    return EXIT.fine;
  });
}

/** Version that stands for all there ever were. */
const FIRST_VERSION = '0';

/** What a client does otherwise than the bare API. */
function differences({ behaviours, sources }: Client) {
  const own: Partial<ClientBehaviour> = behaviours;
  return (Object.keys(BARE_API) as Behaviour[]).flatMap((behaviour) => {
    const value = own[behaviour];
    if (value === undefined || value === BARE_API[behaviour]) return [];
    return [{ behaviour, value, bare: BARE_API[behaviour], source: ownValue(sources, behaviour) ?? null }];
  });
}

const BEHAVIOURS: readonly doc.ColumnOf<ReturnType<typeof differences>[number]>[] = [
  doc.text('behaviour', ({ behaviour }) => behaviour),
  doc.text('value', ({ value }) => value),
  doc.text('bare API', ({ bare }) => bare, 1),
];

/** `ccbench policies clients`: every client with what it does towards the cache, and how that is known. */
export function clientsCommand(session: CliSession): ExitCode {
  const clients = clientRegistry.all().map((client) => {
    const { name, from, summary } = client;
    return { name, from, summary, behaviours: differences(client) };
  });
  const sources = new Set(
    clients.flatMap(({ behaviours }) =>
      behaviours.map(({ behaviour, source }) => `${behaviour}: ${source ?? ''}`),
    ),
  );
  const blocks = [
    ...clients.flatMap(({ name, from, summary, behaviours }) => [
      doc.title(name, begins(from)),
      doc.inset(summary),
      doc.table(BEHAVIOURS, behaviours),
      '',
    ]),
    doc.section('How each behaviour is known', ...[...sources].map((source) => doc.inset(source))),
  ];
  present(session, { blocks, closing: null, json: { clients } });
  return EXIT.fine;
}

function begins(from: string | null): string {
  if (from === null) return '';
  return from === FIRST_VERSION ? 'from the first version on' : `from ${from} on`;
}
