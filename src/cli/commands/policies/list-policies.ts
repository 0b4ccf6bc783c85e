import {
  type Behaviour,
  type Client,
  type ClientBehaviour,
  clientRegistry,
} from '../../../agent/client/client.js';
import { BARE_API } from '../../../agent/client/clients.generated.js';
import { mainWindow } from '../../../agent/client/window.js';
import { paramSpecs, policyRegistry } from '../../../agent/policies/catalogue.js';
import { clientPolicy, ownPlan } from '../../../agent/policies/own-policy.js';
import type { Policy } from '../../../agent/policies/policy.js';
import { policyWindow } from '../../../agent/policies/policy-window.js';
import { type PolicyThresholds, policyThresholds } from '../../../agent/policies/shown-limits.js';
import { daysSince } from '../../../core/base/clock.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCount } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { pick } from '../../../core/base/pick.js';
import { firstModel, type Transcript } from '../../../core/model/transcript.js';
import { modelOrUnknown } from '../../../provider/prices/models.js';
import * as doc from '../../../report/document/document.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import type { FoundSession } from '../../../transcripts/files/usual-places.js';
import { filterSessions, usualSessions } from '../../files/chosen-sessions.js';
import { inputOptions } from '../../files/input-options.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, EXIT, type ExitCode, note } from '../../session.js';
import { runInterruptible } from '../../terminal/interrupt.js';
import { present } from '../../terminal/present.js';

/** The profile of an agent on this machine, by its newest session. */
interface MyPolicy {
  readonly agent: string;
  /** Version of the client; null if the session does not tell. */
  readonly version: string | null;
  readonly profile: string;
  /** Null without a call. */
  readonly model: string | null;
  /** Null if the model is not known. */
  readonly thresholds: PolicyThresholds | null;
  /** The last day of the session. */
  readonly day: string | null;
  readonly file: string;
}

const MINE: readonly doc.ColumnOf<MyPolicy>[] = [
  doc.text('agent', ({ agent }) => agent),
  doc.text('version', ({ version }) => version ?? '–'),
  doc.text('policy', ({ profile }) => profile),
  doc.number('compacts at', ({ thresholds }) => thresholds?.autoCompact ?? null, formatCount),
  doc.text('model', ({ model }) => model ?? '–', 1),
  doc.text('newest session', ({ day }) => day ?? '–', 2),
];

/** The size at which the policy of a recording's client acts, on the model that it was recorded with. */
function thresholdsOf(transcript: Transcript, model: string | null): PolicyThresholds | null {
  if (model === null) return null;
  const own = clientPolicy(transcript);
  const { policy: planned } = ownPlan(transcript, own);
  const { params, rules } = planned;
  const window = policyWindow(params, model, { recorded: mainWindow(transcript, model), rules });
  const { maxOutput } = modelOrUnknown(model);
  return policyThresholds(policyRegistry.get(own.use), planned, { window, maxOutput, name: model });
}

function myPolicy(session: CliSession, { file, agent, to }: FoundSession): MyPolicy {
  const { transcript } = loadTranscript(file, inputOptions(session));
  const model = transcript.threads.map(firstModel).find((name) => name !== null) ?? null;
  return {
    agent,
    version: transcript.agentVersion,
    profile: clientPolicy(transcript).use,
    model,
    thresholds: thresholdsOf(transcript, model),
    day: to,
    file,
  };
}

/** `ccbench policies --mine`: which policy represents each agent on this machine. */
export async function myPoliciesCommand(session: CliSession, options: PluginOptions): Promise<ExitCode> {
  return withPlugins(session, [], options, async () => {
    const { sessions } = await usualSessions(session, 'run');
    const mine: MyPolicy[] = [];
    for (const agent of [...new Set(sessions.map((each) => each.agent))].sort()) {
      const [newest] = await filterSessions(session, sessions, { agent, last: 1 });
      try {
        mine.push(await runInterruptible(session.host.interrupt, () => myPolicy(session, newest!)));
      } catch (error) {
        if (!(error instanceof CcbenchError)) throw error;
        note(session, `left out: ${agent}: ${newest!.file}: ${error.message}`);
      }
    }
    present(session, {
      blocks: [
        doc.tableOf(MINE, doc.rowsOf(MINE, mine), ''),
        '',
        'By the newest session of each agent. ccbench policies show <policy> shows all of it.',
      ],
      closing: null,
      json: { mine },
    });
    return EXIT.fine;
  });
}

/** A policy, and how many days ago it was compared with its sources; null if it does not say. */
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
    const policies = all.map((policy) =>
      pick(policy, ['name', 'kind', 'summary', 'layers', 'checked', 'daysSinceChecked', 'sources']),
    );
    const blocks = [
      doc.tableOf(POLICIES, doc.rowsOf(POLICIES, all), ''),
      '',
      'Age is in days since a policy was compared with its sources; – means no sources or no date.',
    ];
    present(session, { blocks, closing: null, json: { policies, parameters: paramSpecs() } });
    return EXIT.fine;
  });
}

/** Version that means all versions. */
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
