import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import { cacheWriteTokens, totalTokens, type Usage } from '../../core/model/usage.js';
import type { BlockEdit } from '../../core/run/action.js';
import type { ParamValues } from '../../core/run/params.js';
import { type CountPart, type PolicyRules, USAGE_PARTS } from '../../core/run/policy-rules.js';
import {
  estimateBlock,
  estimateMessage,
  type HeuristicRules,
  heuristicRules,
  isCountedBy,
  PLAIN_RULES,
} from '../../core/tokens/heuristic.js';

/**
 * Sealed reasoning that a client counts beside the usage, whether prompts carry it or not: what came before the latest prompt of the
 * user, from the first usage after that prompt on. A recorded seal counts by its length, others by what was billed.
 */
export class PastReasoning {
  private all = 0;
  private spoken = 0;
  private past = 0;

  /** Tokens for each billed one, by the model in use; 0 counts none, seals neither. */
  constructor(private readonly perToken: () => number) {}

  get tokens(): number {
    return Math.round(this.past);
  }

  note({ origin, blocks }: Message): void {
    if (origin === 'human') this.spoken = this.all;
    for (const block of blocks) this.all += this.sealed(block);
  }

  /** A usage came in that leaves out what the prompt before it dropped. */
  anchor(): void {
    this.past = this.spoken;
  }

  /** A block left the conversation. */
  drop(block: Block): void {
    const gone = this.sealed(block);
    this.all = Math.max(0, this.all - gone);
    this.spoken = Math.max(0, this.spoken - gone);
    this.past = Math.max(0, this.past - gone);
  }

  forget(): void {
    this.all = 0;
    this.spoken = 0;
    this.past = 0;
  }

  private sealed({ kind, tokens, facts }: Block): number {
    const perToken = kind === 'thinking' ? this.perToken() : 0;
    return perToken === 0 ? 0 : (facts.sealedTokens ?? tokens * perToken);
  }
}

/** How a policy counts its context. */
export interface CounterRules {
  /** What is added for messages newer than the latest usage. */
  readonly newContent: 'none' | 'rough' | 'padded';
  readonly heuristic: HeuristicRules;
  /** Error of the estimator, as a factor. */
  readonly factor: number;
  /** How a policy file counts; null for the usual way. */
  readonly count: CountPart | null;
  /** Counters of rules that have one of their own, in their order. */
  readonly beside: readonly CounterRules[];
}

/** What of its thread a counter may ask for. */
export interface Counted {
  /** Tools and system prompt by the estimate of characters / 4. */
  prefixRough(parts: CountPart['includes']): number;
  readonly trueTokens: number;
  /** The model in use takes reasoning of earlier turns out of its prompts. */
  readonly dropsReasoning: boolean;
}

const NOBODY: Counted = { prefixRough: () => 0, trueTokens: 0, dropsReasoning: false };

/** The counter a policy's parameters describe. */
export function counterRules(
  params: ParamValues,
  estimatorFactor: number,
  rules: Pick<PolicyRules, 'count' | 'rules'> | null = null,
): CounterRules {
  if (rules !== null)
    return {
      ...ownRules(rules.count, estimatorFactor),
      beside: rules.rules.flatMap(({ count }) =>
        count === undefined ? [] : [ownRules(count, estimatorFactor)],
      ),
    };
  const newContent = params['counter.newContent'] as CounterRules['newContent'];
  return {
    newContent,
    heuristic: heuristicRules(params, newContent === 'padded' ? 'margin' : 'bare'),
    factor: estimatorFactor,
    count: null,
    beside: [],
  };
}

/** The counter that a policy file describes. */
function ownRules(count: CountPart, estimatorFactor: number): CounterRules {
  const isUsual = count.charsPerToken === USUAL_CHARS;
  return {
    newContent: count.source === 'usage' ? 'none' : 'rough',
    heuristic: {
      ...PLAIN_RULES,
      imageTokens: count.perImage,
      charsPerToken: isUsual ? null : count.charsPerToken,
      perMessage: count.perMessage,
      thinking: count.includes.includes('reasoning') ? 'counted' : 'zero',
    },
    factor: estimatorFactor * count.scale,
    count,
    beside: [],
  };
}

const USUAL_CHARS = 4;

/**
 * What the policy believes its context to be (TOK-4, TOK-5): the latest usage plus an estimate of everything newer.
 * Kept as running sums: a message costs its own blocks.
 */
