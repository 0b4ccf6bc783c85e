import { digestParts } from '../../core/base/digest.js';
import { sum } from '../../core/base/stats.js';
import { createBlock } from '../../core/model/block.js';
import { thinkingRule } from '../../core/model/model-name.js';
import { promptTokens } from '../../core/model/usage.js';
import type { WarningList } from '../../core/run/warning.js';
import {
  type DraftBlock,
  type DraftCall,
  type DraftEvent,
  type DraftMessage,
  type DraftStep,
  draftMessage,
  draftTokens,
  isPlaceholderOutput,
} from './draft.js';
import { EARLIER_HISTORY, OPENING_CONTEXT, type Opening, openingOf } from './opening.js';
import { type CalibrateOptions, type PrefixShape, prefixTokensOf } from './prefix-shape.js';
import { spread, weightsOf } from './weights.js';

/** `facts.attachment` of the opaque message for what a compaction brought back without a line of its own. */
export const RESTORED_CONTEXT = 'restored-context';
/** `facts.attachment` of the opaque message for growth that the lines of a step cannot explain. */
export const UNLOGGED_CONTEXT = 'unlogged-context';

/** `facts.attachment` of what no line of a record shows: a reader works it out from the size of prompts. */
export const INFERRED: ReadonlySet<string | undefined> = new Set([
  OPENING_CONTEXT,
  EARLIER_HISTORY,
  RESTORED_CONTEXT,
  UNLOGGED_CONTEXT,
]);

/** A response may take its own output count as long as this share of the estimate is left for what followed it. */
const LEAST_REST_SHARE = 0.5;
/** A file that came back is the one that was read where its length differs by at most this: its record has no line numbers. */
const SAME_FILE_SHARE = 0.15;
/** Growth beyond twice the estimate and this many tokens is context no line shows (reminders, memory files). */
const UNLOGGED_TOKENS = 1_000;

/** A thread's steps with true tokens, and what its tools and system prompt weigh. */
export interface Calibrated {
  readonly steps: readonly DraftStep[];
  readonly prefixTokens: number;
}

function assign(messages: readonly DraftMessage[], tokens: readonly number[]): void {
  let next = 0;
  for (const message of messages) for (const block of message.blocks) block.tokens = tokens[next++]!;
}

function finalOutput({ usage, outputIsMissing, stopReason }: DraftCall): number | null {
  return usage === null || outputIsMissing || isPlaceholderOutput(stopReason) ? null : usage.output;
}

function withoutThinking(message: DraftMessage): DraftMessage {
  const blocks = message.blocks.filter(({ kind }) => kind !== 'thinking');
  return blocks.length === message.blocks.length ? message : { ...message, blocks };
}

/** True when a growth is explained better with this many tokens gone. */
function isNearer(growth: number, gone: number, estimate: number): boolean {
  return gone > 0 && Math.abs(growth + gone - estimate) < Math.abs(growth - estimate);
}

/** The messages that a rewind leaves, by id: everything up to the last one. */
function idsUpTo(steps: readonly DraftStep[], lastId: string | null): readonly string[] {
  if (lastId === null) return [];
  const ids: string[] = [EARLIER_HISTORY];
  for (const step of steps) {
    const message =
      step.kind === 'message' ? step.message : step.kind === 'call' ? step.call.message : step.event.summary;
    if (message !== null) ids.push(message.id);
    if (message?.id === lastId) break;
  }
  return ids;
}

class ThreadCalibrator {
  readonly #ratio: number;
  readonly #warnings: WarningList;
  readonly #shape: PrefixShape | null;
  /** Context not in `#fresh`, with its tokens. */
  #settled: DraftMessage[] = [];
  /** Messages since the latest call with usage: that call's response first. */
  #fresh: DraftMessage[] = [];
  #anchor: { readonly call: DraftCall; readonly prompt: number } | null = null;
  #rebuild: 'none' | 'microcompact' | 'compaction' = 'none';
  /** The resume that may have lost messages, until a prompt tells. */
  #lost: DraftEvent | null = null;
  #opening: Opening | null = null;
  /** Thinking that the latest prompt held, and that which left the prompts for good. */
  #thinking: DraftBlock[] = [];
  readonly #dropped = new Set<DraftBlock>();
  #restored: DraftMessage | null = null;
  /** Files by path, as their latest whole read had them. */
  readonly #reads = new Map<string, { readonly tokens: number; readonly chars: number }>();
  #restoredCount = 0;

