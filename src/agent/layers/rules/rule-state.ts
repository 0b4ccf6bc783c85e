import type { Message } from '../../../core/model/message.js';
import type { ContextView, LayerContext } from '../../../core/run/layer.js';
import {
  type FailPart,
  isOfBlocks,
  type KeepPart,
  type LayoutPart,
  type PolicyRules,
  type RulePart,
  type ShrinkPart,
} from '../../../core/run/policy-rules.js';
import { sizesOf } from '../../policy-file/check-rules.js';
import { MIDDLE, parseAmount, type Sizes } from '../../policy-file/expression.js';
import { Items } from './items.js';

/** What every tool result is counted by, whatever the rules select. */
const ALL_RESULTS = {
  what: 'tool-results',
  of: null,
  except: [],
  minChars: 0,
  exceptMedia: false,
  keep: { errors: false },
} as const;

/** A rule at work: what it may touch and what it has done. */
export interface RuleState {
  readonly rule: RulePart;
  /** Null for a rule about messages. */
  readonly items: Items | null;
  /** Tokens of the context as it measures them. */
  seen(view: ContextView): number;
  /** Estimated tokens when it last acted; `pending` until a usage gives the size of a new history. */
  actedAt: number | 'pending' | null;
  /** Tokens of results behind what it keeps, on the running total. */
  piled: number;
  /** Tokens it has left out so far, where it does so for each request. */
  leftOut: number;
}

/** What the rules of a policy know of their thread: counts of the conversation and the state of each rule. */
export class PolicyState {
  readonly rules: readonly RuleState[];
  readonly results = new Items(ALL_RESULTS);
  messages = 0;
  turns = 0;
  images = 0;
  private facts: ReturnType<LayerContext['model']> | null = null;
  private known: Sizes | null = null;

  constructor(
    readonly policy: PolicyRules,
    readonly context: LayerContext,
  ) {
    let counters = 0;
    this.rules = policy.rules.map((rule) => {
      const counter = rule.count === undefined ? null : counters++;
      const state: RuleState = {
        rule,
        seen: counter === null ? (view) => view.seenTokens : (view) => view.seenBy(counter),
        items: isOfBlocks(rule.select.what) ? new Items(rule.select) : null,
        actedAt: null,
        piled: 0,
        leftOut: 0,
      };
      this.restartPile(state);
      return state;
    });
  }

  /** Goes on from where the state of the same policy stands in another copy of the thread. */
  restoreFrom(other: PolicyState): void {
    this.messages = other.messages;
    this.turns = other.turns;
    this.images = other.images;
    this.results.restoreFrom(other.results);
    this.rules.forEach((state, i) => {
      const { items, actedAt, piled, leftOut } = other.rules[i]!;
      if (items !== null) state.items!.restoreFrom(items);
      state.actedAt = actedAt;
      state.piled = piled;
      state.leftOut = leftOut;
    });
  }

  /** Sizes of the model in use; computed once for each. */
  get sizes(): Sizes {
    const facts = this.context.model();
    if (facts !== this.facts || this.known === null) {
      this.facts = facts;
      this.known = sizesOf(this.policy, facts);
    }
    return this.known;
  }

  /** A message joined the conversation. */
  observe(message: Message): void {
    if (message.origin === 'boundary') return;
    this.messages++;
    if (message.role === 'assistant') this.turns++;
    const { blocks } = message;
    for (let i = 0; i < blocks.length; i++) {
      const { kind, facts } = blocks[i]!;
      if (kind === 'image') this.images++;
      else if (facts.images !== undefined) this.images += facts.images;
    }
  }

  /** The history is another one. */
  reset(messages: readonly Message[]): void {
    this.messages = 0;
    this.turns = 0;
    this.images = 0;
    for (const message of messages) this.observe(message);
    this.results.reset();
    for (const state of this.rules) {
      state.items?.reset();
      state.actedAt = null;
      state.leftOut = 0;
      this.restartPile(state);
    }
  }

  /** A new history is in place: what rules measure by growth begins with its first usage. */
  restartGrowth(): void {
    for (const state of this.rules) state.actedAt = 'pending';
  }

  /** A usage came. */
  measure(view: ContextView): void {
    for (let i = 0; i < this.rules.length; i++) {
      const state = this.rules[i]!;
      if (state.actedAt === 'pending') state.actedAt = state.seen(view);
    }
  }

  /** Takes in what joined, before anything is asked of the rules. */
  sync(view: ContextView): void {
    this.results.sync(view);
    for (let i = 0; i < this.rules.length; i++) {
      const state = this.rules[i]!;
      if (state.items !== null) state.piled += state.items.sync(view);
    }
  }

  /** Results pile up behind what the rule keeps. */
  private restartPile(state: RuleState): void {
    const { tokens } = state.rule.select.keep;
    state.piled = tokens === null ? 0 : -parseAmount(tokens)(this.sizes, MIDDLE);
  }
}

/** What a compaction is made by: a rule of a policy file, or one compiled from the parameters of a layer. */
export interface CompactionRule extends Pick<RulePart, 'name' | 'ask' | 'accept'> {
  /** Files that come back, for a rule of a policy file. */
  readonly select?: { readonly keep: Pick<KeepPart, 'recentFiles'> };
  readonly layout: readonly LayoutPiece[];
  readonly fail: Pick<FailPart, 'retry'> & { readonly shrink: readonly ShrinkStep[] };
  /** Present for Claude Code: it runs the user's hooks too, and parameters say what is restored. */
  readonly client?: ClientRule;
}

/** What Claude Code does and a policy file cannot say yet. */
interface ClientRule {
  /** Output cap of a request that shares the main prefix; null sets none. */
  readonly sharedOutput: number | null;
  /** Where a request that shares the main prefix marks the cache (R20). */
  readonly sharedMark: 'last' | 'before-last';
  /** Models on which such a request thinks with a budget of its own (R11). */
  readonly ownBudget: readonly string[];
  /** Size of what is asked; null counts the built-in request. */
  readonly promptTokens: number | null;
  /** A request of its own goes without media and attachments that are restored anyway (FUL-1). */
  readonly strips: boolean;
  /** The next shape is tried before each cut, or once the first failed for another reason than its length. */
  readonly nextShape: 'before-cut' | 'after-failure';
  /** A failed call is sent once more without streaming; calls that failed are not repeated otherwise. */
  readonly resends: boolean;
  /** A summary without its tags is asked for once more, then accepted. */
  readonly asksAgainUntagged: boolean;
}

/** A step to a shorter request; Claude Code may drop the newest rounds, which then stay in the conversation. */
export type ShrinkStep =
  | ShrinkPart
  | { readonly kind: 'drop-newest'; readonly share: number; readonly minMessages: number };

/** A piece of a new history; `restored` is all that comes back, `hooks` what the user's hooks print. */
export type LayoutPiece = LayoutPart | { readonly kind: 'restored' | 'hooks' };

/** Where a compaction takes place. */
export interface CompactionPlace {
  readonly context: LayerContext;
  readonly sizes: Sizes;
}
