import type { ClientBehaviour } from '../../agent/client/client.js';
import { copyState, restoreState } from '../../core/base/checkpoint.js';
import type { Files } from '../../core/base/files.js';
import type { Random } from '../../core/base/random.js';
import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import type { PrefixView } from '../../core/model/prefix.js';
import type { ManualCompaction, RecordedCall, Thread } from '../../core/model/transcript.js';
import type { StopKind } from '../../core/run/action.js';
import type { BreakCause } from '../../core/run/break-causes.js';
import type { ContextView, Notice, QuerySource, Unfolded } from '../../core/run/layer.js';
import type { Hook } from '../../core/run/policy-rules.js';
import type { CacheObservation } from '../../provider/cache/break-detector.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import type { Context } from '../context/context.js';
import type { Deletions } from '../context/deletions.js';
import type { Journal, TakenOut } from '../context/taken-out.js';
import type { CachedPrefix, ThreadView } from '../context/thread-view.js';
import type { Origin } from '../counting/own-tokens.js';
import { type CounterRules, SeenCounter } from '../counting/seen-counter.js';
import type { Course } from './conditions.js';
import type { Exchange } from './exchange.js';
import type { Outgoing, RunEnv, SessionState } from './run-env.js';
import type { ClientKey, ThreadModel } from './thread-model.js';

/** What the actions of one layer have cost so far; reported with its next report. */
export class Tally {
  calls = 0;
  costNano = 0;
  cacheLost = 0;
  keepAlives = 0;
}

/** Why a thread makes no calls, until when, and what becomes of those it had: lost, or ended by another agent (C36). */
export interface Stop {
  readonly reason: string;
  readonly until: 'next-prompt' | 'end';
  readonly how: 'lost' | 'ended';
}

/** What the requests of a thread have shown so far; another thread can continue from it. */
export interface RequestState {
  readonly seen: SeenCounter;
  readonly latest: CacheObservation | null;
  readonly cached: CachedPrefix;
  readonly lastResponseMs: number | null;
}

/** A copy of what the requests of a thread have shown by now. */
export function requestStateOf({
  counter,
  seen,
  cached,
  exchange: { latest },
  lastResponseMs,
}: RunningThread): RequestState {
  const copy = new SeenCounter(counter);
  restoreState(copy, seen);
  return { seen: copy, cached: copyState(cached), latest, lastResponseMs };
}

/** A parent right after the response that starts children: what they inherit, whatever it does later (AGT-1, C5). */
export interface ForkSnapshot {
  readonly prefix: readonly Block[];
  readonly messages: readonly Message[];
  readonly freshTokens: number;
  readonly sentLength: number;
  readonly key: ClientKey;
  readonly requests: RequestState;
  /** Edits that stay pinned while the cache lives (MIC-3). */
  readonly deletions: Deletions;
  readonly takenOut: TakenOut;
  /** What its layers share and a fork begins with, by name. */
  readonly shared: ReadonlyMap<string, object>;
}

/** Where threads fork, as far as a thread asks (C4). */
export interface Forks {
  /** A call was answered: the children that start from it may begin. */
  note(run: RunningThread, call: RecordedCall): void;
  /** A call was lost, and the children that it would have started with it. */
  lose(run: RunningThread, call: RecordedCall): void;
  shiftOf(thread: Thread): number;
  snapshotOf(thread: Thread): ForkSnapshot | null;
  whyLost(thread: Thread): string | null;
  numberOf(thread: Thread): number;
  warmed(thread: Thread, atMs: number): void;
  holdUntil(thread: Thread): number | null;
}

/** What all threads of one run share, with what lies between threads. */
export interface ThreadEnv extends RunEnv {
  readonly forks: Forks;
  /** Called when a layer is about to act before a request, −1 where a limit is met after them; null without a listener. */
  readonly onAct: ((run: RunningThread, layer: number) => void) | null;
  /** Agents that wait for the approval of their plans. */
  readonly approvals: { wait(run: RunningThread): void };
}

