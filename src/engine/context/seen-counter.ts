import type { BlockEdit } from '../../model/action.js';
import type { Message } from '../../model/message.js';
import type { ParamValues } from '../../model/params.js';
import { totalTokens, type Usage } from '../../model/usage.js';
import { estimateBlock, estimateMessage, type HeuristicRules, isCountedBy } from '../../tokens/heuristic.js';
import { heuristicRules } from '../../tokens/heuristic-rules.js';

/** How a policy counts its context. */
export interface CounterRules {
  /** What is added for messages newer than the latest usage. */
  readonly newContent: 'none' | 'rough' | 'padded';
  readonly heuristic: HeuristicRules;
  /** Error of the estimator, as a factor. */
  readonly factor: number;
}

/** The counter a policy's parameters describe. */
export function counterRules(params: ParamValues, estimatorFactor: number): CounterRules {
  const newContent = params['counter.newContent'] as CounterRules['newContent'];
  return {
    newContent,
    heuristic: heuristicRules(params, newContent === 'padded' ? 'margin' : 'bare'),
    factor: estimatorFactor,
  };
}

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

  constructor(private readonly rules: CounterRules) {}

  get tokens(): number {
    return this.count(this.anchorTokens - this.deleted, this.newer);
  }

  /** What it would show had no layer taken anything out since the last compaction (C10). */
  get untouchedTokens(): number {
    return this.count(this.untouchedAnchor, this.untouchedNewer);
  }

  private count(anchor: number, newer: number): number {
    const { newContent, heuristic, factor } = this.rules;
    if (newContent === 'none') return Math.max(0, anchor);
    const padding = heuristic.padding;
    const padded = padding === null ? newer : Math.ceil((newer * padding.numerator) / padding.denominator);
    return Math.max(0, anchor + (factor === 1 ? padded : Math.round(padded * factor)));
  }

  /** Takes over what another counter of the same rules has seen, for a fork. */
  adopt(other: SeenCounter): void {
    this.anchorTokens = other.anchorTokens;
    this.newer = other.newer;
    this.newerIds = [...other.newerIds];
    this.deleted = other.deleted;
    this.uncounted = other.uncounted;
    this.untouchedAnchor = other.untouchedAnchor;
    this.untouchedNewer = other.untouchedNewer;
  }

  /** A message joined the context. */
  add(message: Message): void {
    const tokens = estimateMessage(message, this.rules.heuristic);
    this.newer += tokens;
    this.newerIds.push(message.id);
    this.untouchedNewer += tokens;
  }

  /** A response with usage came in: the anchor (TOK-4); the untouched context would have had so many tokens more. */
  anchor(usage: Usage, takenOut: number): void {
    this.anchorTokens = totalTokens(usage);
    this.newer = 0;
    this.newerIds.length = 0;
    this.uncounted = 0;
    this.untouchedAnchor = this.anchorTokens + takenOut;
    this.untouchedNewer = 0;
  }

  /** The history was replaced: usage from before it says nothing any more. */
  restart(messages: readonly Message[]): void {
    this.anchorTokens = 0;
    this.newer = 0;
    this.newerIds.length = 0;
    this.uncounted = 0;
    this.deleted = 0;
    this.untouchedAnchor = 0;
    this.untouchedNewer = 0;
    for (const message of messages) this.add(message);
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
    const newer = new Set(this.newerIds);
    const { heuristic } = this.rules;
    for (const { messageId, blockIndex, block } of edits) {
      const message = before.get(messageId)!;
      const old = message.blocks[blockIndex]!;
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
    this.uncounted += tokens;
  }

  /** Content was deleted on the server (MIC-3): the usage that is known still counts it. */
  deleteCached(tokens: number): void {
    this.deleted += tokens;
  }

  /** Deleted content left the conversation: what the known usage still counts of it is gone for good. */
  dropDeleted(tokens: number): void {
    const counted = Math.min(tokens, this.deleted);
    this.anchorTokens -= counted;
    this.deleted -= counted;
  }

  /** What was deleted is no longer subtracted: usage leaves it out by itself, or a new process knows of no deletions. */
  forgetDeleted(): void {
    this.deleted = 0;
  }

  /** The server forgot its deletions: so many tokens are sent again, whether the known usage counts them or not. */
  returnDeleted(tokens: number): void {
    this.anchorTokens += tokens - this.deleted;
    this.deleted = 0;
  }
}
