import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import { isSummaryFork, type Transcript } from '../../core/model/transcript.js';
import { asObject } from '../fake-api/json-value.js';
import {
  DONE,
  EMPTY_STEP,
  type Said,
  type Script,
  type ScriptCall,
  type ScriptStep,
  SUMMARY_TOKENS,
} from './script.js';

/** The words of a block; its size where the recording holds no text. */
function saidBy({ text, tokens }: Block): Said {
  const words = text?.read() ?? '';
  return words === '' ? Math.max(1, tokens) : words;
}

/** A recorded call; without its input where the recording does not hold it. */
function callOf({ tool, text }: Block): ScriptCall {
  const name = tool ?? 'unknown';
  const written = text?.read() ?? '';
  try {
    return { tool: name, input: asObject(JSON.parse(written.slice(written.indexOf('{')))) };
  } catch {
    return { tool: name, input: null };
  }
}

function stepOf({ blocks }: Message): ScriptStep {
  const of = (kind: Block['kind']): readonly Block[] => blocks.filter((block) => block.kind === kind);
  const thoughts = of('thinking').map(saidBy);
  return {
    ...EMPTY_STEP,
    thinking: thoughts[0] ?? null,
    texts: of('text').map(saidBy),
    calls: of('tool_use').map(callOf),
  };
}

function answersOf(thread: Transcript['threads'][number]): readonly ScriptStep[] {
  const steps = [...(thread.flow?.steps() ?? thread.steps)];
  return steps
    .flatMap((step) => (step.kind === 'call' ? [stepOf(step.call.response)] : []))
    .filter(({ texts, calls }) => texts.length + calls.length > 0);
}

/** The first recorded summary; null where there is none. */
function summaryOf(threads: Transcript['threads']): Said | null {
  for (const { steps } of threads)
    for (const step of steps) {
      const event = step.kind === 'event' ? step.event : null;
      const block = event?.kind === 'recorded-compaction' ? event.summary?.blocks[0] : undefined;
      if (block !== undefined) return saidBy(block);
    }
  return null;
}

/** The answers of a recorded session as a script: those of its main thread, and of its subagents. */
export function recordedScript({ threads }: Transcript): Script {
  const work = threads.filter((thread) => !isSummaryFork(thread));
  const main = work.filter(({ parentId }) => parentId === null);
  return {
    folder: null,
    files: [],
    summary: summaryOf(main) ?? SUMMARY_TOKENS,
    steps: main.slice(0, 1).flatMap(answersOf),
    agents: work.filter(({ parentId }) => parentId !== null).map(answersOf),
    when: [],
    otherwise: DONE,
  };
}
