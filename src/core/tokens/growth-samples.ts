import { type Block, IMAGE_TOKENS } from '../model/block.js';
import type { Message } from '../model/message.js';
import type { Thread, Transcript } from '../model/transcript.js';
import { promptTokens } from '../model/usage.js';

/** A stretch of a thread in which the prompt only grew: what it grew by, as recorded and as content (TOK-10). */
export interface GrowthSample {
  readonly thread: string;
  readonly model: string;
  /** Calls whose prompts it spans. */
  readonly calls: number;
  /** Prompt of the last call less that of the first, by their usage. */
  readonly recordedTokens: number;
  readonly texts: readonly string[];
  /** Tokens of images and documents, which no counter of texts can tell (TOK-1). */
  readonly flatTokens: number;
  /** Blocks whose text the recording does not hold, such as sealed thinking. */
  readonly sealedBlocks: number;
}

/** Events that leave the conversation as it was. */
const HARMLESS = new Set(['speaker', 'version', 'fallback', 'away-summary', 'agent-message']);

interface OpenSample {
  readonly model: string;
  readonly firstPrompt: number;
  lastPrompt: number;
  calls: number;
  settled: Block[];
  /** Content since the last call whose usage is known. */
  newer: Block[];
}

function sampleOf(thread: string, open: OpenSample): GrowthSample {
  const texts: string[] = [];
  let flatTokens = 0;
  let sealedBlocks = 0;
  for (const { kind, text, facts } of open.settled) {
    const isPicture = kind === 'image' || kind === 'document';
    flatTokens += (isPicture ? 1 : (facts.images ?? 0)) * IMAGE_TOKENS;
    if (isPicture) continue;
    const words = text?.read() ?? '';
    if (words !== '') texts.push(words);
    else if (text === null || kind === 'thinking') sealedBlocks++;
  }
  const { model, calls, firstPrompt, lastPrompt } = open;
  return { thread, model, calls, recordedTokens: lastPrompt - firstPrompt, texts, flatTokens, sealedBlocks };
}

function* threadSamples(thread: Thread): Generator<GrowthSample> {
  let open: OpenSample | null = null;
  const close = function* (): Generator<GrowthSample> {
    if (open !== null && open.calls > 1) yield sampleOf(thread.id, open);
    open = null;
  };
  const add = (message: Message): void => void open?.newer.push(...message.blocks);
  for (const step of thread.steps) {
    if (step.kind === 'message') add(step.message);
    else if (step.kind === 'event') {
      if (!HARMLESS.has(step.event.kind)) yield* close();
    } else {
      const { usage, model, response } = step.call;
      if (usage !== null) {
        const prompt = promptTokens(usage);
        if (open !== null && (prompt < open.lastPrompt || model !== open.model)) yield* close();
        open ??= { model, firstPrompt: prompt, lastPrompt: prompt, calls: 0, settled: [], newer: [] };
        open.calls++;
        open.lastPrompt = prompt;
        if (open.calls > 1) open.settled.push(...open.newer);
        open.newer = [];
      }
      add(response);
    }
  }
  yield* close();
}

/** The stretches of a transcript by which a counter can be held against recorded usage, in their order. */
export function growthSamples(transcript: Transcript): readonly GrowthSample[] {
  return transcript.threads
    .flatMap((thread) => [...threadSamples(thread)])
    .filter(({ recordedTokens }) => recordedTokens > 0);
}
