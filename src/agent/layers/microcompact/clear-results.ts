import type { Action, LayerReport, Outcome } from '../../../core/run/action.js';
import type { ContextView, TierContext } from '../../../core/run/tier.js';
import { fileState } from '../file-state/file-state.js';
import { fullText, resultPath } from '../storage/replacements.js';
import { changeReport, sizeBefore } from '../support/change-report.js';
import { Clearing } from './clearing.js';
import type { LedgerEntry, ResultLedger } from './ledger.js';

/** Why and how results are cleared. */
export interface ClearOrder {
  readonly form: 'token' | 'timeBased';
  readonly trigger: LayerReport['trigger'];
  readonly reason: string;
  readonly originals: 'keep' | 'drop';
  readonly memories: 'clear' | 'leave';
}

/** Clears results in place and reports it (MIC-5); silent when nothing would get smaller. */
export function* clearResults(
  context: TierContext,
  ledger: ResultLedger,
  view: ContextView,
  entries: readonly LedgerEntry[],
  order: ClearOrder,
): Generator<Action, void, Outcome> {
  const { form, trigger, reason } = order;
  const clearing = new Clearing(view.messages);
  const files = fileState(context);
  for (const entry of entries) {
    clearing.clearResult(entry);
    files.forgetRead(entry.toolUseId, entry.path);
  }
  const ids = clearing.originals.length;
  let memories = 0;
  if (order.memories === 'clear') {
    const newest = entries.at(-1)?.messageIndex ?? 0;
    const old = ledger.memories.filter((index) => index < newest);
    ledger.memories = ledger.memories.filter((index) => index >= newest);
    for (const index of old) {
      for (const { facts } of view.messages[index]?.blocks ?? []) {
        if (facts.attachment === 'nested_memory' && facts.path !== undefined) files.forgetMemory(facts.path);
      }
      memories += clearing.remove(index, (block) => block.facts.attachment === 'nested_memory');
    }
  }
  const clearableBefore = ledger.activeTokens;
  ledger.mark(entries, 'cleared');
  if (clearing.edits.length === 0) return;
  const by = { layer: 'microcompact', reason } as const;
  const before = sizeBefore(view);
  let keptOnDisk = 0;
  if (order.originals === 'keep') {
    for (const block of clearing.originals) {
      if (block.facts.replaces === 'stored') continue;
      const path = resultPath(context.thread, block.toolUseId!);
      keptOnDisk++;
      yield { kind: 'write-file', by, path, text: fullText(block) };
    }
  }
  yield { kind: 'rewrite-blocks', by, cause: 'microcompaction', keep: 'live', edits: clearing.edits };
  const details: Record<string, unknown> = {
    form,
    tools: clearing.tools,
    ids,
    memories,
    manual: trigger === 'manual',
    seenSaved: clearing.seenSaved,
    clearableBefore,
    clearableAfter: ledger.activeTokens,
  };
  if (keptOnDisk > 0) details.keptOnDisk = keptOnDisk;
  const { saved } = clearing;
  yield changeReport(view, before, {
    layer: 'microcompact',
    action: 'clear',
    trigger,
    reason,
    saved,
    details,
  });
}
