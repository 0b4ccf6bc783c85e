import { hasToolUse, isSpoken } from '../model/message.js';
import type { RecordedCall, Thread } from '../model/transcript.js';
import type { ClientHabits } from './habits.js';
import { type Thinking, thinkingOfCalls } from './thinking.js';

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

/** The tool that looks for tools. */
const TOOL_SEARCH = 'ToolSearch';

/** A response that gives the word back to the user is followed by a suggestion, unless the next request comes at once. */
function suggestionBehind(
  call: RecordedCall,
  next: RecordedCall | null,
  thread: Thread,
  habits: ClientHabits,
): CallPlan['suggestion'] {
  if (habits.suggestions === 'off' || thread.parentId !== null || next === null) return 'none';
  if (hasToolUse(call.response) || next.startMs - call.endMs < SUGGESTION_DELAY_MS) return 'none';
  return 'asked';
}

/**
 * What a client does about each call of a thread, in order. A session id or version that changes between a tool call and its
 * result is no new process: somebody speaks first in one.
 */
export function planCalls(
  thread: Thread,
  habitsAt: HabitsAt,
  firstVersion: string | null,
): readonly CallPlan[] {
  const thinking = thinkingOfCalls(thread);
  let habits = habitsAt(firstVersion);
  const calls = thread.steps.flatMap((step) => (step.kind === 'call' ? [step.call] : []));
  const plans: CallPlan[] = [];
  let fresh: FreshStart | null = null;
  let delivery: CallPlan['delivery'] = 'streamed';
  let spoken: 'spoken' | 'silent' = 'spoken';
  let searched: 'never' | 'now' | 'before' = 'never';
  for (const step of thread.steps) {
    if (step.kind === 'message') {
      if (isSpoken(step.message)) spoken = 'spoken';
    } else if (step.kind === 'event') {
      if (step.event.kind === 'fallback') delivery = 'whole';
      else if (step.event.kind === 'version') {
        fresh = 'version';
        habits = habitsAt(step.event.version);
      } else if (step.event.kind === 'resume') fresh ??= 'process';
    } else {
      const { call } = step;
      if (spoken === 'silent') fresh = null;
      if (fresh !== null) searched = 'never';
      else if (searched === 'now' && habits.toolLoading === 'first-search') fresh = 'tools';
      if (searched === 'now') searched = 'before';
      if (searched === 'never' && call.response.blocks.some((block) => block.tool === TOOL_SEARCH))
        searched = 'now';
      plans.push({
        call,
        habits,
        thinking: habits.thinkingSwitch === 'by-speaker' ? thinking[plans.length]! : null,
        delivery: habits.fallback === 'own-variant' ? delivery : 'streamed',
        fresh: fresh !== null && fresh !== 'tools' && habits.newProcess === 'same' ? null : fresh,
        suggestion: suggestionBehind(call, calls[plans.length + 1] ?? null, thread, habits),
      });
      fresh = null;
      delivery = 'streamed';
      spoken = 'silent';
    }
  }
  return plans;
}
