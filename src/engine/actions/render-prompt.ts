import type { RequestingThread } from '../requests/requesting-thread.js';
import { INDEX_FACT, indexBlock } from '../requests/session-state.js';

/** What rendering looks at, and the context whose prompt it changes. */
type Rendering = Pick<RequestingThread, 'env' | 'thread' | 'isMain' | 'now' | 'context'>;

/**
 * Renders the part of the system prompt that follows from the files: the memory index (AUT-3). A main thread does so when its
 * process starts and after a compaction (CLN-1); a subagent's compaction leaves it alone (CLN-2). Equal files give equal bytes.
 */
export function renderPrompt(run: Rendering): void {
  const { env, context } = run;
  if (!run.isMain || !env.tiers.some((tier) => tier.name === 'auto-memory')) return;
  const rendered = indexBlock(env.files, env.plan.policy.params);
  const current = context.prefix.find((block) => block.facts.attachment === INDEX_FACT) ?? null;
  const next = rendered?.block ?? null;
  if (rendered?.loaded.isBinary === true) {
    notice(run, 'the memory index holds binary content and is not loaded', { isBinary: true });
  }
  if (current?.digest === next?.digest) return;
  const others = context.prefix.filter((block) => block !== current);
  context.replacePrefix(next === null ? others : [...others, next]);
  if (next === null || rendered === null) return;
  context.markFresh(next);
  const { lines, bytes, shownLines, cutBy } = rendered.loaded;
  const what =
    cutBy === null ? `${lines} lines` : `${shownLines} of ${lines} lines, cut by the limit of ${cutBy}`;
  notice(run, `the memory index enters the system prompt: ${what}`, {
    lines,
    bytes,
    shownLines,
    cutBy,
    tokens: next.tokens,
  });
}

function notice(run: Rendering, message: string, details: Readonly<Record<string, unknown>>): void {
  run.env.sink.write({
    type: 'notice',
    t: run.now,
    thread: run.thread.id,
    what: details.isBinary === true ? 'memory-index-binary' : 'memory-index',
    message,
    details,
  });
}
