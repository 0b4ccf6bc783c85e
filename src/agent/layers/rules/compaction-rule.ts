import type { LayerContext } from '../../../core/run/layer.js';
import type { FailPart, KeepPart, LayoutPart, RulePart, ShrinkPart } from '../../../core/run/policy-rules.js';
import type { Sizes } from '../../policy-file/expression.js';

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
export interface ClientRule {
  /** Output cap of a request that shares the main prefix; null sets none. */
  readonly sharedOutput: number | null;
  /** Where a request that shares the main prefix marks the cache (R20). */
  readonly sharedMark: 'last' | 'before-last';
  /** Models on which such a request thinks with a budget of its own (R11). */
  readonly ownBudget: readonly string[];
  /** Size of what is asked; null counts our own words. */
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
