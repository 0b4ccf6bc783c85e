import type { BehavioursAt } from '../../agent/client/call-plan.js';
import { behavioursOf, fadeOf } from '../../agent/client/client.js';
import { createHome } from '../../agent/client/home.js';
import { messageBus } from '../../agent/client/message-bus.js';
import { recordedClient } from '../../agent/client/recorded-client.js';
import { shownAnswers, withShownPrefix } from '../../agent/client/shown-prefix.js';
import { layersAtWork } from '../../agent/policies/catalogue.js';
import { canonicalJson, sha256Hex } from '../../core/base/digest.js';
import type { Mutable } from '../../core/base/mutable.js';
import { getOrMake } from '../../core/base/once.js';
import { EventQueue } from '../../core/base/queue.js';
import { createRandom } from '../../core/base/random.js';
import {
  countCalls,
  type Transcript,
  withoutSummaryForks,
  withoutThinking,
} from '../../core/model/transcript.js';
import { Limits } from '../../core/run/limit.js';
import { type LogSink, RUN_LOG_VERSION, type RunEntry } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { createWarnings } from '../../core/run/warning.js';
import { breakdown } from '../../core/tokens/breakdown.js';
import { estimatorError } from '../../core/tokens/heuristic.js';
import { hasUses, usesByThread } from '../../core/uses/find-uses.js';
import { createProviderCache } from '../../provider/cache/prefix-cache.js';
import type { PromptCache } from '../../provider/cache/prompt-cache.js';
import { createFakeLlm, type FakeLlm } from '../../provider/fake-llm/fake-llm.js';
import { createFaultPlan, type FaultPlan } from '../../provider/fake-llm/faults.js';
import { type Cassette, checkCassette } from '../../provider/fake-llm/summaries/cassette.js';
import { priceDayText } from '../../provider/prices/models.js';
import { priceTimes } from '../../provider/prices/price.js';
import { recordedBill } from '../../provider/prices/recorded-bill.js';
import { checkLostChild } from '../context/invariants.js';
import type { Conditions, RunConditions } from '../requests/conditions.js';
import { ChanceTally, otherTokens, warnOfDoubts } from '../requests/provider-doubts.js';
import { cacheKinds, providerOf, recordedModels } from '../requests/provider-of.js';
import {
  clientRules,
  NO_TIMING,
  type RequestListener,
  Sessions,
  type StatusListener,
  type TimingSink,
} from '../requests/run-env.js';
import type { ThreadEnv } from '../requests/running-thread.js';
import { ThreadRun } from '../thread/thread-run.js';
import { Approvals } from './approvals.js';
import { ThreadForks } from './thread-forks.js';
import {
  conditionsOf,
  conditionsToFind,
  FindingSink,
  followsRecording,
  modeOf,
  originalOf,
  planOver,
  withoutRecordedLayers,
  withoutRecordedSummaries,
} from './what-if.js';

/** Steps of the replay between two chances to do something else. */
const STEPS_PER_PART = 64;

/** Listeners to a run besides the log. */
interface Listeners {
  readonly onRequest?: RequestListener;
  readonly onStatus?: StatusListener;
  /** Collects the thresholds that the run asks for. */
  readonly limits?: Limits;
  /** Hears which layer is about to act before a request. */
  readonly onAct?: (run: ThreadRun, layer: number) => void;
  /** Summaries of a plan that takes them from a cassette. */
  readonly cassette?: Cassette;
  /** `free`: the policy decides from the first request on, even where it is that of the recording's own client. */
  readonly course?: 'free';
  /** Takes what the recording shows, while it is replayed as its own client. */
  readonly finding?: Conditions;
  /**
   * `at-end`: how well the recording was reproduced is not used before the run is over. One as its own client then finds that
   * itself, which would otherwise take a run of its own before it.
   */
  readonly reproduced?: 'at-end';
}

/** Digest of a plan: equal plans over equal transcripts give equal logs; a plan with a cassette, by equal answers in it. */
export function planDigest(plan: RunPlan): string {
  return sha256Hex(canonicalJson(plan)).slice(0, 16);
}

