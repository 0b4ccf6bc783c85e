import { mainWindow } from '../../../agent/client/window.js';
import { policyRegistry } from '../../../agent/policies/catalogue.js';
import { clientPolicy, ownPlan } from '../../../agent/policies/own-policy.js';
import { policyWindow } from '../../../agent/policies/policy-window.js';
import { type PolicyThresholds, policyThresholds } from '../../../agent/policies/shown-limits.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCount } from '../../../core/base/format.js';
import { firstModel, type Transcript } from '../../../core/model/transcript.js';
import { modelOrUnknown } from '../../../provider/prices/models.js';
import * as doc from '../../../report/document/document.js';
import { loadTranscript } from '../../../transcripts/files/transcripts.js';
import type { FoundSession } from '../../../transcripts/files/usual-places.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { filterSessions } from '../../files/chosen-sessions.js';
import { usualSessions } from '../../files/usual-sessions.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, inputOptions, note } from '../../session.js';
import { runInterruptible } from '../../terminal/interrupt.js';
import { present } from '../../terminal/present.js';

/** The profile of an agent on this machine, by its newest session. */
interface MyPolicy {
  readonly agent: string;
  /** Version of the client; null where the session does not tell. */
  readonly version: string | null;
  readonly profile: string;
  /** Null without a call. */
  readonly model: string | null;
  /** Null where the model is not known. */
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

/** `ccbench policies --mine`: which policy stands for each agent on this machine. */
export async function myPoliciesCommand(session: CliSession, options: PluginOptions): Promise<ExitCode> {
  return withPlugins(session, [], options, () => showMine(session));
}

async function showMine(session: CliSession): Promise<ExitCode> {
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
      'By the newest session of each agent. ccbench policies show <policy> has all of it.',
    ],
    closing: null,
    json: { mine },
  });
  return EXIT.fine;
}
