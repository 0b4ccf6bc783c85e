import { MS_PER_SECOND } from '../../../core/base/clock.js';
import { chainDigest, digestText } from '../../../core/base/digest.js';
import { CHARS_PER_TOKEN, textBlock, uniformFacts } from '../../../core/model/block.js';
import { createMessage, type Message, tokensOf } from '../../../core/model/message.js';
import type { Notes } from '../../../core/model/notes.js';
import { lazyText, type Text } from '../../../core/model/text.js';
import { askedBy } from '../../../core/model/transcript.js';
import type { Action, Asker, LayerReport, Outcome } from '../../../core/run/action.js';
import type { ContextView, HookContext, LayerContext } from '../../../core/run/layer.js';
import { estimateMessages, heuristicRules, PLAIN_RULES } from '../../../core/tokens/heuristic.js';
import { awaitHooks, hookMessages, hookRuns, hookTokens, tellHooks } from '../hooks/hook-runs.js';
import { restore } from '../restore/restore.js';
import { workState } from '../restore/work-state.js';
import { contextBefore, quietReport, reportCompaction } from '../support/compaction-report.js';
import { param } from '../support/param-reader.js';
import { autoCompactEnabled, compactLimit } from '../thresholds/thresholds.js';
import { keptTailStart } from './kept-tail.js';
import {
  cutForUse,
  isEmptyTemplate,
  keepLimits,
  landExtraction,
  notesOnDisk,
  notesPath,
  type SessionMemoryState,
  sessionMemoryState,
} from './notes-file.js';

const OPENING = [
  'This session goes on from an earlier one whose conversation had filled the context.',
  'What follows are the notes that were kept of the part that is no longer here; the latest messages stand behind them',
  'unchanged. Go on with the work where it was left, without asking about it and without telling what the notes say.',
  '',
  '',
].join('\n');

const SUMMARY_FACTS = uniformFacts({ replaces: 'summary' });
const OPENING_DIGEST = digestText(OPENING);

/** The marker that separates what was compacted from what follows (FUL-9): never sent. */
export function boundaryMessage(id: string, at: number): Message {
  return createMessage({ id, role: 'user', origin: 'boundary', blocks: [], at });
}

/** What represents the compacted part. */
export type SummaryText = Pick<Notes, 'text' | 'tokens' | 'digest'>;

/** The user message that stands for the compacted part: our opening, then the summary. Built when read. */
function summaryMessage(id: string, at: number, summary: SummaryText): Message {
  const text: Text = lazyText(OPENING.length + summary.text.chars, () => `${OPENING}${summary.text.read()}`);
  const tokens = Math.ceil(OPENING.length / CHARS_PER_TOKEN) + summary.tokens;
  const digest = chainDigest(OPENING_DIGEST, summary.digest);
  const block = textBlock(text, tokens, digest, SUMMARY_FACTS);
  return createMessage({ id, role: 'user', origin: 'summary', blocks: [block], at });
}

/** What a new history would weigh. */
export interface ResultEstimate {
  /** As the policy's own counter would see it before the next usage (TOK-5): messages alone. */
  readonly seen: number;
  /** The same with the margin of TOK-3, whatever the counter adds. */
  readonly withMargin: number;
  /** True tokens of the request that would be sent, tools and system prompt included. */
  readonly true: number;
  /** True when that with the margin is at or above the auto-compact threshold (SES-8, BRK-3, C26). */
  readonly wouldFireAgain: boolean;
}

/** Estimates a new history and compares it with the auto-compact threshold (SES-8). */
export function estimateResult(
  messages: readonly Message[],
  view: ContextView,
  context: LayerContext,
): ResultEstimate {
  const { params, plan } = context;
  const estimate = (margin: 'margin' | 'bare'): number =>
    Math.round(estimateMessages(messages, heuristicRules(params, margin)) * plan.estimatorFactor);
  const withMargin = estimate('margin');
  const seen = param.text(params, 'counter.newContent') === 'padded' ? withMargin : estimate('bare');
  const wouldFireAgain = autoCompactEnabled(params) && compactLimit(context).isMetBy(withMargin);
  return { seen, withMargin, true: view.prefixTokens + tokensOf(messages), wouldFireAgain };
}

const BY: Asker = { layer: 'session-memory', reason: 'the notes stand in for the conversation they cover' };

/** Why no compaction from notes (SES-5, SES-8) or from a cached summary was possible: stable names with their sentences. */
const DECLINED = {
  off: 'compaction from notes is switched off',
  'no-notes': 'there is no notes file',
  'empty-notes': 'the notes hold the empty template alone',
  'message-not-found': 'the last summarised message is not in the context',
  'boundary-gone': 'the boundary of the cached summary is not in the context any more',
  'result-too-large': 'the result would be at or above the auto-compact threshold',
} as const;

/**
 * Compacts from the notes, without a model call (SES-5 … SES-9); what a full one puts back comes behind the kept messages
 * (RES), and it reports like a full one (C37). Declined leaves the conversation as it was.
 */