/**
 * Replays a transcript under a plan and writes the log. Threads advance in the order of simulated time; equal times in the
 * order of the transcript, so the result depends on plan and transcript alone (INV-13).
 */
export function replay(
  plan: RunPlan,
  transcript: Transcript,
  sink: LogSink,
  timing: TimingSink = NO_TIMING,
  listeners: Listeners = {},
): void {
  const parts = replayParts(plan, transcript, sink, timing, listeners);
  while (parts.next().done !== true);
}

/** The same in short parts: the caller may do something else between them, or stop. */
export function* replayParts(
  planned: RunPlan,
  recording: Transcript,
  hearer: LogSink,
  timing: TimingSink = NO_TIMING,
  listeners: Listeners = {},
): Generator<void, void, void> {
  const plan = planOver(planned, recording);
  const { onRequest, onStatus, onAct, limits = new Limits(plan.policy), course, cassette } = listeners;
  checkCassette(plan, cassette);
  const recorded = recordedBill(recording, plan);
  const replayed = withoutSummaryForks(recording);
  const isPredicted = listeners.finding === undefined && modeOf(plan, replayed) === 'predict';
  const whole = isPredicted ? replayed : withShownPrefix(replayed);
  const original = originalOf(recording);
  const isOwn = listeners.reproduced === 'at-end' && course !== 'free' && original === recording;
  const finding = listeners.finding ?? (isOwn ? conditionsToFind(plan, whole) : null);
  const whatIf: RunConditions | null =
    finding !== null
      ? { conditions: finding, reads: 'as-recorded' }
      : isPredicted
        ? null
        : conditionsOf(plan, withShownPrefix(withoutSummaryForks(original)), abduce);
  const sink = finding === null ? hearer : new FindingSink(hearer, finding);
  const reproduced = whatIf?.conditions.reproduced ?? null;
  const follows = finding !== null || (course !== 'free' && followsRecording(plan, whole));
  const transcript = follows || isPredicted ? whole : withoutRecordedSummaries(whole);
  const { id, source, agentVersion, carries, threads } = transcript;
  const about = { id, source, agentVersion, carries, threads: threads.length, calls: countCalls(transcript) };
  const replayedOf: Mutable<RunEntry['transcript']> = {
    ...about,
    ...(recorded === null ? {} : { recorded }),
    ...(reproduced === null ? {} : { reproduced }),
  };
  sink.write(
    runEntryOf(
      {
        version: RUN_LOG_VERSION,
        ...(plan.plugins === undefined ? {} : { plugins: plan.plugins }),
        transcript: replayedOf,
      },
      plan,
    ),
  );
  const random = createRandom(plan.seed);
  const recordedBy = recordedClient(transcript);
  const byVersion = new Map<string | null, ReturnType<BehavioursAt>>();
  const behavioursAt: BehavioursAt = (version) => {
    return getOrMake(byVersion, version, () => behavioursOf(plan.policy.params, { ...recordedBy, version }));
  };
  const behaviours = behavioursAt(recordedBy.version);
  const cache =
    plan.cache.mode === 'off'
      ? null
      : createProviderCache(providerOf(plan, transcript), {
          fade: fadeOf(plan.cache.fade, behaviours),
          seed: plan.seed,
          lookback: behaviours.lookback,
        });
  const played = behaviours.thinking === 'off' ? withoutThinking(transcript) : transcript;
  const { supported, skipped } = layersAtWork(plan, transcript);
  const layers = whatIf === null ? supported : withoutRecordedLayers(supported, plan, whole);
  for (const entry of skipped) sink.write(entry);
  const sessions = new Sessions(transcript, plan.home);
  const env: ReplayEnv = {
    plan,
    limits,
    sink,
    answers: isPredicted ? plan.llm.fake : shownAnswers(plan.llm.fake, plan.policy.params, transcript),
    llm: llmOf(plan, cache, createFaultPlan(plan.llm.faults, random.split('faults'), transcript.startedAtMs)),
    cassette: cassette ?? null,
    layers,
    client: clientRules(plan.policy.params, layers, behaviours),
    behaviours,
    behavioursAt,
    whatIf,
    uses: () => usesByThread(transcript),
    source,
    course: follows ? 'recorded' : whatIf === null ? 'parted' : 'same',
    cacheKinds: cacheKinds(plan, transcript),
    pricedAt: priceTimes(transcript, plan),
    recorded: recordedBy,
    cache,
    files: createHome(plan),
    random,
    warnings: createWarnings(),
    timing,
    totals: { requests: 0, turns: 0, costNano: 0, least: null },
    luck: new ChanceTally(),
    sessions,
    forks: new ThreadForks(played),
    approvals: new Approvals(sessions.world),
    onRequest: onRequest ?? null,
    onStatus: onStatus ?? null,
    onAct: onAct === undefined ? null : (run, layer) => onAct(run as ThreadRun, layer),
  };
  warnOfNoRefetch(env, transcript);
  const models = recordedModels(transcript);
  warnOfDoubts(plan, models, env.warnings, env.whatIf?.reads === 'as-recorded' ? 'unrecorded' : 'all');
  const tokens = recorded === null ? null : otherTokens(plan, models);
  if (tokens !== null) env.warnings.add('other-tokens', tokens.message, tokens.remedy);
  const day = plan.priceDay ?? transcript.priceDay;
  if (day !== undefined) env.warnings.add('price-day', `all requests are priced as of ${priceDayText(day)}`);
  const endMs = yield* runThreads(env, played);
  logEnd(env, transcript, endMs);
  if (sink instanceof FindingSink) replayedOf.reproduced = sink.finish(plan, transcript);
}

