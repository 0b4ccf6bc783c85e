import type { Breakpoint, PrefixView } from '../../core/model/prefix.js';
import type { Context } from './context.js';

/** System blocks a client marks (measured: two, then the last message or the last two). */
const MARKED_SYSTEM_BLOCKS = 2;

/** Where a client puts its cache breakpoints; `context` is given when the view is the thread's own request. */
export function breakpointsFor(
  view: PrefixView,
  layout: string,
  ttlMs: number,
  context: Context | null,
): readonly Breakpoint[] {
  const placed: Breakpoint[] = [];
  if (layout === 'none') return placed;
  for (let i = Math.max(view.toolsEnd, view.systemEnd - MARKED_SYSTEM_BLOCKS); i < view.systemEnd; i++) {
    placed.push({ position: i, ttlMs });
  }
  if (layout === 'system+last-two' && context !== null) {
    const end = previousMessageEnd(context);
    if (end >= view.systemEnd && context.blocks[end]!.kind !== 'thinking')
      placed.push({ position: end, ttlMs });
  }
  if (view.length > view.systemEnd) placed.push({ position: view.length - 1, ttlMs });
  return placed;
}

/** Last position of the API message before the last one, or −1. */
function previousMessageEnd({ blocks, systemEnd }: Context): number {
  let i = blocks.length - 1;
  const role = blocks[i]?.role;
  while (i >= systemEnd && blocks[i]!.role === role) i--;
  return i >= systemEnd ? i : -1;
}
