import type { Block } from '../../src/core/model/block.js';
import type { Step, Transcript } from '../../src/core/model/transcript.js';

function blocksOf(step: Step): readonly Block[] {
  if (step.kind === 'message') return step.message.blocks;
  if (step.kind === 'call') return step.call.response.blocks;
  return step.event.kind === 'recorded-compaction' ? (step.event.summary?.blocks ?? []) : [];
}

/** Every text of a transcript, in order; blocks without text are left out. */
export function textsOfTranscript(transcript: Transcript): readonly string[] {
  return transcript.threads
    .flatMap((thread) => thread.steps.flatMap(blocksOf))
    .flatMap((block) => (block.text === null ? [] : [block.text.read()]));
}
