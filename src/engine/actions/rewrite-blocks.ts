import { CcbenchError } from '../../core/base/errors.js';
import type { Action, Outcome } from '../../core/run/action.js';
import { findMessages } from '../context/find-messages.js';
import type { ActingThread } from './acting-thread.js';
import { DONE } from './done.js';

type Rewriting = Pick<
  ActingThread,
  'context' | 'view' | 'seen' | 'journal' | 'takenOut' | 'tally' | 'announced' | 'sentLength' | 'cachedTokens'
>;

/** Puts other blocks in the place of some (MIC-1, STO-1). */
export function rewriteBlocks(run: Rewriting, action: Extract<Action, { kind: 'rewrite-blocks' }>): Outcome {
  if (action.edits.length === 0) return DONE;
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
  return DONE;
}
