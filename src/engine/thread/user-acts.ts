import { policyOf } from '../../agent/policies/catalogue.js';
import type { Message } from '../../core/model/message.js';
import type { ManualCompaction, RecordedCompaction } from '../../core/model/transcript.js';
import { renewedReminder } from '../actions/context-message.js';
import type { RunningThread } from '../requests/running-thread.js';

/**
 * The conversation with the fold that holds a message taken apart again from its file; unchanged where none does. A user who goes
 * back into a folded prompt finds it as it was.
 */
function withUnfolded(run: RunningThread, messageId: string | null): readonly Message[] {
  const { messages } = run.context;
  const unfolded = messageId === null ? null : run.host.unfold(messageId, run.env.files);
  if (unfolded === null) return messages;
  const originals = new Map(unfolded.messages.map((message) => [message.id, message]));
  const { path } = unfolded;
  run.note('unfold', 'the user went back into a folded prompt: it is read back from its file', {
    path,
    messages: originals.size,
  });
  return messages.map((message) => originals.get(message.id) ?? message);
}

/** What a user did in a recording happens in every run of it, whatever the policy (C1, INV-16). */

/** The user asks for a compaction; one that no layer carries out is reported (C37). */
export function compactNow(run: RunningThread, compaction: ManualCompaction): void {
  const refusal = refusalOf(run);
  if (refusal !== null) refuse(run, refusal);
  const { failure } = run;
  if (refusal === null) run.userActs();
  if (run.failure !== null) return;
  run.joinPending();
  run.historyReplaced = false;
  run.askLayers('manual', compaction);
  if (!run.historyReplaced) run.haltAgain(failure);
}

/** The user asks for old results to be cleared: no full compaction follows (C51). */
export function clearResultsNow(run: RunningThread): void {
  const clears = run.env.layers.some(({ points }) => points.includes('manual-clear'));
  const reason = isSwitchedOff(run)
    ? 'compaction is switched off' // WIN-7
    : clears
      ? null
      : 'this policy clears no results by hand';
  if (reason !== null) {
    run.note('clear-refused', `the user asked for results to be cleared, and none were: ${reason}`, {
      reason,
    });
    return;
  }
  run.userActs();
  if (run.failure !== null) return;
  run.joinPending();
  run.askLayers('manual-clear');
}

/** Why no layer does what the user asks for; null if one does. */
function refusalOf(run: RunningThread): string | null {
  if (run.failure?.until === 'end') return 'the run has ended';
  if (isSwitchedOff(run)) return 'compaction is switched off'; // WIN-7
  return canCompact(run) ? null : 'this policy has no compaction by hand';
}

/** True when the policy would compact and the user turned that off. */
function isSwitchedOff({ env }: RunningThread): boolean {
  const { params } = env.plan.policy;
  return params['compact.enabled'] === false && policyOf(env.plan.policy).layers.includes('auto-compact');
}

function refuse(run: RunningThread, reason: string): void {
  run.note('compact-refused', `the user asked for a compaction, and none was made: ${reason}`, { reason });
}

/**
 * The user asked for a compaction. The policy carries it out in its own way; one that has none takes the recorded summary,
 * and with it what the recording attached.
 */
export function compactByHand(run: RunningThread, event: RecordedCompaction): void {
  const { failure } = run;
  const isOff = isSwitchedOff(run);
  if (run.failure?.until === 'end' || isOff) refuse(run, refusalOf(run)!);
  else run.userActs();
  if (run.failure !== null) return;
  run.joinPending();
  run.historyReplaced = false;
  run.askLayers('manual', { instructions: event.instructions ?? null, partial: null });
  if (!run.historyReplaced && canCompact(run)) run.haltAgain(failure);
  if (run.historyReplaced || event.summary === null || isOff || canCompact(run)) {
    if (event.summary !== null) passSummary(run, event.summary);
    return;
  }
  takeRecordedSummary(run, event, run.context.messages);
}

