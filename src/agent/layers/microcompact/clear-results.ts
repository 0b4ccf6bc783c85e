import { createNameTable } from '../../../core/base/own-value.js';
import type { Block } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import type { Action, BlockEdit, LayerReport, Outcome } from '../../../core/run/action.js';
import type { ContextView, LayerContext } from '../../../core/run/layer.js';
import { fileState } from '../file-state/file-state.js';
import { fullText, resultPath } from '../storage/replacements.js';
import { clearedBlock } from '../support/compactable.js';
import { changeReport, sizeBefore } from '../support/compaction-report.js';
import type { LedgerEntry, ResultLedger } from './ledger.js';

/** Edits that make a request smaller, and what they save. */
export class Clearing {
  readonly edits: BlockEdit[] = [];
  /** Originals of the cleared results. */
  readonly originals: Block[] = [];
  readonly tools = createNameTable<number>();
  saved = 0;
  seenSaved = 0;

  constructor(private readonly messages: readonly Message[]) {}

  /** Replaces a result with the placeholder, unless that would not make it smaller (INV-3). */
  clearResult(entry: LedgerEntry): void {
    const message = this.messages[entry.messageIndex];
    const blockIndex = indexOf(message, 'tool_result', entry.toolUseId);
    if (message === undefined || blockIndex < 0) return;
    const original = message.blocks[blockIndex]!;
    const cleared = clearedBlock(original);
    if (!this.replace(message, blockIndex, cleared)) return;
    this.originals.push(original);
    this.tools[entry.tool] = (this.tools[entry.tool] ?? 0) + 1;
  }

  /** Replaces a call with one that has no input. */
  clearCall(entry: LedgerEntry, emptied: (call: Block) => Block): void {
    const message = this.messages[entry.callIndex];
    const blockIndex = indexOf(message, 'tool_use', entry.toolUseId);
    if (message === undefined || blockIndex < 0) return;
    this.replace(message, blockIndex, emptied(message.blocks[blockIndex]!));
  }

  /** Takes out the blocks of a message that match; returns how many. */
  remove(messageIndex: number, matches: (block: Block) => boolean): number {
    const message = this.messages[messageIndex];
    let removed = 0;
    message?.blocks.forEach((block, blockIndex) => {
      if (!matches(block)) return;
      this.edits.push({ messageId: message.id, blockIndex, block: null });
      this.saved += block.tokens;
      this.seenSaved += block.rough;
      removed++;
    });
    return removed;
  }

  private replace(message: Message, blockIndex: number, block: Block): boolean {
    const original = message.blocks[blockIndex]!;
    if (block.tokens >= original.tokens) return false;
    this.edits.push({ messageId: message.id, blockIndex, block });
    this.saved += original.tokens - block.tokens;
    this.seenSaved += original.rough - block.rough;
    return true;
  }
}

function indexOf(message: Message | undefined, kind: Block['kind'], toolUseId: string): number {
  if (message === undefined) return -1;
  return message.blocks.findIndex((block) => block.kind === kind && block.toolUseId === toolUseId);
}

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
  context: LayerContext,
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
