import type { Random } from '../../core/base/random.js';
import type { PrefixView } from '../../core/model/prefix.js';
import type { RecordedCall, Thread } from '../../core/model/transcript.js';
import type { BreakCause } from '../../core/run/run-log.js';
import type { QuerySource } from '../../core/run/tier.js';
import type { ModelRow } from '../../provider/prices/model-table.js';
import type { Context } from '../context/context.js';
import type { TakenOut } from '../context/taken-out.js';
import type { ThreadView } from '../context/thread-view.js';
import type { SeenCounter } from '../counting/seen-counter.js';
import type { ClientKey } from './client-key.js';
import type { Exchange } from './exchange.js';
import type { Outgoing } from './outgoing.js';
import type { RunEnv } from './run-env.js';
import type { ThreadModel } from './thread-model.js';

/** What the actions of one tier have cost so far; reported with its next report. */
export class Tally {
  calls = 0;
  costNano = 0;
  cacheLost = 0;
  keepAlives = 0;
}

/** A thread as its requests see it: what they are made of, and what they leave behind. */
export interface RequestingThread {
  readonly env: RunEnv;
  readonly thread: Thread;
  readonly isMain: boolean;
  readonly source: QuerySource;
  readonly now: number;
  readonly turn: number;
  readonly context: Context;
  readonly view: ThreadView;
  readonly seen: SeenCounter;
  readonly takenOut: TakenOut;
  readonly model: ThreadModel;
  readonly exchange: Exchange;
  /** The client's own part of the cache key, and the chance of a break that nothing foretells. */
  readonly client: {
    readonly key: ClientKey;
    readonly risk: number;
    /** Tokens at the beginning of a request that others keep in the cache. */
    outsideTokens(view: PrefixView, model: ModelRow): number;
  };
  /** Whether the step at hand was taken before. */
  readonly steps: { readonly isAgain: boolean };
  /** Whether somebody spoke since the latest request. */
  readonly spoken: 'spoken' | 'silent';
  /** For a fork: the last position of what its siblings share. */
  readonly sharedEnd: number | null;
  /** Positions of the request that was sent last. */
  readonly sentLength: number;
  readonly tally: Tally;
  /** Why the context changed since the last request, first cause wins (BRD-3). */
  announced: BreakCause | null;
  /** Messages whose thinking is gone, from the first on. */
  thinkingStrippedTo: number;
  /** Lets simulated time pass. */
  pass(ms: number): void;
  /** A generator for one call of a layer. */
  askRandom(purpose: string): Random;
  /** Takes note that a request of the thread's own chain was answered. */
  noteSent(out: Outgoing, call: RecordedCall): void;
  /** Takes note that a request which is there for the cache alone found the entry at a time, or made it. */
  noteKeptAlive(atMs: number): void;
}
