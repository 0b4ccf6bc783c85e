import { getOrMake } from '../../../core/base/once.js';
import { type Block, mediaCount } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import type { ContextView, LayerContext } from '../../../core/run/layer.js';
import type { KeepPart, SelectPart } from '../../../core/run/policy-rules.js';
import { MIDDLE, parseAmount, type Sizes } from '../../policy-file/expression.js';

/** Something that a rule may replace: a result, a call, a pair of both, thinking or media. */
export interface Item {
  readonly messageIndex: number;
  /** Null for content without a call. */
  readonly toolUseId: string | null;
  tokens: number;
  chars: number;
}

/** The content of a thread that a selection is about and that still stands, oldest first; each message is read once. */
export class Items {
  private live: Item[] = [];
  private nextMessage = 0;
  private readonly byCall = new Map<string, Item>();
  private readonly of: ReadonlySet<string> | null;
  private readonly except: ReadonlySet<string>;
  /** True tokens and characters of all of them. */
  tokens = 0;
  chars = 0;

  constructor(
    private readonly select: Pick<SelectPart, 'what' | 'of' | 'except' | 'minChars' | 'exceptMedia'> & {
      readonly keep: { readonly errors: boolean };
    },
  ) {
    this.of = select.of === null ? null : new Set(select.of);
    this.except = new Set(select.except);
  }

  /** Holds what another list of the same selection holds. */
  restoreFrom(other: Items): void {
    const copies = new Map<Item, Item>();
    const copyOf = (item: Item): Item => getOrMake(copies, item, () => ({ ...item }));
    this.reset();
    for (const item of other.live) this.live.push(copyOf(item));
    for (const [call, item] of other.byCall) this.byCall.set(call, copyOf(item));
    this.nextMessage = other.nextMessage;
    this.tokens = other.tokens;
    this.chars = other.chars;
  }

  get count(): number {
    return this.live.length;
  }

  /** Takes in what joined the context; returns the tokens that are new. */
  sync({ messages }: ContextView): number {
    if (this.nextMessage > messages.length) this.reset();
    const before = this.tokens;
    for (; this.nextMessage < messages.length; this.nextMessage++)
      this.take(messages[this.nextMessage]!, this.nextMessage);
    return this.tokens - before;
  }

  private take({ blocks }: Message, messageIndex: number): void {
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i]!;
      if (!this.concerns(block)) continue;
      if (this.select.what === 'pairs' && block.kind === 'tool_result') {
        const pair = this.byCall.get(block.toolUseId!);
        if (pair === undefined) continue;
        pair.tokens += block.tokens;
        pair.chars += block.chars;
        this.live.push(pair);
        this.tokens += pair.tokens;
        this.chars += pair.chars;
        continue;
      }
      const item: Item = {
        messageIndex,
        toolUseId: block.toolUseId,
        tokens: block.tokens,
        chars: block.chars,
      };
      if (this.select.what === 'pairs') {
        this.byCall.set(block.toolUseId!, item);
        continue;
      }
      this.live.push(item);
      this.tokens += block.tokens;
      this.chars += block.chars;
    }
  }

  private concerns(block: Block): boolean {
    const { what, minChars, exceptMedia } = this.select;
    const { kind, tool, facts } = block;
    if (facts.replaces === 'cleared') return false;
    switch (what) {
      case 'tool-results':
        if (kind !== 'tool_result' || block.toolUseId === null) return false;
        break;
      case 'tool-inputs':
        if (kind !== 'tool_use' || block.toolUseId === null) return false;
        break;
      case 'pairs':
        if ((kind !== 'tool_use' && kind !== 'tool_result') || block.toolUseId === null) return false;
        break;
      case 'media':
        return kind === 'image' || kind === 'document' || (kind === 'tool_result' && mediaCount(facts) > 0);
      default:
        return kind === 'thinking';
    }
    // The result alone decides how long a pair is.
    if (block.chars < minChars && !(what === 'pairs' && kind === 'tool_use')) return false;
    if (exceptMedia && mediaCount(facts) > 0) return false;
    if (this.select.keep.errors && facts.isError === true) return false;
    if (tool === null) return this.of === null;
    return (this.of === null || this.of.has(tool)) && !this.except.has(tool);
  }

  /** The history is another one. */
  reset(): void {
    this.live = [];
    this.byCall.clear();
    this.nextMessage = 0;
    this.tokens = 0;
    this.chars = 0;
  }

  /** An item by its age, the oldest first. */
  at(index: number): Item {
    return this.live[index]!;
  }

  /** How many of those before the newest fit into a number of tokens or characters; none without a limit. */
  fittingBefore(newest: number, limit: number | null, unit: 'tokens' | 'chars'): number {
    if (limit === null) return 0;
    let sum = 0;
    let count = 0;
    for (let i = this.live.length - 1 - newest; i >= 0; i--, count++) {
      sum += this.live[i]![unit];
      if (sum > limit) break;
    }
    return count;
  }

  /** How many of the newest are in the latest `n` messages, responses or prompts. */
  newestIn(n: number, unit: 'messages' | 'turns' | 'rounds', { messages }: ContextView): number {
    let left = n;
    let from = messages.length;
    while (from > 0 && left > 0) if (begins(messages[--from]!, unit)) left--;
    let count = 0;
    while (count < this.live.length && this.live[this.live.length - 1 - count]!.messageIndex >= from) count++;
    return count;
  }

  /** Takes items off the list: they are dealt with, here or by another rule. */
  forget(gone: ReadonlySet<Item>): void {
    if (gone.size === 0) return;
    this.live = this.live.filter((item) => !gone.has(item));
    for (const item of gone) {
      this.tokens -= item.tokens;
      this.chars -= item.chars;
    }
  }

  /** Takes items off that other rules have replaced. */
  forgetCalls(calls: ReadonlySet<string>): void {
    this.forget(new Set(this.live.filter(({ toolUseId }) => toolUseId !== null && calls.has(toolUseId))));
  }
}

