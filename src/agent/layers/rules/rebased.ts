import type { Message } from '../../../core/model/message.js';
import type { Action, LayerReport } from '../../../core/run/action.js';
import type { ContextView } from '../../../core/run/tier.js';
import type { Underway } from './compact.js';

/** The split of a summary that was asked for earlier, in the conversation as it is now; null when it no longer fits. */
export function rebased(
  { split }: Underway,
  messages: readonly Message[],
  stale: 'prefix-unchanged' | 'ids-present',
): Underway['split'] | null {
  const said = messages.filter(({ origin }) => origin !== 'boundary');
  const known = new Map(said.map((message) => [message.id, message]));
  const about = [...split.first, ...split.older];
  const fits =
    stale === 'ids-present'
      ? about.every(({ id }) => known.has(id))
      : about.every((message) => isSaidAlike(message, known.get(message.id)));
  if (!fits) return null;
  const gone = new Set(about.map(({ id }) => id));
  return { ...split, tail: said.filter(({ id }) => !gone.has(id)) };
}

/** Whether a message is the one it was: the server drops earlier thinking by itself, and the client's record keeps it. */
function isSaidAlike(before: Message, now: Message | undefined): boolean {
  if (now === before) return true;
  if (now === undefined) return false;
  const said = before.blocks.filter(({ kind }) => kind !== 'thinking');
  const still = now.blocks.filter(({ kind }) => kind !== 'thinking');
  return said.length === still.length && said.every((block, i) => block === still[i]);
}

/** Says that a summary came too late to fit. */
export function staleReport(underway: Underway, view: ContextView): Action {
  return unusedReport(underway, view, {
    outcome: 'failed',
    reason: 'the conversation changed while the summary was written',
    failure: 'stale',
  });
}

/** Says that a summary was asked for and paid for, and why it stands nowhere. */
export function unusedReport(
  { compaction, result }: Underway,
  view: ContextView,
  why: Pick<LayerReport, 'outcome' | 'reason' | 'failure'>,
): Action {
  return {
    kind: 'report',
    entry: {
      layer: 'rules',
      action: 'compact',
      trigger: compaction.trigger,
      ...why,
      seenBefore: view.seenTokens,
      seenAfter: view.seenTokens,
      trueBefore: view.trueTokens,
      trueAfter: view.trueTokens,
      saved: 0,
      details: { rule: compaction.rule.name, ...compaction.tracking, requests: result.requests },
    },
  };
}
