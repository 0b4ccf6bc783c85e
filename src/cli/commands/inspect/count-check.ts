import { CcbenchError } from '../../../core/base/errors.js';
import { ratio, sum } from '../../../core/base/stats.js';
import { type Block, IMAGE_TOKENS } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import type { Thread, Transcript } from '../../../core/model/transcript.js';
import { promptTokens } from '../../../core/model/usage.js';
import { loadCounter } from '../../../core/tokens/counter.js';
import { createLiveCounter, type LiveCounter } from '../../../provider/fake-llm/live-api.js';
import type { CliSession } from '../../session.js';
import { Interrupted, yieldToEventLoop } from '../../terminal/interrupt.js';
import { createProgress } from '../../terminal/progress.js';

/** A stretch of a thread in which the prompt only grew: what it grew by, as recorded and as content (TOK-10). */
interface GrowthSample {
  readonly thread: string;
  readonly model: string;
  /** Calls whose prompts it spans. */
  readonly calls: number;
  /** Prompt of the last call less that of the first, by their usage. */
  readonly recordedTokens: number;
  readonly texts: readonly string[];
  /** Tokens of images and documents, which no counter of texts can count (TOK-1). */
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

/** The stretches of a transcript by which a counter can be held against recorded usage, in their order. @internal */
export function growthSamples(transcript: Transcript): readonly GrowthSample[] {
  return transcript.threads
    .flatMap((thread) => [...threadSamples(thread)])
    .filter(({ recordedTokens }) => recordedTokens > 0);
}

/** A counter held against recorded usage (TOK-10). */
export interface CountCheck {
  readonly counter: string;
  /** Stretches of growth that were counted, and the calls in them. */
  readonly stretches: number;
  readonly calls: number;
  /** What the usage says the prompts grew by. */
  readonly recordedTokens: number;
  readonly countedTokens: number;
  /** Counted over recorded: below 1 the counter under-counts; null when nothing can be compared. */
  readonly ratio: number | null;
  /** Blocks without text in the recording: recorded, but not counted. */
  readonly sealedBlocks: number;
  /** What was sent to the API; null for counters on this machine. */
  readonly sent: { readonly requests: number; readonly characters: number } | null;
}

/** The client's estimate is always shown next to the requested counters. */
const BASELINE = 'heuristic';

/** Characters per request to the API: below the window of every model at two characters a token. */
const REQUEST_CHARS = 300_000;

/** Requests to the API per file. */
const MOST_REQUESTS = 8;

interface Batch {
  readonly sample: GrowthSample;
  readonly texts: string[];
  chars: number;
}

/** Texts of a sample in as few requests as their size allows; an empty one cannot be sent. */
function batchesOf(sample: GrowthSample): readonly Batch[] {
  const batches: Batch[] = [];
  for (const whole of sample.texts) {
    if (whole.trim() === '') continue;
    for (let from = 0; from < whole.length; from += REQUEST_CHARS) {
      const text = whole.slice(from, from + REQUEST_CHARS);
      const last = batches.at(-1);
      if (last !== undefined && last.chars + text.length <= REQUEST_CHARS) {
        last.texts.push(text);
        last.chars += text.length;
      } else batches.push({ sample, texts: [text], chars: text.length });
    }
  }
  return batches;
}

function checkOf(
  counter: string,
  samples: readonly GrowthSample[],
  counted: number,
  sent: CountCheck['sent'],
): CountCheck {
  const recordedTokens = sum(samples.map((sample) => sample.recordedTokens));
  const countedTokens = counted + sum(samples.map((sample) => sample.flatTokens));
  return {
    counter,
    stretches: samples.length,
    calls: sum(samples.map(({ calls }) => calls)),
    recordedTokens,
    countedTokens,
    ratio: samples.length === 0 ? null : ratio(countedTokens, recordedTokens),
    sealedBlocks: sum(samples.map(({ sealedBlocks }) => sealedBlocks)),
    sent,
  };
}

async function countHere(
  session: CliSession,
  name: string,
  samples: readonly GrowthSample[],
): Promise<CountCheck> {
  const counter = await loadCounter(name);
  let counted = 0;
  for (const { texts } of samples) {
    await yieldToEventLoop(session.host.interrupt);
    for (const text of texts) counted += counter.count(text);
  }
  return checkOf(name, samples, counted, null);
}

/** The counter of the API, as the environment describes it. */
function liveCounter({ host }: CliSession): Promise<LiveCounter> {
  const apiKey = host.env.ANTHROPIC_API_KEY ?? '';
  if (apiKey === '') {
    throw new CcbenchError('bad-usage', 'counting with the API needs a key', {
      hint: 'set ANTHROPIC_API_KEY, or count on this machine with --count-with gpt-tokenizer',
      place: { file: '--count-with api' },
    });
  }
  const baseUrl = host.env.ANTHROPIC_BASE_URL ?? '';
  return createLiveCounter({ apiKey, baseUrl: baseUrl === '' ? null : baseUrl, signal: host.interrupt });
}

async function countLive(session: CliSession, samples: readonly GrowthSample[]): Promise<CountCheck> {
  const live = await liveCounter(session);
  const taken: GrowthSample[] = [];
  const batches: Batch[] = [];
  for (const sample of samples) {
    const more = batchesOf(sample);
    if (batches.length + more.length > MOST_REQUESTS) continue;
    taken.push(sample);
    batches.push(...more);
  }
  const progress = createProgress(session);
  progress.start('counting with the API', batches.length);
  let counted = 0;
  try {
    for (const [done, { sample, texts }] of batches.entries()) {
      progress.update(done);
      counted += await live.count(texts, sample.model);
    }
  } catch (error) {
    if (session.host.interrupt.aborted) throw new Interrupted();
    throw error;
  } finally {
    progress.clear();
  }
  const sent = { requests: batches.length, characters: sum(batches.map(({ chars }) => chars)) };
  return checkOf('api', taken, counted, sent);
}

/** Holds counters against the usage that a transcript recorded, the client's guess first. */
export async function checkCounts(
  session: CliSession,
  transcript: Transcript,
  names: readonly string[],
): Promise<readonly CountCheck[]> {
  const samples = growthSamples(transcript);
  const checks: CountCheck[] = [];
  for (const name of new Set([BASELINE, ...names])) {
    checks.push(name === 'api' ? await countLive(session, samples) : await countHere(session, name, samples));
  }
  return checks;
}