/** Says where nothing can be fetched again though the plan asks for it. */
function warnOfNoRefetch({ plan, course, warnings }: ReplayEnv, transcript: Transcript): void {
  if (plan.faults?.refetch !== 'on') return;
  const reason = !hasUses(transcript)
    ? 'the transcript has no text of its own that tells what is needed'
    : course === 'recorded'
      ? 'the run follows its recording, which holds what was fetched'
      : null;
  if (reason !== null) warnings.add('no-refetch', `faults.refetch has no effect: ${reason}`);
}

/** Replays a recording as its own client, for what it shows. */
function abduce(plan: RunPlan, transcript: Transcript, finding: Conditions): void {
  replay(plan, transcript, { write: () => {} }, NO_TIMING, { finding });
}

/** What answers the requests of a plan. */
export function llmOf(plan: RunPlan, cache: PromptCache | null, faults: FaultPlan | null): FakeLlm {
  const billing = plan.policy.params['microcompact.cached.billDeleted'] === 'read' ? 'read' : 'free';
  return createFakeLlm(cache, plan.llm.fake.latencyScale, faults, billing);
}

/** Says what became of the whole. */
export function logEnd(env: ThreadEnv, transcript: Transcript, endMs: number): void {
  const { sink } = env;
  logMessageTotals(env, endMs);
  for (const warning of [...transcript.warnings, ...env.warnings.list()])
    sink.write({ type: 'warning', ...warning });
  const chance = env.luck.finish();
  sink.write({
    type: 'end',
    t: endMs,
    turns: env.totals.turns,
    requests: env.totals.requests,
    cost: env.totals.costNano,
    ...(chance === null ? {} : { chance }),
    ...env.totals.least,
  });
}

/** What the threads share, with what the replay itself asks of forks and approvals. */
interface ReplayEnv extends ThreadEnv {
  readonly forks: ThreadForks;
  readonly approvals: Approvals;
}

