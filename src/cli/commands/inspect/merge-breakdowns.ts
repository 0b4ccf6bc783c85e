import { ratio } from '../../../core/base/stats.js';
import type { Breakdown, DuplicateRead, ToolTokens } from '../../../core/tokens/breakdown.js';

/** Tokens of a transcript by kind and tool, over all threads. */
export interface ContentFacts extends Breakdown {
  /** Text that no line of the record shows, known from the size of prompts: system, tools, reminders, what went before. */
  readonly unrecorded: number;
  /** Files read more than once in one thread. */
  readonly duplicateReads: readonly (DuplicateRead & { readonly thread: string })[];
}

/** The breakdown of one thread. */
export interface ThreadBreakdown {
  readonly thread: string;
  readonly breakdown: Breakdown;
  /** Of what the breakdown takes for human text: tokens that no line shows. */
  readonly unrecorded: number;
}

function byName<T extends object>(
  lists: readonly (readonly T[])[],
  name: (item: T) => string,
  add: (a: T, b: T) => T,
  size: (item: T) => number,
): readonly T[] {
  const merged = new Map<string, T>();
  for (const item of lists.flat()) {
    const known = merged.get(name(item));
    merged.set(name(item), known === undefined ? item : add(known, item));
  }
  return [...merged.values()].sort((a, b) => size(b) - size(a) || (name(a) < name(b) ? -1 : 1));
}

function tools(lists: readonly (readonly ToolTokens[])[]): readonly ToolTokens[] {
  return byName(
    lists,
    (item) => item.tool,
    (a, b) => ({ tool: a.tool, tokens: a.tokens + b.tokens, count: a.count + b.count }),
    (item) => item.tokens,
  );
}

/** Adds up the breakdowns of threads; a file read in two threads is not read twice by either. */
export function mergeBreakdowns(parts: readonly ThreadBreakdown[]): ContentFacts {
  const all = parts.map((part) => part.breakdown);
  const total = (pick: (item: Breakdown) => number): number => all.reduce((sum, item) => sum + pick(item), 0);
  const duplicates = parts.flatMap(({ thread, breakdown }) =>
    breakdown.duplicateReads.map((read) => ({ ...read, thread })),
  );
  const tokens = total((item) => item.total);
  const wasted = total((item) => item.duplicateReadTokens);
  const unrecorded = parts.reduce((sum, part) => sum + part.unrecorded, 0);
  return {
    total: tokens,
    human: total((item) => item.human) - unrecorded,
    unrecorded,
    assistant: total((item) => item.assistant),
    localCommandOutput: total((item) => item.localCommandOutput),
    other: total((item) => item.other),
    toolRequests: tools(all.map((item) => item.toolRequests)),
    toolResults: tools(all.map((item) => item.toolResults)),
    attachments: byName(
      all.map((item) => item.attachments),
      (item) => item.type,
      (a, b) => ({ type: a.type, count: a.count + b.count }),
      (item) => item.count,
    ),
    duplicateReads: duplicates.sort((a, b) => b.waste - a.waste),
    duplicateReadTokens: wasted,
    duplicateReadShare: ratio(wasted, tokens),
  };
}