/** A summary that only the recording made: it is not this run's, nor is what was attached to it. */
export function passSummary(run: RunningThread, { id }: Message): void {
  run.recordedSummaries.add(id);
  run.faults.excuse([id]);
}

/** The history that the recording continued with: its summary, what it kept, then what it attached. */
function takeRecordedSummary(
  run: RunningThread,
  { keptIds, summary }: RecordedCompaction,
  before: readonly Message[],
): void {
  const kept = new Set(keptIds);
  const messages = before.filter(({ id, origin }) => origin === 'context' || kept.has(id));
  const summaries = summary === null ? [] : [summary];
  replaceConversation(run, [...messages.filter(isContext), ...summaries, ...messages.filter(isSaid)]);
  run.faults.compacted(run.turn);
}

/** Whether a recorded compaction happens as it did: where the recording is followed, and one by hand while nothing else was changed. */
export function isAsRecorded(run: RunningThread, { trigger }: RecordedCompaction): boolean {
  if (run.course !== 'same') return run.course === 'recorded';
  return trigger === 'manual' && run.failure === null && !isSwitchedOff(run) && canCompact(run);
}

/**
 * A compaction of the recording happens as it did: the policy asks for the summary, unless the recording holds that request among
 * its calls, and the history is the recorded one. The time that took is in the recording.
 */
export function compactAsRecorded(run: RunningThread, event: RecordedCompaction): void {
  run.joinPending();
  const { now, shiftMs, course } = run;
  run.course = 'recorded';
  const before = [...run.context.messages];
  run.historyReplaced = false;
  if (canCompact(run) && event.isAmongCalls !== true)
    run.askLayers('manual', {
      instructions: event.instructions ?? null,
      partial: null,
      ...(event.trigger === 'auto' ? { isRecorded: true } : {}),
    });
  if (run.historyReplaced) run.ownLeft = run.context.trueTokens;
  run.now = now;
  run.shiftMs = shiftMs;
  takeRecordedSummary(run, event, before);
  run.course = course;
  run.announced = 'compaction';
}

function canCompact({ env }: RunningThread): boolean {
  const isAsked = env.plan.policy.rules?.rules.some(({ when }) =>
    when.some(({ at }) => at.includes('manual')),
  );
  return env.layers.some(
    ({ layer, points }) =>
      points.includes('manual') && (layer === 'full-compact' || (layer === 'rules' && isAsked === true)),
  );
}

function idsOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ id }) => id);
}

function isContext({ origin }: Message): boolean {
  return origin === 'context';
}

function isSaid(message: Message): boolean {
  return !isContext(message);
}

/** The user emptied the conversation: only what precedes every history stays. */
export function clearConversation(run: RunningThread): void {
  run.userActs();
  run.joinPending();
  run.faults.excuse(idsOf(run.context.messages));
  replaceConversation(run, renewedReminder(run, run.context.messages)); // C50: a new session begins
}

/** The user went back to a message; one that a layer has taken away since leaves everything as it is. */
export function rewindConversation(run: RunningThread, lastId: string | null): 'rewound' | 'not-found' {
  run.userActs();
  run.joinPending();
  const messages = withUnfolded(run, lastId);
  const last = lastId === null ? -1 : messages.findIndex(({ id }) => id === lastId);
  if (lastId !== null && last === -1) return 'not-found';
  run.faults.excuse(idsOf(messages.slice(last + 1)));
  replaceConversation(
    run,
    messages.filter((message, i) => i <= last || isContext(message)),
  );
  return 'rewound';
}

function replaceConversation(run: RunningThread, messages: readonly Message[]): void {
  run.context.replaceHistory(messages);
  run.thinkingStrippedTo = 0;
  run.view.deletions.clear();
  run.takenOut.forget();
  run.seen.restart(run.context.messages);
  run.journal.restart(run.context.messages);
  run.host.reset(run.context.messages);
  run.announced = 'messages';
}
