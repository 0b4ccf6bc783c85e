import { CcbenchError } from '../base/errors.js';
import type { Action, LayerReport, Outcome } from '../model/action.js';
import type { Message } from '../model/message.js';
import { estimateBlock } from '../tokens/heuristic.js';
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
    case 'replace-history': {
      const before = run.context.trueTokens;
      const messages = withReminderFirst(run.context.messages, action.messages);
      run.tally.cacheLost += run.sent.cachedBehind(run.context.replaceHistory(messages), run.now);
      run.forgetStripped();
      run.view.deletedTokens = 0;
      run.seen.restart(run.context.messages);
      run.journal.restart(run.context.messages);
      run.announced = 'compaction';
      run.historyReplaced = true;
      if (run.context.trueTokens > before)
        run.env.warnings.add('compaction-grew', 'a compaction left more than it found');
      return DONE;
    }
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
      run.host.reset(run.context.messages);
      renderPrompt(run);
      return DONE;
  }
}

/** The reminder with the context map goes first in every history (FLT-5). */
function withReminderFirst(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const isReminder = (message: Message): boolean => message.origin === 'context';
  if (!before.some(isReminder)) return after;
  return [...before.filter(isReminder), ...after.filter((message) => !isReminder(message))];
}

function rewrite(run: ThreadRun, action: Extract<Action, { kind: 'rewrite-blocks' }>): Outcome {
  if (action.edits.length === 0) return DONE;
  const rules = run.counter.heuristic;
  const before = run.context.findMessages(new Set(action.edits.map((edit) => edit.messageId)));
  let seenSaved = 0;
  for (const edit of action.edits) {
    const old = before.get(edit.messageId)?.blocks[edit.blockIndex];
    if (old === undefined)
      throw new CcbenchError('internal', `an edit names no block: ${edit.messageId} ${edit.blockIndex}`);
    seenSaved += estimateBlock(old, rules) - (edit.block === null ? 0 : estimateBlock(edit.block, rules));
  }
  const position = run.context.rewrite(action.edits);
  const touchedSent = position >= 0 && position < run.sent.length;
  if (action.keep === 'frozen') run.journal.freeze(action.edits);
  run.seen.reduce(seenSaved);
  if (touchedSent) {
    run.tally.cacheLost += run.sent.cachedBehind(position, run.now);
    run.announced ??= action.cause;
  }
  return DONE;
}

function deleteCached(run: ThreadRun, action: Extract<Action, { kind: 'delete-cached' }>): Outcome {
  let trueTokens = 0;
  for (const { toolUseId, messageIndex } of action.results) {
    const message = run.context.messages[messageIndex];
    const result = message?.blocks.find((block) => block.toolUseId === toolUseId);
    if (result === undefined) throw new CcbenchError('internal', `no tool result ${toolUseId} to delete`);
    trueTokens += result.tokens;
  }
  run.view.deletedTokens += trueTokens;
  run.seen.deleteCached(trueTokens);
  return DONE;
}

function report(run: ThreadRun, entry: LayerReport): void {
  run.prevention.note(entry);
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
  run.clearTally();
}
