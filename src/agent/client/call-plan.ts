import { getOrMake } from '../../core/base/once.js';
import { hasToolUse, isSpoken } from '../../core/model/message.js';
import type { RecordedCall, SpokenThinking, Step, Thread } from '../../core/model/transcript.js';
import { promptTokens } from '../../core/model/usage.js';
import type { ClientBehaviour } from './client.js';

/** Thinking as a request asks for it; null if nothing switches it. */
type Thinking = 'on' | 'off' | null;

/** What several speakers before one request come to: who asks for thinking gets it. */
function joined(before: SpokenThinking | null, next: SpokenThinking): SpokenThinking {
  if (before === 'on' || next === 'on') return 'on';
  return before === 'off' || next === 'off' ? 'off' : 'unsaid';
}

function thinks(step: Step): boolean {
  return step.kind === 'call' && step.call.response.blocks.some((block) => block.kind === 'thinking');
}

/**
 * Thinking of each call of a thread, in order (K1). Whoever speaks decides for all calls up to the next one who does; where
 * that was not said, one thinking block among their responses tells that it was on. Threads in which nobody ever says stay
 * as they are.
 */
function thinkingOfCalls(thread: Thread): readonly Thinking[] {
  const found: Thinking[] = [];
  let spoken: SpokenThinking | null = null;
  let isOpen = false;
  let from = 0;
  let sawThinking = false;
  const close = (): void => {
    const state = spoken === 'unsaid' ? (sawThinking ? 'on' : 'off') : spoken;
    while (from < found.length) found[from++] = state;
    sawThinking = false;
  };
  for (const step of thread.steps) {
    if (step.kind === 'event' && step.event.kind === 'speaker') {
      if (!isOpen) close();
      spoken = isOpen ? joined(spoken, step.event.thinking) : step.event.thinking;
      isOpen = true;
    } else if (step.kind === 'call') {
      found.push(null);
      if (thinks(step)) sawThinking = true;
      isOpen = false;
    }
  }
  close();
  return found;
}

/** What a thread tells of one of its calls, whatever its client makes of it. */
interface CallFacts extends Pick<CallPlan, 'call' | 'thinking' | 'delivery' | 'awayMs'> {
  /** The client changed before it; somebody spoke first since. */
  readonly fresh: 'process' | 'version' | null;
  /** The client is another version from here on; undefined if it is the same. */
  readonly version: string | null | undefined;
  /** The call before it was the first to look for tools. */
  readonly behindSearch: 'first-search' | 'none';
  /** Its response gives the word back to the user, who takes this long; null if it does not, or nothing follows. */
  readonly silenceMs: number | null;
  /** Whether a suggestion followed it, as the next request shows; null if neither that nor most others of the thread tell. */
  readonly suggested: boolean | null;
}

/** A user who answers sooner than this leaves no time for a suggestion. */
const SUGGESTION_DELAY_MS = 2_000;

/** The tool that looks for tools. */
const TOOL_SEARCH = 'ToolSearch';

/** In generated sessions nobody says anything about thinking. */
const NOTHING_SAID: readonly Thinking[] = [];

/** Facts of threads, found once however often a transcript is replayed. */
const FOUND = new WeakMap<Thread, readonly CallFacts[]>();

/** The facts of a thread's calls, in order; those of a flow are found as they are asked for. */
function callFacts(thread: Thread): Iterable<CallFacts> {
  if (thread.flow !== undefined) return findFacts(thread.flow.steps(), NOTHING_SAID);
  return getOrMake(FOUND, thread, () =>
    withUsualSuggestions([...findFacts(thread.steps, thinkingOfCalls(thread))]),
  );
}

/**
 * A session id or version that changes between a tool call and its result is no new process: somebody speaks first in one.
 */
function* findFacts(steps: Iterable<Step>, thinkings: Iterable<Thinking>): Generator<CallFacts, void, void> {
  const thinking = thinkings[Symbol.iterator]();
  let found: CallFacts | null = null;
  let fresh: CallFacts['fresh'] = null;
  let version: CallFacts['version'];
  let delivery: CallFacts['delivery'] = 'streamed';
  let spoken: 'spoken' | 'silent' = 'spoken';
  let searched: 'never' | 'now' | 'before' = 'never';
  let awayMs: number[] = [];
  for (const step of steps) {
    if (step.kind === 'message') {
      if (isSpoken(step.message)) spoken = 'spoken';
    } else if (step.kind === 'event') {
      if (step.event.kind === 'fallback') delivery = 'whole';
      else if (step.event.kind === 'clear') searched = 'never';
      else if (step.event.kind === 'away-summary') awayMs.push(step.event.at);
      else if (step.event.kind === 'version') {
        fresh = 'version';
        version = step.event.version;
      } else if (step.event.kind === 'resume') fresh ??= 'process';
    } else {
      const { call } = step;
      if (spoken === 'silent') fresh = null;
      const behindSearch = searched === 'now' ? 'first-search' : 'none';
      if (searched === 'now') searched = 'before';
      if (searched === 'never' && call.response.blocks.some((block) => block.tool === TOOL_SEARCH))
        searched = 'now';
      if (found !== null) {
        const silenceMs = hasToolUse(found.call.response) ? null : call.startMs - found.call.endMs;
        const isOpen = silenceMs !== null && silenceMs >= SUGGESTION_DELAY_MS && awayMs.length === 0;
        const suggested = isOpen ? suggestedBetween(found.call, call) : null;
        yield { ...found, silenceMs, suggested, awayMs };
      }
      awayMs = [];
      found = {
        call,
        thinking: thinking.next().value ?? null,
        delivery,
        fresh,
        version,
        behindSearch,
        silenceMs: null,
        suggested: null,
        awayMs: [],
      };
      fresh = null;
      version = undefined;
      delivery = 'streamed';
      spoken = 'silent';
    }
  }
  if (found !== null) yield found;
}

/** Whether a suggestion came between two requests: the second then reads the response of the first too, else its prompt alone (K16). */
function suggestedBetween({ usage }: RecordedCall, { usage: next }: RecordedCall): boolean | null {
  if (usage === null || next === null) return null;
  const prompt = promptTokens(usage);
  if (next.cacheRead > prompt) return true;
  const cached = prompt - usage.input;
  return cached > 0 && next.cacheRead >= cached ? false : null;
}

/** Where a request does not tell, it goes by what most others of its thread show: users switch suggestions off. */
function withUsualSuggestions(facts: readonly CallFacts[]): readonly CallFacts[] {
  const known = facts.filter(({ suggested }) => suggested !== null);
  const more = known.filter(({ suggested }) => suggested).length * 2 - known.length;
  if (more === 0) return facts;
  return facts.map((fact) => (fact.suggested === null ? { ...fact, suggested: more > 0 } : fact));
}

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
  /** Whether the recording shows that one did; null if it does not tell. */
  readonly suggested: boolean | null;
  /** When summaries for a user who was away renew what it left (K17). */
  readonly awayMs: readonly number[];
}

/** The behaviours of a client at a version of the recording; a client that was chosen is the same at all of them. */
export type BehavioursAt = (version: string | null) => ClientBehaviour;

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