/** Whether a message begins what is counted. */
function begins({ role, origin }: Message, unit: 'messages' | 'turns' | 'rounds'): boolean {
  if (unit === 'messages') return true;
  return unit === 'turns' ? origin === 'human' : role === 'assistant';
}

/** Newest tokens that stay: an amount or a share of all, within its bounds; null if nothing is said of tokens. */
export function tokenBudget(
  { tokens, share, atMost, atLeast }: KeepPart,
  total: number,
  sizes: Sizes,
): number | null {
  const amounts: number[] = [];
  if (tokens !== null) amounts.push(parseAmount(tokens)(sizes, MIDDLE));
  if (share?.of === 'tokens') amounts.push(share.is * total);
  if (amounts.length === 0) return null;
  let budget = Math.max(...amounts);
  if (atMost !== null) budget = Math.min(budget, parseAmount(atMost)(sizes, MIDDLE));
  if (atLeast !== null) budget = Math.max(budget, parseAmount(atLeast)(sizes, MIDDLE));
  return budget;
}

/** Newest characters that stay; null if nothing is said of characters. */
export function charBudget({ share }: KeepPart, total: number): number | null {
  if (share?.of !== 'chars') return null;
  return share.is > 1 ? share.is : share.is * total;
}

/** How many of the newest items a selection leaves alone: what `last` names, and as many before it as fit a budget. */
function keptItems({ keep }: SelectPart, items: Items, view: ContextView, sizes: Sizes): number {
  const { last } = keep;
  let newest = 0;
  if (last !== null) newest = last.unit === 'items' ? last.n : items.newestIn(last.n, last.unit, view);
  const before = Math.max(
    items.fittingBefore(newest, tokenBudget(keep, items.tokens, sizes), 'tokens'),
    items.fittingBefore(newest, charBudget(keep, items.chars), 'chars'),
  );
  return Math.min(newest + before, items.count);
}

/** Tokens and characters of what a selection would touch. */
export function prunable(
  select: SelectPart,
  items: Items,
  view: ContextView,
  sizes: Sizes,
): { readonly tokens: number; readonly chars: number } {
  const to = items.count - keptItems(select, items, view, sizes);
  let { tokens, chars } = items;
  for (let i = to; i < items.count; i++) {
    tokens -= items.at(i).tokens;
    chars -= items.at(i).chars;
  }
  const first = firstOf(select);
  for (let i = 0; i < Math.min(first, to); i++) {
    tokens -= items.at(i).tokens;
    chars -= items.at(i).chars;
  }
  return { tokens, chars };
}

function firstOf({ keep }: SelectPart): number {
  return typeof keep.first === 'number' ? keep.first : 0;
}

/** What a selection touches, in the order in which it goes. */
export function chosenItems(
  select: SelectPart,
  items: Items,
  view: ContextView,
  sizes: Sizes,
  nextUse: LayerContext['nextUse'],
): readonly Item[] {
  const to = items.count - keptItems(select, items, view, sizes);
  const chosen: Item[] = [];
  for (let i = firstOf(select); i < to; i++) chosen.push(items.at(i));
  if (select.order === 'newest') chosen.reverse();
  if (select.order === 'largest')
    chosen.sort((a, b) => b.tokens - a.tokens || a.messageIndex - b.messageIndex);
  if (select.order === 'farthest-use') {
    const uses = new Map(chosen.map((item) => [item, nextUse(...placeOf(item, view))]));
    chosen.sort((a, b) => (uses.get(a) === uses.get(b) ? 0 : uses.get(b)! - uses.get(a)!));
  }
  return select.count === null ? chosen : chosen.slice(0, select.count);
}

/** The message that the result of a call stands in, and the number of its block there; a pair begins with the call. */
function placeOf({ messageIndex, toolUseId }: Item, { messages }: ContextView): [string, number] {
  for (let i = messageIndex; i < messages.length; i++) {
    const { id, blocks } = messages[i]!;
    const block = blocks.findIndex((one) => one.kind === 'tool_result' && one.toolUseId === toolUseId);
    if (block >= 0) return [id, block];
  }
  return ['', 0];
}