export class SeenCounter {
  private anchorTokens = 0;
  private newer = 0;
  private deleted = 0;
  /** Tokens of the conversation that the usage does not count although they are older: a resume brought them back. */
  private uncounted = 0;
  /** Ids of the messages that are newer than the usage. */
  private newerIds: string[] = [];
  private untouchedAnchor = 0;
  private untouchedNewer = 0;

  /** Estimate of the whole conversation, kept for policies that count by it. */
  private all = 0;
  /** Usage ÷ estimate at the latest response. */
  private ratio = 1;
  /** The thread that it counts for is not part of what it has counted: a fork continues from its parent's count. */
  readonly #counted: Counted;
  private readonly own: CountPart | null;
  /** Null for a policy that counts none. */
  private readonly past: PastReasoning | null;
  /** Counters of rules that have their own: they receive everything that this one receives. */
  private readonly beside: readonly SeenCounter[];

  constructor(
    private readonly rules: CounterRules,
    counted: Counted = NOBODY,
  ) {
    this.#counted = counted;
    const { count } = rules;
    const isUsual =
      count === null ||
      ((count.source === 'usage' || count.source === 'usage+new') && count.of.length === USAGE_PARTS.length);
    this.own = isUsual && count?.since !== 'any' ? null : count;
    this.past = count === null ? null : pastReasoning(count, counted);
    this.beside = rules.beside.map((other) => new SeenCounter(other, counted));
  }

  /** What a counter of a rule's own shows, by its position among them. */
  tokensBeside(position: number): number {
    return this.beside[position]!.tokens;
  }

  get tokens(): number {
    return this.own === null ? this.byUsage() : this.inOwnWay(this.own);
  }

