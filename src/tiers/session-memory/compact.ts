import { MS_PER_SECOND } from '../../base/clock.js';
import type { Action, Asker, LayerReport, Outcome } from '../../model/action.js';
import type { Message } from '../../model/message.js';
import type { ContextView, Moment, TierContext } from '../../model/tier.js';
import { estimateMessages, PLAIN_RULES } from '../../tokens/heuristic.js';
import { param } from '../param-reader.js';
import { keptTailStart } from './kept-tail.js';
import { landExtraction } from './land-extraction.js';
import { cutForUse, isEmptyTemplate, notesPath } from './notes-file.js';
import { keepLimits } from './params.js';
import { estimateResult } from './result-estimate.js';
import { notesOnDisk, type SessionMemoryState, sessionMemoryState } from './state.js';
import { boundaryMessage, summaryMessage } from './summary-message.js';

const BY: Asker = { layer: 'session-memory', reason: 'the notes stand in for the conversation they cover' };

/** Why no compaction from notes was possible (SES-5, SES-8): stable names with their sentences. */
const DECLINED = {
  off: 'compaction from notes is switched off',
  'no-notes': 'there is no notes file',
  'empty-notes': 'the notes hold the empty template alone',
  'message-not-found': 'the last summarised message is not in the context',
  'result-too-large': 'the result would be at or above the auto-compact threshold',
} as const;

/**
 * Compacts from the notes, without a model call (SES-5 … SES-9); `restore` gives what is attached again behind the kept
 * messages (RES). Declined leaves the conversation as it was.
 */
export function* compactFromNotes(
  moment: Moment,
  view: ContextView,
  context: TierContext,
  restore: (kept: readonly Message[]) => readonly Message[],
): Generator<Action, 'done' | 'declined', Outcome> {
  const { params } = context;
  const isOn =
    param.isOn(params, 'sessionMemory.enabled') && param.isOn(params, 'sessionMemory.compaction.enabled');
  if (!isOn) return yield* decline(moment, view, 'off', {});
  const state = sessionMemoryState(context.shared);
  const path = notesPath(context.thread);
  const waitedMs = yield* awaitExtraction(moment, context, state, path);
  const file = view.files.read(path);
  if (file === null) return yield* decline(moment, view, 'no-notes', { waitedMs });
  const notes = notesOnDisk(state, file);
  if (isEmptyTemplate(notes)) return yield* decline(moment, view, 'empty-notes', { waitedMs });
  const { messages } = view;
  const lastIndex = messages.findLastIndex((message) => message.id === state.lastSummarisedMessageId);
  if (lastIndex === -1) return yield* decline(moment, view, 'message-not-found', { waitedMs });

  const start = keptTailStart(messages, lastIndex, keepLimits(params));
  const kept = messages.slice(start);
  const used = cutForUse(notes, param.number(params, 'sessionMemory.sectionChars'), path);
  const number = state.compactions + 1;
  const at = moment.now + waitedMs;
  const result = [
    boundaryMessage(`notes-boundary-${number}`, at),
    summaryMessage(`notes-summary-${number}`, at, used.notes),
    ...messages.slice(0, start).filter((message) => message.origin === 'context'), // FLT-5
    ...kept,
    ...restore(kept),
  ];
  const estimate = estimateResult(result, view, context);
  const details = {
    waitedMs,
    keptMessages: kept.length,
    keptTokens: estimateMessages(kept, PLAIN_RULES),
    summarisedMessages: start,
    lastMessageId: messages.at(-1)?.id ?? null,
    notesTokens: used.notes.tokens,
    sectionsCut: used.cut,
    resultTokens: estimate.seen,
    resultWithMargin: estimate.withMargin,
  };
  if (estimate.wouldFireAgain) return yield* decline(moment, view, 'result-too-large', details);
  const { trueTokens, prefixTokens } = view;
  const entry: LayerReport = {
    layer: 'session-memory',
    action: 'compact',
    trigger: triggerOf(moment),
    outcome: 'done',
    reason: BY.reason,
    failure: null,
    seenBefore: view.seenTokens,
    seenAfter: estimate.seen,
    trueBefore: trueTokens,
    trueAfter: estimate.true,
    saved: trueTokens - estimate.true,
    details,
  };
  state.compactions = number;
  yield { kind: 'replace-history', by: BY, messages: result };
  yield { kind: 'cleanup', by: BY };
  const entered = view.prefixTokens - prefixTokens; // AUT-3: the system prompt was rendered anew
  const { trueAfter, saved } = entry;
  yield { kind: 'report', entry: { ...entry, trueAfter: trueAfter + entered, saved: saved - entered } };
  return 'done';
}

/** Waits for a running extraction within its limits and takes its notes over; returns the time waited (SES-5). */
function* awaitExtraction(
  moment: Moment,
  context: TierContext,
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
  yield* landExtraction(state, path, moment.now + waitedMs);
  return waitedMs;
}

function* decline(
  moment: Moment,
  view: ContextView,
  failure: keyof typeof DECLINED,
  details: LayerReport['details'],
): Generator<Action, 'declined', Outcome> {
  const { seenTokens, trueTokens } = view;
  const entry: LayerReport = {
    layer: 'session-memory',
    action: 'compact',
    trigger: triggerOf(moment),
    outcome: 'declined',
    reason: DECLINED[failure],
    failure,
    seenBefore: seenTokens,
    seenAfter: seenTokens,
    trueBefore: trueTokens,
    trueAfter: trueTokens,
    saved: 0,
    details,
  };
  yield { kind: 'report', entry };
  return 'declined';
}

function triggerOf({ point }: Moment): LayerReport['trigger'] {
  return point === 'manual' ? 'manual' : point === 'refused' ? 'reactive' : 'auto';
}
