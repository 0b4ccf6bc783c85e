import type { Step, Thread, Transcript } from '../core/model/transcript.js';

function timeOf(step: Step): number {
  if (step.kind === 'call') return step.call.startMs;
  return step.kind === 'event' ? step.event.at : step.message.at;
}

function firstCalls(steps: readonly Step[], calls: number): readonly Step[] {
  let seen = 0;
  for (const [index, step] of steps.entries()) {
    if (step.kind === 'call' && ++seen === calls) return steps.slice(0, index + 1);
  }
  return steps;
}

function countCalls(thread: Thread): number {
  return thread.steps.filter((step) => step.kind === 'call').length;
}

/** The beginning of a transcript: a share of each main thread's calls, and of other threads what happened until then. */
export function cutTranscript(transcript: Transcript, share: number): Transcript {
  if (share >= 1) return transcript;
  let endMs = 0;
  const cut = new Map<string, Thread>();
  for (const thread of transcript.threads) {
    if (thread.parentId !== null) continue;
    const steps = firstCalls(thread.steps, Math.max(1, Math.round(countCalls(thread) * share)));
    const last = steps.at(-1);
    if (last !== undefined) endMs = Math.max(endMs, timeOf(last));
    cut.set(thread.id, { ...thread, steps });
  }
  const threads = transcript.threads.map(
    (thread) =>
      cut.get(thread.id) ?? { ...thread, steps: thread.steps.filter((step) => timeOf(step) <= endMs) },
  );
  return { ...transcript, threads };
}
