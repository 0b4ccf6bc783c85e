import { type Message, messageTokens } from '../../core/model/message.js';
import type { RequestTrace } from '../../core/model/request-trace.js';
import { outputOf, type Thread, type Transcript } from '../../core/model/transcript.js';
import { promptTokens } from '../../core/model/usage.js';
import {
  commonLength,
  emptyThread,
  type LifetimeRequest,
  type LifetimeSession,
  lifetimeThread,
} from './lifetime-curve.js';

/** Which threads of a source count. */
export interface SessionOptions {
  /** Leaves subagents out. */
  readonly mainOnly?: boolean;
}

/** A request trace for the curve: reusable = leading blocks shared with the thread's previous request (E1). */
export function traceSession(trace: RequestTrace, options: SessionOptions = {}): LifetimeSession {
  const threads = trace.threads.filter((thread) => thread.parentId === null || options.mainOnly !== true);
  return {
    id: trace.id,
    threads: threads.map(({ id, requests }) => {
      const thread = emptyThread(id, requests.length);
      for (let i = 0; i < requests.length; i++) {
        const request = requests[i]!;
        thread.startMs[i] = request.startMs;
        thread.promptTokens[i] = request.promptTokens;
        thread.outputTokens[i] = request.outputTokens;
        thread.models.push(request.model);
        if (i === 0) continue;
        const shared = commonLength(requests[i - 1]!.hashIds, request.hashIds) * trace.blockSize;
        thread.reusableTokens[i] = shared < request.promptTokens ? shared : request.promptTokens;
      }
      return thread;
    }),
  };
}

/**
 * Any transcript for the curve: prompts from recorded usage, else from token counts; reusable is the whole
 * previous prompt, or tools and system where a recorded compaction lies between.
 */
export function transcriptSession(transcript: Transcript, options: SessionOptions = {}): LifetimeSession {
  const threads = transcript.threads.filter(
    (thread) => thread.parentId === null || options.mainOnly !== true,
  );
  return {
    id: transcript.id,
    threads: threads.map((thread) => lifetimeThread(thread.id, threadRequests(thread))),
  };
}

function threadRequests(thread: Thread): readonly LifetimeRequest[] {
  const requests: LifetimeRequest[] = [];
  let prefixTokens = 0;
  for (const block of thread.prefix) prefixTokens += block.tokens;
  const sizes = new Map<string, number>();
  let counted = prefixTokens;
  let reusable = 0;
  const add = (message: Message): void => {
    const tokens = messageTokens(message);
    sizes.set(message.id, tokens);
    counted += tokens;
  };
  for (const step of thread.steps) {
    if (step.kind === 'message') add(step.message);
    else if (step.kind === 'event' && step.event.kind === 'recorded-compaction') {
      counted = prefixTokens;
      for (const id of step.event.keptIds) counted += sizes.get(id) ?? 0;
      if (step.event.summary !== null) add(step.event.summary);
      reusable = prefixTokens;
    } else if (step.kind === 'event' && step.event.kind === 'clear') {
      counted = prefixTokens;
      reusable = prefixTokens;
    } else if (step.kind === 'call') {
      const { call } = step;
      const prompt = call.usage === null ? counted : promptTokens(call.usage);
      requests.push({
        startMs: Math.max(call.startMs, requests.at(-1)?.startMs ?? call.startMs),
        promptTokens: prompt,
        reusableTokens: reusable,
        outputTokens: outputOf(call),
        model: call.model,
      });
      reusable = prompt;
      add(call.response);
    }
  }
  return requests;
}
