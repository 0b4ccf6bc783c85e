import type { RecordedCall, Thread } from '../../core/model/transcript.js';
import { type CallFacts, callFacts, type Thinking } from './call-facts.js';
import type { ClientHabits } from './client.js';

/** Why the messages of a request find nothing of what the one before left, system and tools at best. */
export type FreshStart = 'process' | 'version' | 'tools';

/** One call of a thread with what its client does about it, known before the cache answers. */
export interface CallPlan {
  readonly call: RecordedCall;
  readonly habits: ClientHabits;
  readonly thinking: Thinking;
  readonly delivery: 'streamed' | 'whole';
  readonly fresh: FreshStart | null;
  /** A suggestion follows its response. */
  readonly suggestion: 'asked' | 'none';
}

/** The habits of a client at a version of the recording; a client that was chosen is the same at all of them. */
export type HabitsAt = (version: string | null) => ClientHabits;

/** A user who answers sooner than this leaves no time for a suggestion. */
const SUGGESTION_DELAY_MS = 2_000;

/** What a client does about the calls of a thread, one after the other. */
export class CallPlans {
  private readonly facts: Iterator<CallFacts>;
  private habits: ClientHabits;
  private taken = 0;

  constructor(
    private readonly thread: Thread,
    private readonly habitsAt: HabitsAt,
    firstVersion: string | null,
  ) {
    this.facts = callFacts(thread)[Symbol.iterator]();
    this.habits = habitsAt(firstVersion);
  }

  /** The plan of the next call; null behind the last. */
  next(): CallPlan | null {
    const { value: facts } = this.facts.next();
    if (facts === undefined) return null;
    this.taken++;
    if (facts.version !== undefined) this.habits = this.habitsAt(facts.version);
    const { habits } = this;
    return {
      call: facts.call,
      habits,
      thinking: habits.thinkingSwitch === 'by-speaker' ? facts.thinking : null,
      delivery: habits.fallback === 'own-variant' ? facts.delivery : 'streamed',
      fresh: freshStart(facts, habits),
      suggestion: this.isFollowed(facts) ? 'asked' : 'none',
    };
  }

  /** Goes on behind the call that others of the same thread have come to. */
  restoreFrom(other: CallPlans): void {
    for (; this.taken < other.taken; this.taken++) this.facts.next();
    this.habits = other.habits;
  }

  /** A response that gives the word back to the user is followed by a suggestion, unless the next request comes at once. */
  private isFollowed({ silenceMs }: CallFacts): boolean {
    return (
      silenceMs !== null &&
      silenceMs >= SUGGESTION_DELAY_MS &&
      this.thread.parentId === null &&
      this.habits.suggestions !== 'off'
    );
  }
}

function freshStart({ fresh, behindSearch }: CallFacts, habits: ClientHabits): FreshStart | null {
  if (fresh !== null) return habits.newProcess === 'same' ? null : fresh;
  return behindSearch === 'first-search' && habits.toolLoading === 'first-search' ? 'tools' : null;
}

/** What a client does about each call of a thread, in order. */
export function planCalls(
  thread: Thread,
  habitsAt: HabitsAt,
  firstVersion: string | null,
): readonly CallPlan[] {
  const plans = new CallPlans(thread, habitsAt, firstVersion);
  const all: CallPlan[] = [];
  for (let plan = plans.next(); plan !== null; plan = plans.next()) all.push(plan);
  return all;
}
