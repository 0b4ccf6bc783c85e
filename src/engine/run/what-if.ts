import { clientPolicy, ownPlan } from '../../agent/policies/own-policy.js';
import { canonicalJson } from '../../core/base/digest.js';
import { formatCounted } from '../../core/base/format.js';
import { entryOf, oncePer } from '../../core/base/once.js';
import { createNameTable, ownValue } from '../../core/base/own-value.js';
import type { Step, Transcript } from '../../core/model/transcript.js';
import type { LayerDefinition } from '../../core/run/layer.js';
import type { ParamSpec, ParamValue } from '../../core/run/params.js';
import type { RecordedBill } from '../../core/run/recorded-bill.js';
import type { LogEntry, LogSink, Reproduced } from '../../core/run/run-log.js';
import type { PlannedPolicy, RunPlan } from '../../core/run/run-plan.js';
import { recordedBill } from '../../provider/prices/recorded-bill.js';
import { knownProvider, type ProviderRef } from '../../provider/providers/providers.js';
import { Conditions, type RunConditions } from '../requests/conditions.js';
import { providersOf, recordedModels } from '../requests/provider-of.js';
import { windowUnder } from '../requests/thread-model.js';

/** The plan of a what-if's base: the recording as its own client made it. */
const basePlan = oncePer((transcript: Transcript): RunPlan => ownPlan(transcript, clientPolicy(transcript)));
const policyText = oncePer((policy: PlannedPolicy): string => canonicalJson(policy));

/** True for a recording with cache reads: only then there are conditions to take from it. */
const tellsReads = oncePer((transcript: Transcript): boolean =>
  transcript.threads.some(
    ({ flow, steps }) =>
      flow === undefined && steps.some((step) => step.kind === 'call' && step.call.usage !== null),
  ),
);

/** What a run is of: a recording with what happened given, or something of which only the content is known. */
export function modeOf(plan: RunPlan, transcript: Transcript): 'what-if' | 'predict' {
  return plan.mode === undefined && tellsReads(transcript) ? 'what-if' : 'predict';
}

/** The steps of a thread without the calls that made summaries, and without what only asked for them. */
function withoutSummaryCalls(steps: readonly Step[]): readonly Step[] {
  let kept: Step[] = [];
  for (const step of steps) {
    kept.push(step);
    if (step.kind !== 'event' || step.event.kind !== 'recorded-compaction') continue;
    const { isAmongCalls, ...event } = step.event;
    if (isAmongCalls !== true) continue;
    const call = kept.findLastIndex(({ kind }) => kind === 'call');
    const asked = kept[call - 1];
    const isAsking =
      asked?.kind === 'message' && asked.message.origin === 'meta' && asked.message.blocks[0]?.text === null;
    kept = kept.slice(0, -1).filter((_, i) => i !== call && !(isAsking && i === call - 1));
    kept.push({ kind: 'event', event });
  }
  return kept;
}

/** What a run replays whose policy decides where to compact: calls of the recording that made its summaries are left out. */
export const withoutRecordedSummaries = oncePer((transcript: Transcript): Transcript => {
  const threads = transcript.threads.map((thread) => {
    if (thread.flow !== undefined) return thread;
    const steps = withoutSummaryCalls(thread.steps);
    return steps.length === thread.steps.length ? thread : { ...thread, steps };
  });
  return threads.every((thread, i) => thread === transcript.threads[i])
    ? transcript
    : { ...transcript, threads };
});

/** Policies by the clients they were given. */
const byClient = oncePer((_: PlannedPolicy) => new Map<string, unknown>());

/**
 * A plan as it is run over a transcript. A recording keeps the client that made it, unless the plan sets another: a difference
 * between policies then holds nothing that no policy decides.
 */
export function planOver(plan: RunPlan, transcript: Transcript): RunPlan {
  const { policy } = plan;
  if (policy.client === 'set' || modeOf(plan, transcript) === 'predict') return plan;
  const client = String(basePlan(transcript).policy.params['client.use']);
  if (policy.params['client.use'] === client) return plan;
  const changed = entryOf(byClient(policy), client, (): PlannedPolicy => {
    const params = Object.assign(createNameTable<ParamValue>(), policy.params, { 'client.use': client });
    return { ...policy, params };
  });
  return { ...plan, policy: changed };
}

/** Whether a plan leaves the context of a recording to its own client: compactions are then those that were recorded. */
export function followsRecording(plan: RunPlan, transcript: Transcript): boolean {
  if (modeOf(plan, transcript) === 'predict') return false;
  const { timing, llm, estimatorFactor, hooks, home } = plan;
  if (timing !== 'recorded' || llm.faults.length > 0 || estimatorFactor !== 1) return false;
  if (llm.cassette !== undefined) return false;
  if (hooks !== undefined || home !== undefined) return false;
  const base = basePlan(transcript);
  if (plan.policy !== base.policy && policyText(plan.policy) !== policyText(base.policy)) return false;
  if (plan.window === null && plan.model === null) return true;
  return transcript.threads.every(
    (thread) => windowUnder(plan, thread, transcript) === windowUnder(base, thread, transcript),
  );
}