export function* compactFromNotes(
  moment: HookContext,
  view: ContextView,
  context: LayerContext,
  tracking: Readonly<Record<string, unknown>>,
): Generator<Action, 'done' | 'declined', Outcome> {
  const { params } = context;
  const isOn =
    param.isOn(params, 'sessionMemory.enabled') && param.isOn(params, 'sessionMemory.compaction.enabled');
  if (!isOn) return yield* decline(triggerOf(moment), view, 'off', {});
  const state = sessionMemoryState(context.shared);
  const path = notesPath(context.thread);
  const waitedMs = yield* awaitExtraction(moment, view, context, state, path);
  const file = view.files.read(path);
  if (file === null) return yield* decline(triggerOf(moment), view, 'no-notes', { waitedMs });
  const notes = notesOnDisk(state, file);
  if (isEmptyTemplate(notes)) return yield* decline(triggerOf(moment), view, 'empty-notes', { waitedMs });
  const { messages } = view;
  const lastIndex = messages.findLastIndex((message) => message.id === state.lastSummarisedMessageId);
  if (lastIndex === -1) return yield* decline(triggerOf(moment), view, 'message-not-found', { waitedMs });

  const start = keptTailStart(messages, lastIndex, keepLimits(params));
  const kept = messages.slice(start);
  const used = cutForUse(notes, param.number(params, 'sessionMemory.sectionChars'), path);
  const number = state.compactions + 1;
  const at = moment.now + waitedMs;
  const restored = restore(context, { before: [], after: kept }, { at, id: `notes-${moment.turn}-restored` });
  const hooks = hookRuns(context, moment, 'SessionStart', triggerOf(moment)); // C22
  const summary = summaryMessage(`notes-summary-${number}`, at, used.notes);
  const result = [
    boundaryMessage(`notes-boundary-${number}`, at),
    summary,
    ...messages.slice(0, start).filter((message) => message.origin === 'context'), // FLT-5
    ...kept,
    ...restored.messages,
    ...hookMessages(hooks, `notes-${moment.turn}-hook`, at),
  ];
  const estimate = estimateResult(result, view, context);
  const details: Record<string, unknown> = {
    waitedMs,
    keptTokens: estimateMessages(kept, PLAIN_RULES),
    notesTokens: used.notes.tokens,
    sectionsCut: used.cut,
    resultTokens: estimate.seen,
  };
  if (hooks.length > 0) details.restoredHookTokens = hookTokens(hooks);
  details.resultWithMargin = estimate.withMargin;
  if (estimate.wouldFireAgain) return yield* decline(triggerOf(moment), view, 'result-too-large', details);
  const before = contextBefore(view);
  const summarised = messages.slice(0, start);
  state.compactions = number;
  yield* awaitHooks(hooks);
  yield { kind: 'replace-history', by: BY, messages: result };
  yield { kind: 'cleanup', by: BY };
  yield* reportCompaction(
    {
      layer: 'session-memory',
      action: 'compact',
      trigger: triggerOf(moment),
      reason: BY.reason,
      before,
      tracking,
      history: { summarised, before: [], after: kept, summaryId: summary.id },
      restored,
      discoveredTools: workState(context).discoveredTools,
      details,
    },
    context,
    view,
  );
  yield* tellHooks(hooks, view, triggerOf(moment));
  return 'done';
}

/** Waits for a running extraction within its limits and takes its notes over; returns the time waited (SES-5). */
function* awaitExtraction(
  moment: HookContext,
  view: ContextView,
  context: LayerContext,
  state: SessionMemoryState,
  path: string,
): Generator<Action, number, Outcome> {
  const { running } = state;
  let waitedMs = 0;
  if (running !== null && running.endMs > moment.now) {
    const staleAtMs =
      running.startMs + param.number(context.params, 'sessionMemory.staleSeconds') * MS_PER_SECOND;
    const patienceMs = param.number(context.params, 'sessionMemory.waitSeconds') * MS_PER_SECOND;
    waitedMs = Math.max(0, Math.min(running.endMs - moment.now, patienceMs, staleAtMs - moment.now));
    if (waitedMs > 0) {
      const by: Asker = { layer: 'session-memory', reason: 'an extraction of notes is still running' };
      yield { kind: 'wait', by, ms: waitedMs };
    }
  }
  yield* landExtraction(state, path, moment.now + waitedMs, view);
  return waitedMs;
}

/** Says why nothing was compacted. */
export function* decline(
  trigger: LayerReport['trigger'],
  view: ContextView,
  failure: keyof typeof DECLINED,
  details: LayerReport['details'],
): Generator<Action, 'declined', Outcome> {
  yield quietReport('session-memory', view, {
    action: 'compact',
    trigger,
    outcome: 'declined',
    reason: DECLINED[failure],
    failure,
    details,
  });
  return 'declined';
}

function triggerOf({ point, manual }: HookContext): LayerReport['trigger'] {
  return point === 'manual' ? askedBy(manual).trigger : point === 'refused' ? 'reactive' : 'auto';
}