/** A thread of a run, as everything that works on it sees it. `ThreadRun` implements it. */
export interface RunningThread {
  readonly env: ThreadEnv;
  readonly thread: Thread;
  readonly session: SessionState;
  readonly isMain: boolean;
  readonly source: QuerySource;
  readonly random: Random;
  /** Its conversation, what layers see of it, what the policy believes its size to be, and its record on disk. */
  readonly context: Context;
  readonly view: ThreadView;
  readonly counter: CounterRules;
  readonly seen: SeenCounter;
  readonly journal: Journal;
  readonly takenOut: TakenOut;
  readonly cached: CachedPrefix;
  readonly model: ThreadModel;
  /** The latest recorded call that it came to; null before the first. */
  readonly call: RecordedCall | null;
  readonly exchange: Exchange;
  /** What its client does about calls, and its part of the cache key. */
  readonly client: {
    readonly key: ClientKey;
    /** Chance that the latest call breaks the cache for no reason the recording shows. */
    readonly risk: number;
    readonly suggests: boolean;
    readonly awaySummaries: ClientBehaviour['awaySummaries'];
    before(call: RecordedCall): void;
    skip(): void;
    inherit(key: ClientKey): void;
    /** Tokens at the beginning of a request that others keep in the cache. */
    outsideTokens(view: PrefixView, model: ModelRow): number;
  };
  /** Its layers, as far as they are informed of changes. */
  readonly host: {
    observe(message: Message): void;
    reset(messages: readonly Message[]): void;
    resume(messages: readonly Message[], view: ContextView): void;
    unfold(messageId: string, files: Files): Unfolded | null;
  };
  /** What it needs and no longer holds. */
  readonly faults: {
    check(run: RunningThread, call: RecordedCall): void;
    compacted(turn: number): void;
    /** Messages that no policy takes out. */
    excuse(ids: Iterable<string>): void;
    skip(call: RecordedCall): void;
    finish(run: RunningThread): void;
  };
  /** Watches for compactions that cheap layers prevent. */
  readonly prevention: { check(run: RunningThread): void; compacting(run: RunningThread): void };
  /** Whether the step at hand was taken before. */
  readonly steps: { readonly isAgain: boolean };
  /** State shared by its layers. */
  readonly shared: Map<string, unknown>;
  /** Summaries of compactions that only the recording made: what was attached to them is not this run's. */
  readonly recordedSummaries: Set<string>;
  readonly tally: Tally;
  readonly lastResponseMs: number | null;
  /** Whether the user spoke since the latest request. */
  readonly spoken: 'spoken' | 'silent';
  /** Why it makes no calls; null while it does. */
  readonly failure: Stop | null;
  /** How it goes through its recording. */
  course: Course;
  /** Its context is no longer that of the recording: the policy decides alone. */
  part(): void;
  /** The call that the prompt was brought to its recorded size for. */
  sizedFor: RecordedCall | null;
  /** Tokens that the policy's own compaction left where one was recorded, with what came since; null elsewhere. */
  ownLeft: number | null;
  /** The prompt of its latest request in a what-if, and the tokens at the end of it that were not written. */
  tail: { readonly prompt: number; readonly plain: number } | null;
  turn: number;
  now: number;
  /** Milliseconds by which simulated time is behind the recording. */
  shiftMs: number;
  /** Positions of the request that was sent last. */
  sentLength: number;
  /** For a fork: tokens it has in common with its parent, and the last position of what its siblings share. */
  sharedTokens: number | null;
  sharedEnd: number | null;
  /** Why the context changed since the last request, first cause wins (BRD-3). */
  announced: BreakCause | null;
  /** Names of the tools that changed since the last request, where known. */
  changedTools: readonly string[] | null;
  /** Messages whose thinking is gone, from the first on. */
  thinkingStrippedTo: number;
  /** A layer put a new history in place since this was last cleared. */
  historyReplaced: boolean;
  /** Simulated time of the next call, event or wake-up; null when the thread has ended. */
  nextTimeMs(): number | null;
  /** Lets simulated time pass. */
  pass(ms: number): void;
  /** A layer wants to be asked again at a time. */
  wakeAt(timeMs: number, needs?: 'process' | 'next-step'): void;
  /** A message waits for the next request. */
  expectMessage(message: Message): void;
  /** Writes a notice about it to the log. */
  note(what: string, message: string, details?: Notice['details']): void;
  /** Takes in what is waiting. */
  joinPending(): void;
  /** Messages join the context, the counter, the journal and the layers' knowledge. */
  join(messages: readonly Message[], origin: Origin): void;
  /** Takes over another thread's conversation, with what its requests have shown. */
  inheritMessages(messages: readonly Message[], from: RequestState): void;
  /** Asks the layers of a point of the loop. */
  askLayers(point: Hook, manual?: ManualCompaction | null): void;
  /** The layers have acted; called before the check of what they prevent. */
  beforeCheck(): void;
  /** A generator for one call of a layer. */
  askRandom(purpose: string): Random;
  /** Cached tokens in front of a position that is as it was sent. */
  cachedTokens(position: number): number;
  /** Takes note that a request of the thread's own chain was answered. */
  noteSent(out: Outgoing, call: RecordedCall): void;
  /** Takes note that a request which is there for the cache alone found the entry at a time, or made it. */
  noteKeptAlive(atMs: number): void;
  /** The answer to a call has come. */
  takeResponse(call: RecordedCall, latencyMs: number): void;
  /** A recorded call cannot take place, and with it what it would have started. */
  lose(call: RecordedCall): void;
  /** The user does something: a block or an error that ended the prompt holds no longer (C42). */
  userActs(): void;
  /** What the user did freed no room, so the thread is still blocked. */
  haltAgain(stop: Stop | null): void;
  /** The thread never gets to work. */
  giveUp(reason: string, how?: Stop['how']): void;
  /** A guard or an error ends the prompt or the run, or another agent ends this one. */
  stop(what: StopKind, message: string): void;
}
