import { digestParts } from '../../core/base/digest.js';
import { CcbenchError } from '../../core/base/errors.js';
import { copyNameTable, isNameTable } from '../../core/base/own-value.js';
import { type Message, messageTokens, withBlocks } from '../../core/model/message.js';
import type { Action, LayerReport, Outcome } from '../../core/run/action.js';
import { findMessages } from '../context/edited-tail.js';
import { ask } from '../requests/ask.js';
import type { RunningThread } from '../requests/running-thread.js';
import { renderPrompt, renewedReminder } from './context-message.js';

/** The outcome of an action that gives nothing back. */
const DONE: Outcome = { kind: 'done' };

type ActionOf<K extends Action['kind']> = Extract<Action, { kind: K }>;

/** What carries out each kind of action that gives nothing back. */
const ACTIONS: {
  readonly [K in Exclude<Action['kind'], 'ask'>]: (run: RunningThread, action: ActionOf<K>) => void;
} = {
  'rewrite-blocks': rewriteBlocks,
  'delete-cached': deleteCached,
  'replace-history': replaceHistory,
  cleanup: cleanUp,
  report,
  breaker,
  attach,
  'write-file': ({ env, now }, { path, text }) => env.files.write(path, text, now),
  'remove-file': ({ env }, { path }) => env.files.remove(path),
  'set-mtime': ({ env }, { path, mtimeMs }) => env.files.setMtime(path, mtimeMs),
  'wake-at': (run, { timeMs, needs }) => run.wakeAt(timeMs, needs),
  wait: (run, { ms }) => run.pass(ms),
  stop: (run, { what, message }) => run.stop(what, message),
};

/** What makes a context another one. */
const CHANGES: ReadonlySet<Action['kind']> = new Set([
  'rewrite-blocks',
  'delete-cached',
  'replace-history',
  'attach',
]);

/** Carries out an action for a thread and hands the outcome back. */
export function apply(run: RunningThread, action: Action): Outcome {
  if (action.kind === 'ask') return ask(run, action.request, action.by);
  if (run.course === 'same' && CHANGES.has(action.kind)) run.part();
  (ACTIONS[action.kind] as (run: RunningThread, action: Action) => void)(run, action);
  return DONE;
}

/** Adds a message at the end; one that replaces content taken out is taken off what its layer saved. */
function attach(run: RunningThread, { by, message }: ActionOf<'attach'>): void {
  run.join([message], 'made');
  if (message.blocks.some(({ facts }) => facts.replaces !== undefined)) {
    run.takenOut.take(by.layer, -messageTokens(message), 'frozen');
    run.seen.standsForOther(message);
  }
}

/** A circuit breaker trips or is reset. */
function breaker(run: RunningThread, { failures, state }: ActionOf<'breaker'>): void {
  const { env, thread, now, turn } = run;
  env.sink.write({ type: 'breaker', t: now, thread: thread.id, turn, failures, state });
}

/** What enters the system prompt with the new history (AUT-3) is part of what the compaction left. */
function cleanUp(run: RunningThread, action: ActionOf<'cleanup'>): void {
  const before = run.view.trueTokens;
  run.host.reset(run.context.messages);
  renderPrompt(run);
  run.takenOut.compact(action.by.layer, before - run.view.trueTokens);
}

/** Content is deleted on the server; the conversation stays as it is (MIC-3). */
function deleteCached(run: RunningThread, action: ActionOf<'delete-cached'>): void {
  const tokens = run.view.deletions.add(action.by.layer, action.results);
  run.takenOut.take(action.by.layer, tokens, 'live');
  run.seen.deleteCached(tokens);
}

/** Replaces the conversation with a new history (FUL-9). */
function replaceHistory(run: RunningThread, action: ActionOf<'replace-history'>): void {
  const { context, view } = run;
  const before = view.trueTokens;
  const cached = run.cachedTokens(context.unchanged);
  run.prevention.compacting(run);
  const position = context.replaceHistory(
    withReminderFirst(renewedReminder(run, context.messages), withLeftMore(run, action.messages)),
  );
  run.tally.cacheLost += Math.max(0, cached - run.cachedTokens(position));
  run.thinkingStrippedTo = 0;
  view.deletions.clear();
  run.takenOut.compact(action.by.layer, before - view.trueTokens);
  run.seen.restart(context.messages);
  run.journal.restart(context.messages);
  run.announced = 'compaction';
  run.faults.compacted(run.turn);
  run.historyReplaced = true;
  if (view.trueTokens > before)
    run.env.warnings.add('compaction-grew', 'a compaction left more than it found');
}

