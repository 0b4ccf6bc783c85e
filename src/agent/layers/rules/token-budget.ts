import type { KeepPart } from '../../../core/run/parts.js';
import { MIDDLE, parseAmount, type Sizes } from '../../policy-file/expression.js';

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
