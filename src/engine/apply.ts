import { CcbenchError } from '../base/errors.js';
import type { Action, LayerReport, Outcome } from '../model/action.js';
import type { Message } from '../model/message.js';
import { ask } from './ask.js';
import { renderPrompt } from './render-prompt.js';
import type { ThreadRun } from './thread-run.js';

/** What the actions of one tier have cost so far; reported with its next report. */
export interface Tally {
  calls: number;
  costNano: number;
  cacheLost: number;
  keepAlives: number;
}

const DONE: Outcome = { kind: 'done' };

/** Carries out an action for a thread, checks what must hold, and hands the outcome back. */
export function apply(run: ThreadRun, action: Action): Outcome {
  switch (action.kind) {
    case 'rewrite-blocks':
      return rewrite(run, action);
    case 'delete-cached':
      return deleteCached(run, action);
    case 'ask':
      return ask(run, action.request);
    case 'replace-history':
      return replaceHistory(run, action);
    case 'attach':
      run.join([action.message], 'made');
      return DONE;
    case 'write-file':
      run.env.files.write(action.path, action.text, run.now);
      return DONE;
    case 'remove-file':
      run.env.files.remove(action.path);
      return DONE;
    case 'set-mtime':
      run.env.files.setMtime(action.path, action.mtimeMs);
      return DONE;
    case 'wake-at':
      run.wakeAt(action.timeMs);
      return DONE;
    case 'wait':
      run.pass(action.ms);
      return DONE;
    case 'report':
      report(run, action.entry);
      return DONE;
    case 'breaker':
      run.env.sink.write({
        type: 'breaker',
        t: run.now,
        thread: run.thread.id,
        turn: run.turn,
        failures: action.failures,
        state: action.state,
      });
      return DONE;
    case 'stop':
      run.stop(action.what, action.message);
      return DONE;
    case 'cleanup':
      return cleanUp(run, action);
  }
}

function replaceHistory(run: ThreadRun, action: Extract<Action, { kind: 'replace-history' }>): Outcome {
  const { context, view } = run;
  const before = view.trueTokens;
  const cached = run.cachedTokens(context.unchanged);
  run.prevention.compacting(run);
  const position = context.replaceHistory(withReminderFirst(context.messages, action.messages));
  run.tally.cacheLost += Math.max(0, cached - run.cachedTokens(position));
  run.forgetStripped();
  view.deletions.clear();
  run.takenOut.compact(action.by.layer, before - view.trueTokens);
  run.seen.restart(context.messages);
  run.journal.restart(context.messages);
  run.announced = 'compaction';
  run.historyReplaced = true;
  if (view.trueTokens > before)
    run.env.warnings.add('compaction-grew', 'a compaction left more than it found');
  return DONE;
}

/** What enters the system prompt with the new history (AUT-3) is part of what the compaction left. */
function cleanUp(run: ThreadRun, action: Extract<Action, { kind: 'cleanup' }>): Outcome {
  const before = run.view.trueTokens;
  run.host.reset(run.context.messages);
  renderPrompt(run);
  run.takenOut.compact(action.by.layer, before - run.view.trueTokens);
  return DONE;
}

/** The reminder with the context map goes first in every history (FLT-5). */
function withReminderFirst(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const isReminder = (message: Message): boolean => message.origin === 'context';
  if (!before.some(isReminder)) return after;
  return [...before.filter(isReminder), ...after.filter((message) => !isReminder(message))];
}

function rewrite(run: ThreadRun, action: Extract<Action, { kind: 'rewrite-blocks' }>): Outcome {
  if (action.edits.length === 0) return DONE;
  const gone = new Set<string>();
  const before = run.context.findMessages(new Set(action.edits.map((edit) => edit.messageId)));
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
  if (position >= 0 && position < run.sentLength) {
    run.tally.cacheLost += Math.max(0, cached - run.cachedTokens(position));
    run.announced ??= action.cause;
  }
  return DONE;
}

function deleteCached(run: ThreadRun, action: Extract<Action, { kind: 'delete-cached' }>): Outcome {
  const tokens = run.view.deletions.add(action.by.layer, action.results);
  run.takenOut.take(action.by.layer, tokens, 'live');
  run.seen.deleteCached(tokens);
  return DONE;
}

function report(run: ThreadRun, entry: LayerReport): void {
  const { tally } = run;
  const details = tally.keepAlives > 0 ? { ...entry.details, keepAlives: tally.keepAlives } : entry.details;
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
    seenBefore: entry.seenBefore,
    seenAfter: entry.seenAfter,
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
