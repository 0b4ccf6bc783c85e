import type { Message } from '../../core/model/message.js';
import type { ManualCompaction, RecordedCall, Thread } from '../../core/model/transcript.js';
import type { Point } from '../../core/run/point.js';
import type { ActingThread } from '../actions/acting-thread.js';
import type { CachedPrefix } from '../context/cached-prefix.js';
import type { CounterRules } from '../counting/seen-counter.js';
import type { ClientKey } from '../requests/client-key.js';
import type { RunEnv } from '../requests/run-env.js';
import type { SessionState } from '../requests/session-state.js';
import type { ForkPoint } from './fork-point.js';
import type { Standing } from './standing.js';
import type { StepQueue } from './step-queue.js';
import type { Stop } from './stop.js';
import type { TierHost } from './tier-host.js';

/** Where threads fork, as far as a thread asks (C4). */
export interface Forks {
  /** A call was answered: the children that start from it may begin. */
  note(run: LoopThread, call: RecordedCall): void;
  /** A call was lost, and the children that it would have started with it. */
  lose(run: LoopThread, call: RecordedCall): void;
  shiftOf(thread: Thread): number;
  pointOf(thread: Thread): ForkPoint | null;
  whyLost(thread: Thread): string | null;
  numberOf(thread: Thread): number;
  warmed(thread: Thread, atMs: number): void;
  holdUntil(thread: Thread): number | null;
}

/** What all threads of one run share, with what lies between threads. */
export interface LoopEnv extends RunEnv {
  readonly forks: Forks;
  /** Hears which tier of a thread is about to act before a request, −1 where a limit is met behind them; null where nobody listens. */
  readonly onAct: ((run: LoopThread, tier: number) => void) | null;
  /** Agents that wait for the approval of their plans. */
  readonly approvals: { wait(run: LoopThread): void };
}

/** A thread as the parts of its loop see it: how it begins, what happens to it, how it ends. */
export interface LoopThread extends ActingThread {
  readonly env: LoopEnv;
  readonly host: TierHost;
  readonly steps: StepQueue;
  readonly session: SessionState;
  readonly counter: CounterRules;
  readonly cached: CachedPrefix;
  readonly client: ActingThread['client'] & { inherit(key: ClientKey): void };
  /** State shared by the tiers of this thread. */
  readonly shared: Map<string, unknown>;
  /** Summaries of compactions that only the recording made: what was attached to them is not this run's. */
  readonly recordedSummaries: Set<string>;
  readonly lastResponseMs: number | null;
  /** Why it makes no calls; null while it does. */
  readonly failure: Stop | null;
  readonly isStuck: boolean;
  now: number;
  /** Milliseconds by which simulated time runs behind the recording. */
  shiftMs: number;
  sentLength: number;
  /** For a fork: tokens it has in common with its parent, and the last position of what its siblings share. */
  sharedTokens: number | null;
  sharedEnd: number | null;
  /** Simulated time of the next call, event or wake-up; null when the thread has ended. */
  nextTimeMs(): number | null;
  /** Takes in what is waiting. */
  joinPending(): void;
  /** Asks the tiers of a point of the loop. */
  askTiers(point: Point, manual?: ManualCompaction | null): void;
  /** A message waits for the next request. */
  expectMessage(message: Message): void;
  /** The thread never gets to work. */
  giveUp(reason: string, how?: Stop['how']): void;
  /** Takes over another thread's conversation as it stands there, with what its requests have shown. */
  inheritMessages(messages: readonly Message[], from: Standing): void;
}
