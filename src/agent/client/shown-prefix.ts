import { digestParts } from '../../core/base/digest.js';
import { oncePer } from '../../core/base/once.js';
import type { Block } from '../../core/model/block.js';
import { type Message, messageTokens, textMessage, tokensOf, withBlocks } from '../../core/model/message.js';
import type { Step, Thread, Transcript } from '../../core/model/transcript.js';
import { compactionsIn } from '../../core/model/transcript.js';
import { promptTokens } from '../../core/model/usage.js';
import type { ParamValues } from '../../core/run/params.js';
import type { FakeLlmPlan } from '../../core/run/run-plan.js';
import { TTL_5M_MS } from '../../provider/cache/ttl.js';
import { DEFAULT_FAKE_LLM } from '../../provider/fake-llm/fake-llm.js';
import { SUMMARY_FRAME_TOKENS } from '../layers/rules/new-history.js';

/** `facts.attachment` of the reminders that come before the first message: what no line explains behind system and tools. */
const OPENING_CONTEXT = 'opening-context';

/** Largest system prompt and tools that are believed: 38,000 is the most read behind a compaction (E6). */
const LARGEST_PREFIX_TOKENS = 60_000;

/**
 * System and tools as the recording shows them (R18): what the first request behind a compaction reads is exactly that, where the
 * request before it was recent enough for it to be warm. So is what two requests fell back to, to the token, where results were
 * cleared without a line. Null if nothing tells. @internal */
export function shownPrefixTokens({ steps }: Pick<Thread, 'steps'>): number | null {
  let first: number | null = null;
  let before: { readonly endMs: number; readonly read: number } | null = null;
  let isBehind = false;
  const fallen = new Set<number>();
  for (const step of steps) {
    if (step.kind === 'event') {
      const { kind } = step.event;
      if (kind === 'recorded-compaction') isBehind = true;
      else if (kind === 'resume' || kind === 'clear' || kind === 'model-switch') before = null;
    }
    if (step.kind !== 'call' || step.call.usage === null) continue;
    const { usage, startMs, endMs } = step.call;
    const { cacheRead: read } = usage;
    first ??= promptTokens(usage);
    const isShown =
      before !== null &&
      startMs - before.endMs < TTL_5M_MS &&
      read > 0 &&
      read <= Math.min(first, LARGEST_PREFIX_TOKENS);
    if (isShown && (isBehind || fallen.has(read))) return read;
    if (isShown && read < before!.read) fallen.add(read);
    isBehind = false;
    before = { endMs, read };
  }
  return null;
}

/** Blocks of another size in all, each with its share. */
function scaled(blocks: readonly Block[], tokens: number): readonly Block[] {
  const before = blocks.reduce((sum, block) => sum + block.tokens, 0);
  let left = tokens;
  return blocks.map((block, i) => {
    const own = i === blocks.length - 1 ? left : Math.round((tokens * block.tokens) / before);
    left -= own;
    return { ...block, tokens: own, digest: digestParts([block.digest, 'resized', own]) };
  });
}

function isOpening({ blocks }: Message): boolean {
  return blocks[0]?.facts.attachment === OPENING_CONTEXT;
}

/** The steps with reminders of another size in front. */
function withOpening(steps: readonly Step[], tokens: number): readonly Step[] {
  const at = steps.findIndex((step) => step.kind === 'message' && isOpening(step.message));
  const own = steps[at];
  if (own?.kind === 'message') {
    const message = withBlocks(own.message, scaled(own.message.blocks, tokens));
    return tokens === 0
      ? [...steps.slice(0, at), ...steps.slice(at + 1)]
      : [...steps.slice(0, at), { kind: 'message', message }, ...steps.slice(at + 1)];
  }
  if (tokens === 0) return steps;
  const digest = digestParts([OPENING_CONTEXT, tokens]);
  const message = textMessage(
    { id: OPENING_CONTEXT, origin: 'context', at: 0 },
    { tokens, rough: 0, facts: { attachment: OPENING_CONTEXT }, digest },
  );
  return [{ kind: 'message', message }, ...steps];
}

function shownThread(thread: Thread): Thread {
  const shown = shownPrefixTokens(thread);
  const assumed = thread.prefix.reduce((sum, { tokens }) => sum + tokens, 0);
  if (shown === null || shown === assumed || assumed === 0) return thread;
  const opening = thread.steps.find((step) => step.kind === 'message' && isOpening(step.message));
  const reminders = opening?.kind === 'message' ? tokensOf([opening.message]) : 0;
  return {
    ...thread,
    prefix: scaled(thread.prefix, shown),
    steps: withOpening(thread.steps, Math.max(0, reminders + assumed - shown)),
  };
}

/** A recording with system and tools of the size that it shows behind its compactions, each made once. */
export const withShownPrefix = oncePer((transcript: Transcript): Transcript => {
  const threads = transcript.threads.map(shownThread);
  return threads.every((thread, i) => thread === transcript.threads[i])
    ? transcript
    : { ...transcript, threads };
});

/** Scratchpad in front of a summary, as a part of it: assumed, as in the plan of the fake LLM. */
const SCRATCHPAD_SHARE = 0.2;

/** The median length of a recording's own summaries, in their frame; null if it holds none. @internal */
export const shownSummaryTokens = oncePer(({ threads }: Transcript): number | null => {
  const lengths = compactionsIn(threads)
    .flatMap(({ summary }) => (summary === null ? [] : [messageTokens(summary)]))
    .sort((a, b) => a - b);
  return lengths[Math.floor(lengths.length / 2)] ?? null;
});

function isDefault(plan: FakeLlmPlan, name: 'summaryTokens' | 'scratchpadTokens'): boolean {
  return JSON.stringify(plan[name]) === JSON.stringify(DEFAULT_FAKE_LLM[name]);
}

/**
 * How the fake LLM writes summaries over a recording (R19): as long as the session's own ones, where it holds any and the plan says
 * nothing. A client that keeps the scratchpad has recorded it with them.
 */
export function shownAnswers(plan: FakeLlmPlan, params: ParamValues, transcript: Transcript): FakeLlmPlan {
  const shown = shownSummaryTokens(transcript);
  if (shown === null || !isDefault(plan, 'summaryTokens')) return plan;
  const framed = Math.max(1, shown - SUMMARY_FRAME_TOKENS);
  const keepsScratchpad = params['compact.scratchpad'] === 'keep';
  const fixed = Math.round(keepsScratchpad ? framed / (1 + SCRATCHPAD_SHARE) : framed);
  return {
    ...plan,
    summaryTokens: { fixed },
    ...(isDefault(plan, 'scratchpadTokens')
      ? { scratchpadTokens: { fixed: Math.round(fixed * SCRATCHPAD_SHARE) } }
      : {}),
  };
}
