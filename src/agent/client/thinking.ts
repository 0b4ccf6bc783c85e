import type { SpokenThinking, Step, Thread } from '../../core/model/transcript.js';

/** Thinking as a request asks for it; null where nothing switches it. */
export type Thinking = 'on' | 'off' | null;

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
export function thinkingOfCalls(thread: Thread): readonly Thinking[] {
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