/** The layers of a plan, without those whose work the recording shows: its client's, with the settings that it had. */
export function withoutRecordedLayers(
  layers: readonly LayerDefinition[],
  { policy }: RunPlan,
  transcript: Transcript,
): readonly LayerDefinition[] {
  const own = basePlan(transcript).policy.params;
  const isOwn = ({ path }: ParamSpec): boolean =>
    canonicalJson(ownValue(policy.params, path)) === canonicalJson(ownValue(own, path));
  return layers.filter(({ showsInRecording, params }) => showsInRecording !== true || !params.every(isOwn));
}

/** The conditions of a recording; those of one with models or a price day of its own are not kept. */
const known = new WeakMap<Transcript, Conditions>();

/** Recordings that others were made from by changing what their users did. */
const originals = new WeakMap<Transcript, Transcript>();

/** A recording in which the user did something else: what no policy decides is that of the original. */
export function changedRecording(changed: Transcript, original: Transcript): Transcript {
  originals.set(changed, original);
  return changed;
}

/** The recording that another was made from; itself where its user did nothing else. */
export function originalOf(recording: Transcript): Transcript {
  return originals.get(recording) ?? recording;
}

/** Replays the recording as its own client and notes what happened. */
export type Abduce = (plan: RunPlan, transcript: Transcript, conditions: Conditions) => void;

/** Whether a plan takes prices and models as they are. */
function isPlain({ models, priceDay }: RunPlan): boolean {
  return models === undefined && priceDay === undefined;
}

/** The plan as whose run the conditions of a recording are found: that of its own client, at the prices of a plan. */
function findingPlan(plan: RunPlan, transcript: Transcript): RunPlan {
  const base = basePlan(transcript);
  if (isPlain(plan)) return base;
  const { models, priceDay } = plan;
  return {
    ...base,
    ...(models === undefined ? {} : { models }),
    ...(priceDay === undefined ? {} : { priceDay }),
  };
}

function newConditions({ carries }: Transcript): Conditions {
  return new Conditions(carries.includes('cache-writes'));
}

/** Conditions for a run to find; null if they are known, or others find them. */
export function conditionsToFind(plan: RunPlan, transcript: Transcript): Conditions | null {
  if (known.has(transcript) || !followsRecording(plan, transcript)) return null;
  // The policy, which is most of a plan, is compared above.
  const rest = (own: RunPlan): string => canonicalJson({ ...own, policy: null });
  const isSame = rest(plan) === rest(findingPlan(plan, transcript));
  return isSame ? newConditions(transcript) : null;
}

/** Passes on what a replay as the recording's own client logs, and adds up what it made of the recording. */
export class FindingSink implements LogSink {
  #simulatedNano = 0;
  #lost = 0;

  constructor(
    private readonly sink: LogSink,
    private readonly found: Conditions,
  ) {}

  write(entry: LogEntry): void {
    if (entry.type === 'lost') this.#lost += entry.calls;
    if (entry.type === 'request' && (entry.purpose === 'main' || entry.purpose === 'subagent'))
      this.#simulatedNano += entry.cost - entry.outputCost;
    this.sink.write(entry);
  }

  /** The run is over: what it found is given to all others from now on. */
  finish(plan: RunPlan, transcript: Transcript): Reproduced {
    const { found } = this;
    const reasons = whyNotReproduced(recordedBill(transcript, plan), this.#lost);
    const reproduced = { recordedNano: found.recordedNano, simulatedNano: this.#simulatedNano, reasons };
    found.reproduced = reproduced;
    found.state = 'given';
    if (isPlain(plan)) known.set(transcript, found);
    return reproduced;
  }
}

/** What a run takes from its recording; null if it takes nothing. */
export function conditionsOf(plan: RunPlan, transcript: Transcript, abduce: Abduce): RunConditions | null {
  if (modeOf(plan, transcript) === 'predict') return null;
  let conditions = isPlain(plan) ? known.get(transcript) : undefined;
  if (conditions === undefined) {
    conditions = newConditions(transcript);
    abduce(findingPlan(plan, transcript), transcript, conditions);
  }
  const models = recordedModels(transcript);
  const isSameCache =
    plan.cache.mode === 'on' &&
    haveSameRules(providersOf(plan, models), providersOf(basePlan(transcript), models));
  return { conditions, reads: isSameCache ? 'as-recorded' : 'own' };
}

/** Whether caches have the same rules, even of different providers. */
function haveSameRules(a: readonly ProviderRef[], b: readonly ProviderRef[]): boolean {
  const rules = (provider: ProviderRef | undefined): string =>
    provider === undefined ? '' : canonicalJson(knownProvider(provider).cache);
  return a.length === b.length && a.every((provider, i) => rules(provider) === rules(b[i]));
}

/** What keeps a replay from reproducing a recording, in words; empty if nothing is known to. */
export function whyNotReproduced(bill: RecordedBill | null, lost: number): readonly string[] {
  const reasons: string[] = [];
  const bare = bill?.withoutUsage ?? 0;
  if (bare > 0)
    reasons.push(
      `${formatCounted(bare, 'response carries', 'responses carry')} no usage: simulated, not recorded`,
    );
  const unpriced = Object.entries(bill?.unpriced ?? {});
  if (unpriced.length > 0)
    reasons.push(
      `no price is known for ${unpriced.map(([model, calls]) => `${model} (${formatCounted(calls, 'call')})`).join(', ')}`,
    );
  if (lost > 0) reasons.push(`${formatCounted(lost, 'call')} could not be replayed`);
  return reasons;
}