function* runThreads(env: ReplayEnv, transcript: Transcript): Generator<void, number, void> {
  const queue = new EventQueue<ThreadRun>();
  const runs = new Map<string, ThreadRun>();
  const started = new Set<ThreadRun>();
  const finished = new Set<ThreadRun>();
  const bus = messageBus(env.sessions.world);
  for (const thread of transcript.threads) {
    const run = new ThreadRun(env, thread);
    runs.set(thread.id, run);
    bus.register(thread.id, run.session.name, run.isMain);
    const timeMs = env.forks.waits(thread) ? null : run.nextTimeMs();
    if (timeMs !== null) queue.push(timeMs, run);
  }
  const runOf = (id: string | null | undefined): ThreadRun | null =>
    id === null || id === undefined ? null : (runs.get(id) ?? null);
  const queueForks = (): void => {
    for (const id of env.forks.takeReady()) {
      const run = runs.get(id)!;
      const timeMs = run.nextTimeMs();
      if (timeMs !== null) queue.push(timeMs + env.forks.shiftOf(run.thread), run);
    }
  };
  queueForks();
  let endMs = 0;
  let steps = 0;
  /** Sessions that take up one which is still at work, by that one. */
  const heldBy = new Map<ThreadRun, ThreadRun>();
  const finish = (run: ThreadRun, timeMs: number): void => {
    run.finish();
    finished.add(run);
    logBreakdown(env, run);
    for (const [held, origin] of heldBy) {
      if (origin !== run) continue;
      heldBy.delete(held);
      queue.push(Math.max(timeMs, held.nextTimeMs() ?? 0), held);
    }
  };
  const requeue = (waited: readonly ThreadRun[]): void => {
    for (const run of waited) {
      const timeMs = run.nextTimeMs();
      if (timeMs === null) finish(run, run.now);
      else queue.push(timeMs, run);
    }
  };
  const take = () => {
    const next = queue.pop();
    if (next !== null) return next;
    requeue(env.approvals.releaseAll(endMs));
    return queue.pop();
  };
  for (let next = take(); next !== null; next = take()) {
    const run = next.item;
    if (!started.has(run)) {
      const origin = runOf(run.thread.continues);
      if (origin !== null && !finished.has(origin) && origin.nextTimeMs() !== null) {
        heldBy.set(run, origin);
        continue;
      }
      started.add(run);
      run.begin(runOf(run.thread.parentId), origin);
      const timeMs = run.nextTimeMs();
      if (timeMs !== null && timeMs > next.timeMs) {
        queue.push(timeMs, run);
        continue;
      }
    }
    for (let stepMs = next.timeMs; ; ) {
      run.advance();
      if (env.forks.hasReady) queueForks();
      requeue(env.approvals.takeAnswered());
      if (++steps % STEPS_PER_PART === 0) yield;
      endMs = Math.max(endMs, run.now);
      if (env.approvals.isWaiting(run)) break;
      const timeMs = run.nextTimeMs();
      if (timeMs === null) {
        finish(run, stepMs);
        break;
      }
      stepMs = timeMs;
      const other = queue.peekTime();
      if (other !== null && other < timeMs) {
        queue.push(timeMs, run);
        break;
      }
    }
  }
  for (const run of runs.values())
    if (!started.has(run) && run.nextTimeMs() !== null) checkLostChild(run.thread.id, null);
  return endMs;
}

/** What became of the messages between agents (AGT-4); none may be lost. */
function logMessageTotals(env: ThreadEnv, endMs: number): void {
  const totals = messageBus(env.sessions.world).totals(env.files);
  if (totals.sent === 0 && totals.broken === 0) return;
  env.sink.write({
    type: 'notice',
    t: endMs,
    thread: '',
    what: 'messages',
    message: `${totals.sent} messages between agents, ${totals.delivered} delivered, ${totals.lost} lost`,
    details: { ...totals },
  });
}

/** What a conversation consists of at its end. */
export function logBreakdown(env: ThreadEnv, run: ThreadRun): void {
  env.sink.write({
    type: 'breakdown',
    thread: run.thread.id,
    breakdown: breakdown(run.context.messages, 'true'),
    estimator: estimatorError(run.context.messages),
  });
}

/** The first entry of a run under a plan; the digest of the plan is computed when it is read, which sums do not do. */
export function runEntryOf(
  { version, plugins, transcript }: Pick<RunEntry, 'version' | 'plugins' | 'transcript'>,
  plan: RunPlan,
): RunEntry {
  return {
    type: 'run',
    version,
    name: plan.name,
    seed: plan.seed,
    policy: plan.policy.name,
    get planDigest() {
      return planDigest(plan);
    },
    plan,
    ...(plugins === undefined ? {} : { plugins }),
    transcript,
  };
}