  constructor({ charsPerToken, warnings, shape = null }: CalibrateOptions) {
    this.#ratio = charsPerToken;
    this.#warnings = warnings;
    this.#shape = shape;
  }

  get opening(): Opening {
    return this.#opening ?? openingOf(0, 0, null);
  }

  /** What every history begins with: tools, system prompt and the reminders behind them. */
  get #baseTokens(): number {
    const { prefixTokens, context } = this.opening;
    return prefixTokens + (context === null ? 0 : draftTokens(context));
  }

  run(steps: readonly DraftStep[]): readonly DraftStep[] {
    const out: DraftStep[] = [];
    let openAfter: number | null = null;
    for (const step of steps) {
      if (step.kind === 'message') this.#fresh.push(step.message);
      else if (step.kind === 'event') {
        const { rebuild } = step.event;
        if (rebuild === 'compaction' || rebuild === 'rewind') {
          const { lastId = null, keptIds, summary } = step.event;
          this.#compact(summary, rebuild === 'rewind' ? idsUpTo(out, lastId) : keptIds);
          openAfter = out.length + 1;
        } else if (rebuild === 'microcompact' && this.#rebuild === 'none') this.#rebuild = 'microcompact';
        else if (rebuild === 'resume') this.#resume(step.event);
      } else {
        this.#call(step.call);
        if (this.#restored !== null) {
          out.splice(openAfter ?? out.length, 0, { kind: 'message', message: this.#restored });
          this.#restored = null;
        }
        openAfter = null;
      }
      out.push(step);
    }
    this.#estimate();
    this.#keepLost();
    return out;
  }

  #compact(summary: DraftMessage | null, keptIds: readonly string[]): void {
    this.#estimate();
    this.#noteReads(this.#fresh);
    const kept = new Set(keptIds);
    this.#settled = [...this.#settled, ...this.#fresh].filter((message) => kept.has(message.id));
    this.#fresh = summary === null ? [] : [summary];
    const held = new Set(this.#settled.flatMap((message) => message.blocks));
    this.#thinking = this.#thinking.filter((block) => held.has(block));
    this.#rebuild = 'compaction';
  }

  /** Tokens that messages have in a prompt. */
  #tokensOf(messages: readonly DraftMessage[]): number {
    let tokens = 0;
    for (const { blocks } of messages)
      for (const block of blocks) if (!this.#dropped.has(block)) tokens += block.tokens;
    return tokens;
  }

  /** Thinking that this turn's prompts hold. */
  #noteThinking(): void {
    for (const { blocks } of this.#fresh)
      for (const block of blocks) if (block.kind === 'thinking') this.#thinking.push(block);
  }

  #resume(event: DraftEvent): void {
    if (event.lostIds.length === 0) return;
    this.#keepLost();
    this.#lost = event;
  }

  /** No prompt tells that the latest resume lost anything. */
  #keepLost(): void {
    if (this.#lost !== null) this.#lost.lostIds = [];
    this.#lost = null;
  }

  #call(call: DraftCall): void {
    if (call.usage !== null) {
      const prompt = promptTokens(call.usage);
      if (this.#opening === null) this.#first(prompt, call.usage.cacheRead, call.version);
      else if (this.#rebuild === 'compaction') this.#afterCompaction(prompt);
      else if (this.#rebuild === 'microcompact') {
        this.#estimate();
        this.#noteThinking();
      } else {
        const whole = prompt + this.#lostTokens(prompt - this.#anchor!.prompt);
        if (this.#dropThinking(whole, call.model) === 'kept') {
          this.#grow(whole);
          this.#noteThinking();
        }
      }
      this.#keepLost();
      this.#noteReads(this.#fresh);
      this.#settled.push(...this.#fresh);
      this.#fresh = [];
      this.#anchor = { call, prompt };
      this.#rebuild = 'none';
    }
    this.#fresh.push(call.message);
  }

  /** Results that a resume did not find again (K12): gone where the growth is nearer to that than to all of them. */
  #lostTokens(growth: number): number {
    if (this.#lost === null) return 0;
    const lost = new Set(this.#lost.lostIds);
    const isLost = ({ id }: DraftMessage): boolean => lost.has(id);
    const tokens = this.#tokensOf(this.#settled.filter(isLost));
    const unsized = sum(weightsOf(this.#fresh.filter(isLost), this.#ratio));
    if (!isNearer(growth, tokens + unsized, sum(weightsOf(this.#fresh, this.#ratio)))) return 0;
    if (unsized > 0) this.#estimate();
    this.#settled = this.#settled.filter((message) => !isLost(message));
    this.#fresh = this.#fresh.filter((message) => !isLost(message));
    this.#lost = null;
    return tokens;
  }

  /**
   * Thinking that models drop once somebody speaks (K5), where the growth is nearer to that than to all of it. That of the
   * latest response never enters a prompt: it is sized by estimate, and everything else by the growth.
   */
  #dropThinking(prompt: number, model: string): 'dropped' | 'kept' {
    const rule = thinkingRule(model);
    if (rule === 'keep-all' || !this.#fresh.some((message) => message.origin === 'human')) return 'kept';
    if (
      rule === 'keep-open-turn' &&
      this.#anchor!.call.message.blocks.some(({ kind }) => kind === 'tool_use')
    )
      return 'kept';
    const growth = prompt - this.#anchor!.prompt;
    const dropped = sum(this.#thinking.map((block) => block.tokens));
    const spoken = this.#fresh.map(withoutThinking);
    const latest = sum(weightsOf(this.#fresh, this.#ratio)) - sum(weightsOf(spoken, this.#ratio));
    if (!isNearer(growth, dropped + latest, sum(weightsOf(this.#fresh, this.#ratio)))) return 'kept';
    const all = this.#fresh;
    for (const block of this.#thinking) this.#dropped.add(block);
    this.#thinking = [];
    this.#estimate();
    for (const { blocks } of all)
      for (const block of blocks) if (block.kind === 'thinking') this.#dropped.add(block);
    this.#fresh = spoken;
    this.#grow(prompt + dropped);
    this.#fresh = all;
    return 'dropped';
  }

  #first(prompt: number, read: number, version: string | null): void {
    const kept = sum(this.#settled.map(draftTokens));
    const weights = weightsOf(this.#fresh, this.#ratio);
    const rest = prompt - kept - Math.ceil(sum(weights));
    const largest = Math.max(0, prompt - kept);
    const known = prefixTokensOf(this.#shape, largest, sum(weights) * this.#ratio);
    const least = read > 0 ? read : (known ?? 0);
    const unexplained = weights.length === 0 ? largest : Math.min(largest, Math.max(0, rest, least));
    this.#opening = openingOf(unexplained, read, version, known);
    if (this.#opening.history !== null) this.#settled.unshift(this.#opening.history);
    this.#spread(prompt - kept - unexplained);
  }

  #grow(prompt: number): void {
    const growth = prompt - this.#anchor!.prompt;
    const weights = weightsOf(this.#fresh, this.#ratio);
    const explained = weights.length === 0 ? 0 : 2 * sum(weights) + UNLOGGED_TOKENS;
    if (growth < 0) {
      this.#warnings.add(
        'prompt-shrank',
        'prompts shrank without a recorded reason; the tokens added there are estimated',
        'prompt sizes after that point differ from the recording by a constant',
      );
      this.#estimate();
    } else if (growth > explained) {
      this.#estimate();
      const surplus = growth - sum(this.#fresh.map(draftTokens));
      if (surplus > 0) this.#restore(surplus, UNLOGGED_CONTEXT);
      else this.#spread(growth);
    } else this.#spread(growth);
  }

  /** What is known to come back with the same content: files, as they were when they were read. */
  #filesBack(): ReadonlyMap<DraftMessage, number> {
    const back = new Map<DraftMessage, number>();
    for (const message of this.#fresh) {
      const [block, ...more] = message.blocks;
      const { attachment, path } = block?.facts ?? {};
      if (attachment !== 'file' || path === undefined || more.length > 0) continue;
      const read = this.#reads.get(path);
      const chars = block!.text?.chars ?? block!.chars;
      if (read === undefined || Math.abs(chars - read.chars) > read.chars * SAME_FILE_SHARE) continue;
      back.set(message, read.tokens); // With the line numbers that the record leaves out.
    }
    return back;
  }

  /** Takes note of what whole reads weigh, once their tokens are known. */
  #noteReads(messages: readonly DraftMessage[]): void {
    for (const { blocks } of messages)
      for (const { kind, tool, facts, tokens, text, chars } of blocks)
        if (kind === 'tool_result' && tool === 'Read' && facts.path !== undefined && tokens > 0)
          this.#reads.set(facts.path, { tokens, chars: text?.chars ?? chars });
  }

  #afterCompaction(prompt: number): void {
    const files = this.#filesBack();
    // Files weigh what they weighed before; the summary and whatever else came takes the rest.
    let known = 0;
    for (const [{ blocks }, tokens] of files) {
      known += tokens;
      for (const block of blocks) block.tokens = tokens;
    }
    const all = this.#fresh;
    const rest = all.filter((message) => !files.has(message));
    const available = prompt - this.#baseTokens - this.#tokensOf(this.#settled);
    const fits = available - known >= sum(weightsOf(rest, this.#ratio)) * LEAST_REST_SHARE;
    if (fits) this.#fresh = rest;
    this.#fillUp(fits ? available - known : available);
    this.#fresh = all;
  }

  /** Gives the fresh messages behind a compaction the tokens that are left for them. */
  #fillUp(available: number): void {
    const estimate = Math.round(sum(weightsOf(this.#fresh, this.#ratio)));
    if (available < 0) this.#estimate();
    else if (estimate >= available) this.#spread(available);
    else {
      this.#estimate();
      const tokens = available - sum(this.#fresh.map(draftTokens));
      if (tokens > 0) this.#restore(tokens, RESTORED_CONTEXT);
    }
  }

  #restore(tokens: number, attachment: string): void {
    const summary = this.#fresh.find((message) => message.origin === 'summary');
    const id = `${attachment}-${++this.#restoredCount}`;
    const facts = { attachment };
    const block = createBlock({
      kind: 'text',
      role: 'user',
      tokens,
      facts,
      digest: digestParts([id, tokens]),
    });
    this.#restored = draftMessage({
      id,
      role: 'user',
      origin: 'attachment',
      timeMs: null,
      blocks: [block],
      attachedTo: summary?.id ?? null,
    });
    this.#settled.push(this.#restored);
  }

  /** Splits the fresh messages into the anchor's response and what followed it. */
  #parts(): { readonly response: DraftMessage[]; readonly rest: DraftMessage[] } {
    const hasResponse = this.#anchor !== null && this.#fresh[0] === this.#anchor.call.message;
    return {
      response: this.#fresh.slice(0, hasResponse ? 1 : 0),
      rest: this.#fresh.slice(hasResponse ? 1 : 0),
    };
  }

  #spread(tokens: number): void {
    if (this.#fresh.length === 0) return;
    const { response, rest } = this.#parts();
    const responseWeights = weightsOf(response, this.#ratio);
    const restWeights = weightsOf(rest, this.#ratio);
    const output = this.#anchor === null ? null : finalOutput(this.#anchor.call);
    const left = tokens - (output ?? 0);
    const fits = output !== null && left >= 0 && left >= sum(restWeights) * LEAST_REST_SHARE;
    if (fits && responseWeights.length > 0 && restWeights.length > 0) {
      assign(response, spread(output, responseWeights));
      assign(rest, spread(left, restWeights));
    } else assign(this.#fresh, spread(tokens, [...responseWeights, ...restWeights]));
  }

  /** Tokens by the learnt ratio, where usage cannot say. */
  #estimate(): void {
    const { response, rest } = this.#parts();
    const output = this.#anchor === null ? null : finalOutput(this.#anchor.call);
    const weights = weightsOf(response, this.#ratio);
    assign(response, output === null ? weights.map(Math.round) : spread(output, weights));
    assign(rest, weightsOf(rest, this.#ratio).map(Math.round));
  }
}

/** Gives every block its true tokens, so that each recorded prompt is the sum of what precedes it wherever usage can tell. */
export function calibrateThread(steps: readonly DraftStep[], options: CalibrateOptions): Calibrated {
  const calibrator = new ThreadCalibrator(options);
  const calibrated = calibrator.run(steps);
  const { prefixTokens, context, history } = calibrator.opening;
  const lead = [context, history].flatMap((message): DraftStep[] =>
    message === null ? [] : [{ kind: 'message', message }],
  );
  return { steps: [...lead, ...calibrated], prefixTokens };
}
