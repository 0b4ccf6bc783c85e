import type { ContextView, LayerContext } from '../../../core/run/layer.js';
import type { KeepPart, SelectPart } from '../../../core/run/policy-rules.js';
import { MIDDLE, parseAmount, type Sizes } from '../../policy-file/expression.js';
import type { Item, Items } from './items.js';

/** Newest tokens that stay: an amount or a share of all, within its bounds; null where nothing is said of tokens. */
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

/** Newest characters that stay; null where nothing is said of characters. */
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