/** In a what-if the summary is as much longer, or shorter, as what the session's own compactions left besides. */
function withLeftMore(run: RunningThread, messages: readonly Message[]): readonly Message[] {
  const more = run.course === 'recorded' ? 0 : (run.env.whatIf?.conditions.leftMore ?? 0);
  const at = more === 0 ? -1 : messages.findIndex(({ origin }) => origin === 'summary');
  const summary = messages[at];
  const last = summary?.blocks.at(-1);
  if (summary === undefined || last === undefined) return messages;
  const tokens = Math.max(1, last.tokens + more);
  const digest = digestParts([last.digest, 'resized', tokens]);
  const blocks = [...summary.blocks.slice(0, -1), { ...last, tokens, digest }];
  return messages.map((message, i) => (i === at ? withBlocks(message, blocks) : message));
}

/** The reminder with the context map goes first in every history (FLT-5). */
function withReminderFirst(reminder: readonly Message[], after: readonly Message[]): readonly Message[] {
  return [...reminder, ...after.filter(({ origin }) => origin !== 'context')];
}

/** A layer reports what it did; what its calls have cost is added. */
function report(run: RunningThread, { entry }: ActionOf<'report'>): void {
  const { tally } = run;
  const details = tally.keepAlives > 0 ? withKeepAlives(entry.details, tally.keepAlives) : entry.details;
  run.env.sink.write({
    type: 'layer',
    t: run.now,
    thread: run.thread.id,
    turn: run.turn,
    layer: entry.layer,
    action: entry.action,
    trigger: entry.trigger,
    outcome: entry.outcome,
    reason: entry.reason,
    failure: entry.failure,
    estimatedBefore: entry.estimatedBefore,
    estimatedAfter: entry.estimatedAfter,
    trueBefore: entry.trueBefore,
    trueAfter: entry.trueAfter,
    saved: entry.saved,
    details,
    calls: tally.calls,
    cost: tally.costNano,
    cacheLost: tally.cacheLost,
  });
  tally.calls = 0;
  tally.costNano = 0;
  tally.cacheLost = 0;
  tally.keepAlives = 0;
}

/** A table of names was made for this report; other details may belong to the caller. */
function withKeepAlives(details: LayerReport['details'], keepAlives: number): LayerReport['details'] {
  const all = isNameTable(details) ? details : copyNameTable(details);
  all.keepAlives = keepAlives;
  return all;
}

/** Replaces some blocks with others (MIC-1, STO-1). */
function rewriteBlocks(run: RunningThread, action: ActionOf<'rewrite-blocks'>): void {
  if (action.edits.length === 0) return;
  const gone = new Set<string>();
  const before = findMessages(run.context.messages, new Set(action.edits.map((edit) => edit.messageId)));
  for (const edit of action.edits) {
    const old = before.get(edit.messageId)?.blocks[edit.blockIndex];
    if (old === undefined)
      throw new CcbenchError('internal', `an edit names no block: ${edit.messageId} ${edit.blockIndex}`);
    if (old.kind === 'tool_result' && run.view.deletions.has(old.toolUseId)) gone.add(old.toolUseId ?? '');
  }
  const tokensBefore = run.view.trueTokens;
  const cached = run.cachedTokens(run.context.unchanged);
  run.seen.dropDeleted(run.view.deletions.drop(gone));
  const position = run.context.rewrite(action.edits);
  const keep = action.keep === 'frozen' ? 'frozen' : 'live';
  run.takenOut.take(action.by.layer, tokensBefore - run.view.trueTokens, keep);
  if (keep === 'frozen') run.journal.freeze(action.edits);
  if (action.keep !== 'server') run.seen.replace(action.edits, before, gone);
  if (position < run.sentLength) {
    run.tally.cacheLost += Math.max(0, cached - run.cachedTokens(position));
    run.announced ??= action.cause;
  }
}
