import type { Message } from '../model/message.js';
import type { ParamValues } from '../model/params.js';
import { totalTokens, type Usage } from '../model/usage.js';
import { estimateMessage, type HeuristicRules } from '../tokens/heuristic.js';

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
  const jsonBytes = params['counter.jsonBytesPerToken'];
  return {
    newContent: params['counter.newContent'] as CounterRules['newContent'],
    heuristic: {
      jsonBytesPerToken: typeof jsonBytes === 'number' ? jsonBytes : null,
      padding: params['counter.newContent'] === 'padded' ? { numerator: 4, denominator: 3 } : null, // TOK-3
      imageTokens: 2_000, // TOK-1
    },
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

  constructor(private readonly rules: CounterRules) {}

  get tokens(): number {
    const { newContent, heuristic, factor } = this.rules;
    if (newContent === 'none') return Math.max(0, this.anchorTokens - this.deleted);
    const padding = heuristic.padding;
    const padded =
      padding === null ? this.newer : Math.ceil((this.newer * padding.numerator) / padding.denominator);
    return Math.max(
      0,
      this.anchorTokens - this.deleted + (factor === 1 ? padded : Math.round(padded * factor)),
    );
  }

  /** Takes over what another counter of the same rules has seen, for a fork. */
  adopt(other: SeenCounter): void {
    this.anchorTokens = other.anchorTokens;
    this.newer = other.newer;
    this.deleted = other.deleted;
  }

  /** A message joined the context. */
  add(message: Message): void {
    this.newer += estimateMessage(message, this.rules.heuristic);
  }

  /** A response with usage came in: the anchor (TOK-4). */
  anchor(usage: Usage): void {
    this.anchorTokens = totalTokens(usage);
    this.newer = 0;
  }

  /** The history was replaced: usage from before it says nothing any more. */
  restart(messages: readonly Message[]): void {
    this.anchorTokens = 0;
    this.newer = 0;
    this.deleted = 0;
    for (const message of messages) this.add(message);
  }

  /** Content was cleared in place: what the anchor still counts is taken off. */
  reduce(tokens: number): void {
    this.newer -= tokens;
  }

  /** Content was deleted on the server (MIC-3): usage goes on counting it among the reads. */
  deleteCached(tokens: number): void {
    this.deleted += tokens;
  }

  /** The server forgot its deletions. */
  forgetDeleted(): void {
    this.deleted = 0;
  }
}
