import { canonicalJson } from '../../core/base/digest.js';
import { entryOf, oncePer } from '../../core/base/once.js';
import { compareVersions } from '../../core/model/agent-version.js';
import type { Transcript } from '../../core/model/transcript.js';
import { compactionsIn } from '../../core/model/transcript.js';
import type { PlannedPolicy, RunPlan } from '../../core/run/run-plan.js';
import { DEFAULT_FAKE_LLM } from '../../provider/fake-llm/fake-llm.js';
import { RECORDED_CLIENT } from '../client/client.js';
import { policyRegistry } from './catalogue.js';
import type { Policy, VersionRange } from './policy.js';
import { withParams } from './policy-params.js';

/** Versions of the agent, and the profile that speaks for them. */
interface ProfileRange extends VersionRange {
  readonly profile: string;
}

/** The ranges of all profiles, from the oldest on; a version between two of them belongs to the older one. */
const rangesOf = oncePer((policies: typeof policyRegistry): readonly ProfileRange[] =>
  policies
    .all()
    .flatMap(({ name, versions = [] }) => versions.map((range) => ({ ...range, profile: name })))
    .sort((a, b) => compareVersions(a.from, b.from)),
);

/** The range a version falls into; an unknown version takes the oldest. */
export function rangeOf(version: string | null): ProfileRange {
  const known = rangesOf(policyRegistry);
  return known.findLast(({ from }) => version !== null && compareVersions(version, from) >= 0) ?? known[0]!;
}

/** The policy of a recording whose client is not known. */
export const NO_POLICY = 'none';

/** Settings of a policy by their paths. */
export type Settings = Readonly<Record<string, unknown>>;

/** The policy that stands for the client of a recording, and the settings that are not those of its profile. */
export interface OwnPolicy {
  readonly use: string;
  readonly set: Settings;
}

/** The name of a profile that stands for a recording, and what says so. */
export interface KnownProfile {
  readonly name: string;
  readonly evidence: string;
}

/** The policy that a rollout of Codex shows: a summary that can be read was made by the client itself. */
export function codexProfile({ threads }: Pick<Transcript, 'threads'>): KnownProfile {
  const isLocal = compactionsIn(threads).some(({ summary }) => summary !== null);
  return isLocal
    ? { name: 'peers/codex-local', evidence: 'a recorded summary can be read: the client wrote it' }
    : {
        name: 'peers/codex-remote',
        evidence: 'no recorded summary can be read: the usual way of the client',
      };
}

/** The policy of a recording's own client, where one is known for its versions; else none. */
export function ownPolicy(transcript: Transcript): OwnPolicy {
  if (transcript.source === 'codex') return { use: codexProfile(transcript).name, set: {} };
  if (transcript.source !== 'claude-code') return { use: NO_POLICY, set: {} };
  const { profile, set } = rangeOf(transcript.agentVersion);
  return { use: profile, set: { ...set, 'client.use': RECORDED_CLIENT } };
}

/** The same; where no policy was measured on the client, the one that was read from its sources. */
export function clientPolicy(transcript: Transcript): OwnPolicy {
  const own = ownPolicy(transcript);
  const peer = `peers/${transcript.source}`;
  return own.use === NO_POLICY && policyRegistry.has(peer) ? { use: peer, set: {} } : own;
}

/** Policies with the settings of clients: most recordings of a folder have the same. */
const planned = oncePer((_: Policy) => new Map<string, PlannedPolicy>());

function plannedPolicy({ use, set }: OwnPolicy): PlannedPolicy {
  const policy = policyRegistry.get(use);
  return entryOf(planned(policy), canonicalJson(set), () => withParams(policy, policy.rules ?? null, set));
}

/** The plan that stands for a recording: a policy, by default that of its own client, its lifetimes and times. */
export function ownPlan(transcript: Transcript, own: OwnPolicy = ownPolicy(transcript)): RunPlan {
  return {
    name: 'own',
    seed: 1,
    model: null,
    window: null,
    policy: plannedPolicy(own),
    cache: { mode: 'on', ttl: 'recorded', subagentTtl: 'recorded', fade: 'client' },
    timing: 'recorded',
    estimatorFactor: 1,
    llm: { fake: DEFAULT_FAKE_LLM, faults: [] },
    ...(transcript.priceDay === undefined ? {} : { priceDay: transcript.priceDay }),
    ...(transcript.models === undefined ? {} : { models: transcript.models }),
  };
}
