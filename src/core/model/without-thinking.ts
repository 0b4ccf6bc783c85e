import { oncePer } from '../base/once.js';
import { withBlocks } from './message.js';
import type { RecordedCall, Step, StepFlow, Thread, Transcript } from './transcript.js';

/** A call whose model did not think: neither the blocks nor the output they were. A response of thinking alone stays. */
function quietCall(call: RecordedCall): RecordedCall {
  const { response, usage, outputTokens } = call;
  const blocks = response.blocks.filter(({ kind }) => kind !== 'thinking');
  if (blocks.length === response.blocks.length || blocks.length === 0) return call;
  let thought = 0;
  for (const { kind, tokens } of response.blocks) if (kind === 'thinking') thought += tokens;
  return {
    ...call,
    response: withBlocks(response, blocks),
    usage: usage === null ? null : { ...usage, output: Math.max(1, usage.output - thought) },
    ...(outputTokens === undefined ? {} : { outputTokens: Math.max(1, outputTokens - thought) }),
  };
}

function quietStep(step: Step): Step {
  if (step.kind !== 'call') return step;
  const call = quietCall(step.call);
  return call === step.call ? step : { kind: 'call', call };
}

function quietFlow({ calls, steps }: StepFlow): StepFlow {
  return {
    calls,
    *steps() {
      for (const step of steps()) yield quietStep(step);
    },
  };
}

function quietThread(thread: Thread): Thread {
  const { steps, flow } = thread;
  return {
    ...thread,
    steps: steps.map(quietStep),
    ...(flow === undefined ? {} : { flow: quietFlow(flow) }),
  };
}

/** A transcript whose models did not think (R21), each made once. */
export const withoutThinking = oncePer(
  (transcript: Transcript): Transcript => ({ ...transcript, threads: transcript.threads.map(quietThread) }),
);
