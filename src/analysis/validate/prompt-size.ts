import { prefixTokensOf } from '../../agent/client/recorded-client.js';
import { sum } from '../../core/base/stats.js';
import { type Block, CHARS_PER_TOKEN, IMAGE_TOKENS, mediaCount } from '../../core/model/block.js';
import { type Message, messageTokens } from '../../core/model/message.js';
import type { RecordedCall, Thread, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import { promptTokens } from '../../core/model/usage.js';
import { RESTORED_CONTEXT, UNLOGGED_CONTEXT } from '../../transcripts/drafts/calibrate.js';
import { SIGNATURE_CHARS_PER_TOKEN } from '../../transcripts/drafts/weights.js';
import type { Truth } from './truth.js';

/** How a prompt is guessed from the one before it: learnt as the thread goes on, or four characters a token. */
export type SizeRule = 'learnt' | 'chars-4';

/** Tokens at the general ratio that count as much as a thread's own experience. */
const PRIOR_TOKENS = 2_000;

/** What the experience of one step is worth one step later. */
const MEMORY = 0.97;

/** Files a compaction brings back, and the largest that is brought back in full (measured, Restored files). */
const RESTORED_FILES = 5;
const RESTORED_CHARS = 20_000;

function weighBlock(block: Block): number {
  if (block.kind === 'image' || block.kind === 'document') return IMAGE_TOKENS;
  if (block.kind === 'thinking' && block.text?.chars === 0) return block.chars / SIGNATURE_CHARS_PER_TOKEN;
  return (block.text?.chars ?? block.chars) / CHARS_PER_TOKEN + mediaCount(block.facts) * IMAGE_TOKENS;
}

/** True for a message that stands for growth the lines do not show: it was made from the usage to be predicted. */
export function isInferred(message: Message): boolean {
  const kind = message.blocks[0]?.facts.attachment;
  return kind === RESTORED_CONTEXT || kind === UNLOGGED_CONTEXT;
}

/** Tokens of a message by its characters alone, at the median of recorded sessions (E6). */
function weighMessage(message: Message): number {
  if (isInferred(message)) return 0;
  return sum(message.blocks.map(weighBlock));
}

/** Tokens of a message at four characters each: the one-line rule's guess. */
function roughMessage(message: Message): number {
  if (isInferred(message)) return 0;
  return sum(message.blocks.map(({ rough }) => rough));
}

class SizeWalk {
  readonly sizes = new Map<string, number>();
  #grown = PRIOR_TOKENS;
  #weighed = PRIOR_TOKENS;
  #before: { readonly prompt: number; readonly call: RecordedCall } | null = null;
  #fresh: Message[] = [];
  #settled: Message[] = [];
  #rebuilt: 'none' | 'compaction' | 'microcompaction' = 'none';
  #cleared = 0;
  #firstPrompt = 0;
  #base: number;
  readonly #tokensOf = new Map<string, number>();

  constructor(
    private readonly rule: SizeRule,
    private readonly thread: Thread,
    private readonly truth: Truth,
  ) {
    this.#base = prefixTokensOf(thread);
  }

  run(): ReadonlyMap<string, number> {
    for (const step of this.thread.steps) {
      if (step.kind === 'message') this.#add(step.message);
      else if (step.kind === 'event') this.#happen(step.event);
      else {
        this.#call(step.call);
        this.#add(step.call.response);
      }
    }
    return this.sizes;
  }

  #add(message: Message): void {
    if (message.origin === 'context') {
      this.#base += messageTokens(message);
      return;
    }
    this.#fresh.push(message);
    for (const block of message.blocks) {
      if (block.kind === 'tool_result' && block.toolUseId !== null)
        this.#tokensOf.set(block.toolUseId, block.tokens);
    }
  }

  #happen(event: ThreadEvent): void {
    if (event.kind === 'recorded-microcompact') {
      this.#rebuilt = 'microcompaction';
      for (const id of event.toolUseIds) this.#cleared += this.#tokensOf.get(id) ?? 0;
    } else if (event.kind === 'recorded-compaction') {
      const kept = new Set(event.keptIds);
      const all = [...this.#settled, ...this.#fresh];
      this.#rebuilt = 'compaction';
      this.#cleared = -restoredTokens(all);
      this.#settled = all.filter((message) => kept.has(message.id));
      this.#fresh = event.summary === null ? [] : [event.summary];
    }
  }

  #call(call: RecordedCall): void {
    const request = this.truth.byCall.get(call);
    if (request === undefined) return;
    const before = this.#before;
    if (before === null) this.#firstPrompt = request.prompt;
    else this.sizes.set(request.key, Math.max(0, Math.round(this.#guess(before.prompt))));
    if (before !== null && this.#rebuilt === 'none') this.#learn(request.prompt - before.prompt);
    this.#settled.push(...this.#fresh);
    this.#fresh = [];
    this.#before = { prompt: promptTokens(request.usage), call };
    this.#rebuilt = 'none';
    this.#cleared = 0;
  }

  #guess(before: number): number {
    if (this.rule === 'chars-4') {
      const start = this.#rebuilt === 'compaction' ? this.#firstPrompt : before;
      return start + sum(this.#fresh.map(roughMessage));
    }
    const { known, weight } = this.#added();
    const added = known + (weight * this.#grown) / this.#weighed;
    if (this.#rebuilt !== 'compaction') return before + added - this.#cleared;
    return this.#base + sum(this.#settled.map(messageTokens)) + added - this.#cleared;
  }

  /** What came since the previous request: the response by its count where that is final, the rest by weight. */
  #added(): { readonly known: number; readonly weight: number } {
    const last = this.#before?.call;
    const response = last !== undefined && this.#fresh[0] === last.response ? this.#fresh[0] : null;
    const counted = response !== null && !last!.outputIsPlaceholder && last!.usage !== null;
    const rest = counted ? this.#fresh.slice(1) : this.#fresh;
    return { known: counted ? last!.usage!.output : 0, weight: sum(rest.map(weighMessage)) };
  }

  #learn(growth: number): void {
    const { known, weight } = this.#added();
    const grown = growth - known;
    if (grown <= 0 || weight <= 0 || grown > 3 * weight + 3_000) return;
    this.#grown = this.#grown * MEMORY + grown;
    this.#weighed = this.#weighed * MEMORY + weight;
  }
}

/** Tokens of the files a compaction brings back: the latest reads of the latest files, large ones left out. */
function restoredTokens(messages: readonly Message[]): number {
  const seen = new Set<string>();
  let tokens = 0;
  for (let i = messages.length - 1; i >= 0 && seen.size < RESTORED_FILES; i--) {
    for (const block of messages[i]!.blocks) {
      const { path } = block.facts;
      if (block.kind !== 'tool_result' || block.tool !== 'Read' || path === undefined) continue;
      if (seen.has(path) || seen.size >= RESTORED_FILES) continue;
      seen.add(path);
      if (block.chars < RESTORED_CHARS) tokens += block.tokens;
    }
  }
  return tokens;
}

/** The size of every prompt but the first of each thread, guessed from the recorded one before it. */
export function predictPrompts(
  transcript: Transcript,
  truth: Truth,
  rule: SizeRule,
): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const thread of transcript.threads) {
    for (const [key, size] of new SizeWalk(rule, thread, truth).run()) sizes.set(key, size);
  }
  return sizes;
}
