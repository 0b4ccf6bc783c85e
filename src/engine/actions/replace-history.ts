import type { Message } from '../../core/model/message.js';
import type { Action, Outcome } from '../../core/run/action.js';
import type { ActingThread } from './acting-thread.js';
import { DONE } from './done.js';

/** What a new history touches: everything that knows the old one. */
type Replacing = Pick<
  ActingThread,
  | 'env'
  | 'now'
  | 'turn'
  | 'thread'
  | 'source'
  | 'model'
  | 'context'
  | 'view'
  | 'seen'
  | 'journal'
  | 'takenOut'
  | 'prevention'
  | 'tally'
  | 'announced'
  | 'historyReplaced'
  | 'thinkingStrippedTo'
  | 'cachedTokens'
>;

/** Puts a new history in the place of the conversation (FUL-9). */
export function replaceHistory(
  run: Replacing,
  action: Extract<Action, { kind: 'replace-history' }>,
): Outcome {
  const { context, view } = run;
  const before = view.trueTokens;
  const cached = run.cachedTokens(context.unchanged);
  run.prevention.compacting(run);
  const position = context.replaceHistory(withReminderFirst(context.messages, action.messages));
  run.tally.cacheLost += Math.max(0, cached - run.cachedTokens(position));
  run.thinkingStrippedTo = 0;
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

/** The reminder with the context map goes first in every history (FLT-5). */
function withReminderFirst(before: readonly Message[], after: readonly Message[]): readonly Message[] {
  const isReminder = (message: Message): boolean => message.origin === 'context';
  return [...before.filter(isReminder), ...after.filter((message) => !isReminder(message))];
}
