import type { HabitsAt } from '../../agent/client/call-plan.js';
import type { ClientHabits } from '../../agent/client/client.js';
import type { RecordedClient } from '../../agent/client/recorded-client.js';
import type { Files } from '../../core/base/files.js';
import type { Random } from '../../core/base/random.js';
import type { Limits } from '../../core/run/limit.js';
import type { LogSink } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import type { TierDefinition } from '../../core/run/tier.js';
import type { WarningList } from '../../core/run/warning.js';
import type { PromptCache } from '../../provider/cache/prompt-cache.js';
import type { FakeLlm } from '../../provider/llm/fake-llm.js';
import type { ChanceTally } from './chance-tally.js';
import type { ClientRules } from './client-rules.js';
import type { Outgoing } from './outgoing.js';
import type { CacheKinds } from './provider-of.js';
import type { Sessions } from './session-state.js';
import type { StatusCheck } from './shown-status.js';
import type { TimingSink } from './timing-sink.js';

/** What all threads of one run share. */
export interface RunEnv {
  readonly plan: RunPlan;
  /** The thresholds that layers hold counts against. */
  readonly limits: Limits;
  readonly sink: LogSink;
  readonly llm: FakeLlm;
  /** Tiers of the policy, in order; those the transcript cannot support are left out and said so. */
  readonly tiers: readonly TierDefinition[];
  /** How the client goes about its requests. */
  readonly client: ClientRules;
  /** What the client does to its requests towards the cache; at the first version of the recording, and at others. */
  readonly habits: ClientHabits;
  readonly habitsAt: HabitsAt;
  /** What the recording tells of the client that made it. */
  readonly recorded: RecordedClient;
  /** What requests need to know of the cache. */
  readonly cacheKinds: CacheKinds;
  /** The cache behind the LLM, for what others than this run's requests have left in it; null without one. */
  readonly cache: PromptCache | null;
  readonly files: Files;
  readonly random: Random;
  readonly warnings: WarningList;
  readonly timing: TimingSink;
  readonly totals: RunTotals;
  /** What chance adds to the cost. */
  readonly luck: ChanceTally;
  readonly sessions: Sessions;
  /** Hears of every request before it is sent; null when nobody listens. */
  readonly onRequest: RequestListener | null;
  /** Hears of what the client could show before each request, in the place of the log; null where the log tells it. */
  readonly onStatus: StatusListener | null;
}

/** Hears which request a thread is about to send; the view in it changes afterwards. */
export type RequestListener = (thread: string, out: Outgoing) => void;

/** Hears how full the context of a main thread is. */
export type StatusListener = (check: StatusCheck) => void;

/** Counters of the run as it goes. */
export interface RunTotals {
  requests: number;
  turns: number;
  costNano: number;
}
