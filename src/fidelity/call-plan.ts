import { messageTokens } from '../model/message.js';
import type { RecordedCall, Thread, ThreadEvent } from '../model/transcript.js';
import { asksForSuggestions, endsTurn, SUGGESTION_DELAY_MS, thinkingCalls } from './rules.js';
import type { RecordedRequest, Truth } from './truth.js';

/** What happens to the prompt before a request: it goes on, its messages are made anew, or its prefix is too. */
export type Rebuild = 'none' | 'messages' | 'prefix';

/** Why a prompt was rebuilt, as the transcript tells it. */
export type RebuildCause = 'compaction' | 'microcompaction' | 'resume' | 'version';

/** One request of a thread with what the transcript tells about it in advance. */
export interface CallPlan {
  readonly request: RecordedRequest;
  readonly rebuild: Rebuild;
  readonly cause: RebuildCause | null;
  readonly thinking: 'on' | 'off';
  /** Blocks since the previous request: its response and what followed it. */
  readonly blocks: number;
  /** A suggestion is asked for behind this request: when, and what the response added. */
  readonly suggestion: {
    readonly atMs: number;
    readonly responseTokens: number;
    readonly blocks: number;
  } | null;
}

const STRENGTH: Readonly<Record<Rebuild, number>> = { none: 0, messages: 1, prefix: 2 };

function effectOf(event: ThreadEvent): { readonly rebuild: Rebuild; readonly cause: RebuildCause } | null {
  switch (event.kind) {
    case 'recorded-compaction':
      return { rebuild: 'messages', cause: 'compaction' };
    case 'recorded-microcompact':
      return { rebuild: 'messages', cause: 'microcompaction' };
    case 'resume':
      return { rebuild: 'messages', cause: 'resume' };
    case 'version':
      return { rebuild: 'prefix', cause: 'version' };
    default:
      return null;
  }
}

function suggestionAfter(
  call: RecordedCall,
  next: RecordedCall | null,
  version: string | null,
): CallPlan['suggestion'] {
  if (next === null || !endsTurn(call) || !asksForSuggestions(version)) return null;
  if (next.startMs - call.endMs < SUGGESTION_DELAY_MS) return null;
  const { response } = call;
  return { atMs: call.endMs, responseTokens: messageTokens(response), blocks: response.blocks.length };
}

/**
 * The requests of a thread with usage, in order, each with what the transcript explains. A session id or version that
 * changes between a tool call and its result is no new process: somebody speaks first in one.
 */
export function planCalls(thread: Thread, truth: Truth, agentVersion: string | null): readonly CallPlan[] {
  const thinking = thinkingCalls(thread);
  const plans: CallPlan[] = [];
  const calls = thread.steps.flatMap((step) => (step.kind === 'call' ? [step.call] : []));
  let version = agentVersion;
  let rebuild: Rebuild = 'none';
  let cause: RebuildCause | null = null;
  let order = 0;
  let blocks = 0;
  let spoken: 'spoken' | 'silent' = 'spoken';
  for (const step of thread.steps) {
    if (step.kind === 'event') {
      if (step.event.kind === 'version') version = step.event.version;
      const effect = effectOf(step.event);
      if (effect === null) continue;
      if (cause === null || STRENGTH[effect.rebuild] >= STRENGTH[rebuild]) cause = effect.cause;
      if (STRENGTH[effect.rebuild] > STRENGTH[rebuild]) rebuild = effect.rebuild;
    } else if (step.kind === 'message') {
      blocks += step.message.blocks.length;
      const { origin } = step.message;
      if (origin !== 'tool' && origin !== 'attachment') spoken = 'spoken';
    } else {
      if (spoken === 'silent' && (cause === 'resume' || cause === 'version')) {
        rebuild = 'none';
        cause = null;
      }
      spoken = 'silent';
      const next = calls[++order] ?? null;
      const request = truth.byCall.get(`${thread.id} ${step.call.id}`);
      const added = blocks;
      blocks += step.call.response.blocks.length;
      if (request === undefined) continue;
      blocks = step.call.response.blocks.length;
      const suggestion = thread.parentId === null ? suggestionAfter(step.call, next, version) : null;
      plans.push({
        request,
        rebuild,
        cause,
        thinking: thinking.has(step.call.id) ? 'on' : 'off',
        blocks: added,
        suggestion,
      });
      rebuild = 'none';
      cause = null;
    }
  }
  return plans;
}
