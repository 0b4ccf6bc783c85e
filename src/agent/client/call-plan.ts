import type { RecordedCall, Thread } from '../../core/model/transcript.js';
import { type CallFacts, callFacts, type Thinking } from './call-facts.js';
import type { ClientBehaviour } from './client.js';

/** Why the messages of a request find nothing of what the one before left, system and tools at best. */
export type FreshStart = 'process' | 'version' | 'tools';

/** One call of a thread with what its client does about it, known before the cache answers. */
export interface CallPlan {
  readonly call: RecordedCall;
  readonly behaviours: ClientBehaviour;
  readonly thinking: Thinking;
  readonly delivery: 'streamed' | 'whole';
  readonly fresh: FreshStart | null;
  /** A suggestion follows its response. */
  readonly suggestion: 'asked' | 'none';
  /** Whether the recording shows that one did; null where it does not tell. */
  readonly suggested: boolean | null;
  /** When summaries for a user who was away renew what it left (K17). */
  readonly awayMs: readonly number[];
}

/** The behaviours of a client at a version of the recording; a client that was chosen is the same at all of them. */
export type BehavioursAt = (version: string | null) => ClientBehaviour;

/** A user who answers sooner than this leaves no time for a suggestion. */
const SUGGESTION_DELAY_MS = 2_000;

/** What a client does about the calls of a thread, one after the other. */
export class CallPlans {
  private readonly facts: Iterator<CallFacts>;
  private behaviours: ClientBehaviour;
  private taken = 0;

  constructor(
    private readonly thread: Thread,
    private readonly behavioursAt: BehavioursAt,
    firstVersion: string | null,
  ) {
    this.facts = callFacts(thread)[Symbol.iterator]();
    this.behaviours = behavioursAt(firstVersion);
  }

  /** The plan of the next call; null behind the last. */
  next(): CallPlan | null {
    const { value: facts } = this.facts.next();
    if (facts === undefined) return null;
    this.taken++;
    if (facts.version !== undefined) this.behaviours = this.behavioursAt(facts.version);
    const { behaviours } = this;
    return {
      call: facts.call,
      behaviours,
      thinking: behaviours.thinkingSwitch === 'by-speaker' ? facts.thinking : null,
      delivery: behaviours.fallback === 'own-variant' ? facts.delivery : 'streamed',
      fresh: freshStart(facts, behaviours),
      suggestion: this.isFollowed(facts) ? 'asked' : 'none',
      suggested: facts.suggested,
      awayMs: behaviours.awaySummaries === 'off' ? [] : facts.awayMs,
    };
  }

  /** Goes on behind the call that others of the same thread have come to. */
  restoreFrom(other: CallPlans): void {
    for (; this.taken < other.taken; this.taken++) this.facts.next();
    this.behaviours = other.behaviours;
  }

  /** A response that gives the word back to the user is followed by a suggestion, unless the next request comes at once. */
  private isFollowed({ silenceMs }: CallFacts): boolean {
    return (
      silenceMs !== null &&
      silenceMs >= SUGGESTION_DELAY_MS &&
      this.thread.parentId === null &&
      this.behaviours.suggestions !== 'off'
    );
  }
}

function freshStart({ fresh, behindSearch }: CallFacts, behaviours: ClientBehaviour): FreshStart | null {
  if (fresh !== null) return behaviours.newProcess === 'same' ? null : fresh;
  return behindSearch === 'first-search' && behaviours.toolLoading === 'first-search' ? 'tools' : null;
}

/** What a client does about each call of a thread, in order. */
export function planCalls(
  thread: Thread,
  behavioursAt: BehavioursAt,
  firstVersion: string | null,
): readonly CallPlan[] {
  const plans = new CallPlans(thread, behavioursAt, firstVersion);
  const all: CallPlan[] = [];
  for (let plan = plans.next(); plan !== null; plan = plans.next()) all.push(plan);
  return all;
}