  /** What a policy file sees that does not simply go by the whole usage. */
  private inOwnWay({ source, includes, ratioCap }: CountPart): number {
    if (source === 'tokenizer') return this.#counted.trueTokens;
    if (source === 'usage' || source === 'usage+new') return this.byUsage();
    const { factor } = this.rules;
    const sum = (this.#counted.prefixRough(includes) + this.all) * factor;
    const estimate = Math.round(ratioCap === null ? sum : sum * this.ratio);
    return source === 'max' ? Math.max(this.byUsage(), estimate) : estimate;
  }

  private byUsage(): number {
    return this.count(this.anchorTokens - this.deleted, this.newer) + this.pastTokens;
  }

  private get pastTokens(): number {
    return this.past?.tokens ?? 0;
  }

  /** What it would show had no layer taken anything out since the last compaction (C10). */
  get untouchedTokens(): number {
    return this.count(this.untouchedAnchor, this.untouchedNewer) + this.pastTokens;
  }

  private count(anchor: number, newer: number): number {
    const { newContent, heuristic, factor } = this.rules;
    if (newContent === 'none') return Math.max(0, anchor);
    const padding = heuristic.padding;
    const padded = padding === null ? newer : Math.ceil((newer * padding.numerator) / padding.denominator);
    return Math.max(0, anchor + (factor === 1 ? padded : Math.round(padded * factor)));
  }

  /** A message joined the context. */
  add(message: Message): void {
    for (let i = 0; i < this.beside.length; i++) this.beside[i]!.add(message);
    const tokens = estimateMessage(message, this.rules.heuristic);
    this.newer += tokens;
    this.all += tokens;
    this.newerIds.push(message.id);
    this.untouchedNewer += tokens;
    this.past?.note(message);
  }

  /** A message that just joined replaces content that a layer took out: untouched, there would be none. */
  standsForOther(message: Message): void {
    for (let i = 0; i < this.beside.length; i++) this.beside[i]!.standsForOther(message);
    this.untouchedNewer -= estimateMessage(message, this.rules.heuristic);
  }

  /** A response joined the conversation; its usage follows. */
  onResponse(response: Message): void {
    for (let i = 0; i < this.beside.length; i++) this.beside[i]!.onResponse(response);
    if (this.own !== null) this.all += estimateMessage(response, this.rules.heuristic);
    this.past?.note(response);
  }

  /** A response with usage came in: the anchor (TOK-4); the untouched context would have had this many tokens more. */
  anchor(usage: Usage, takenOut: number): void {
    for (let i = 0; i < this.beside.length; i++) this.beside[i]!.anchor(usage, takenOut);
    this.anchorTokens = this.own === null ? totalTokens(usage) : usageOf(usage, this.own.of);
    if (this.own?.ratioCap != null) {
      const estimate = (this.#counted.prefixRough(this.own.includes) + this.all) * this.rules.factor;
      this.ratio =
        estimate === 0
          ? 1
          : Math.min(this.own.ratioCap, Math.max(1 / this.own.ratioCap, totalTokens(usage) / estimate));
    }
    this.newer = 0;
    this.newerIds.length = 0;
    this.uncounted = 0;
    this.untouchedAnchor = this.anchorTokens + takenOut;
    this.untouchedNewer = 0;
    this.past?.anchor();
  }

  /** The history was replaced: usage from before it says nothing any more. */
  restart(messages: readonly Message[]): void {
    this.forgetAll();
    for (let i = 0; i < this.beside.length; i++) this.beside[i]!.forgetAll();
    for (const message of messages) this.add(message);
  }

  private forgetAll(): void {
    this.all = 0;
    if (this.own?.since !== 'any') this.anchorTokens = 0;
    this.newer = 0;
    this.newerIds.length = 0;
    this.uncounted = 0;
    this.deleted = 0;
    this.untouchedAnchor = 0;
    this.untouchedNewer = 0;
    this.past?.forget();
  }

  /**
   * Content changed in place: each block is taken off as it was added (C28). What the usage counts goes by its true tokens,
   * what is newer by the estimate. Results that are gone from the server already were taken off with that.
   */
  replace(
    edits: readonly BlockEdit[],
    before: ReadonlyMap<string, Message>,
    gone: ReadonlySet<string>,
  ): void {
    for (let i = 0; i < this.beside.length; i++) this.beside[i]!.replace(edits, before, gone);
    const newer = new Set(this.newerIds);
    const { heuristic } = this.rules;
    for (const { messageId, blockIndex, block } of edits) {
      const message = before.get(messageId)!;
      const old = message.blocks[blockIndex]!;
      if (block === null) this.past?.drop(old);
      if (isCountedBy(message, heuristic))
        this.all -= estimateBlock(old, heuristic) - (block === null ? 0 : estimateBlock(block, heuristic));
      const isGone = old.kind === 'tool_result' && gone.has(old.toolUseId ?? '');
      if (!newer.has(messageId)) this.takeOff((isGone ? 0 : old.tokens) - (block?.tokens ?? 0));
      else if (isCountedBy(message, heuristic))
        this.newer -=
          (isGone ? 0 : estimateBlock(old, heuristic)) -
          (block === null ? 0 : estimateBlock(block, heuristic));
    }
  }

  private takeOff(tokens: number): void {
    const uncounted = Math.max(0, Math.min(tokens, this.uncounted));
    this.uncounted -= uncounted;
    this.anchorTokens -= tokens - uncounted;
  }

  /** A new process read content back that the known usage leaves out. */
  returnUncounted(tokens: number): void {
    for (let i = 0; i < this.beside.length; i++) this.beside[i]!.returnUncounted(tokens);
    this.uncounted += tokens;
  }

  /** Content was deleted on the server (MIC-3): the usage that is known still counts it. */
  deleteCached(tokens: number): void {
    for (let i = 0; i < this.beside.length; i++) this.beside[i]!.deleteCached(tokens);
    this.deleted += tokens;
  }

  /** Deleted content left the conversation: what the known usage still counts of it is gone for good. */
  dropDeleted(tokens: number): void {
    for (let i = 0; i < this.beside.length; i++) this.beside[i]!.dropDeleted(tokens);
    const counted = Math.min(tokens, this.deleted);
    this.anchorTokens -= counted;
    this.deleted -= counted;
  }

  /** What was deleted is no longer subtracted: usage leaves it out by itself, or a new process knows of no deletions. */
  forgetDeleted(): void {
    for (let i = 0; i < this.beside.length; i++) this.beside[i]!.forgetDeleted();
    this.deleted = 0;
  }

  /** The server forgot its deletions: this many tokens are sent again, whether the known usage counts them or not. */
  returnDeleted(tokens: number): void {
    for (let i = 0; i < this.beside.length; i++) this.beside[i]!.returnDeleted(tokens);
    this.anchorTokens += tokens - this.deleted;
    this.deleted = 0;
  }
}

/** What a client counts of reasoning, by the model in use; null if it never does. */
function pastReasoning(
  { pastReasoning: dropped = 0, keptReasoning: kept = 0 }: CountPart,
  counted: Counted,
): PastReasoning | null {
  return dropped + kept === 0 ? null : new PastReasoning(() => (counted.dropsReasoning ? dropped : kept));
}

/** The parts of a usage that a client adds up. */
function usageOf(usage: Usage, of: CountPart['of']): number {
  let sum = 0;
  if (of.includes('input')) sum += usage.input;
  if (of.includes('cacheRead')) sum += usage.cacheRead;
  if (of.includes('cacheWrite')) sum += cacheWriteTokens(usage);
  if (of.includes('output')) sum += usage.output;
  return sum;
}
