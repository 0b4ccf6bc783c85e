import { createNameTable } from '../../../core/base/own-value.js';
import { type Block, mediaCount } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import type { Action, Outcome } from '../../../core/run/action.js';
import type { ContextView, LayerContext, LayerDefinition, LayerInstance } from '../../../core/run/layer.js';
import { fileState } from '../file-state/file-state.js';
import { changeReport, sizeBefore } from '../support/compaction-report.js';
import { layerParams, param } from '../support/param-reader.js';
import {
  cutBlock,
  findSlots,
  fullText,
  isWholeRead,
  previewBlock,
  resultPath,
  type Slot,
  stubBlock,
} from './replacements.js';

/** What a client adds to a result that it cut at its limit: the mark must not carry it over that limit again. */
const LIMIT_MARK_CHARS = 300;

/** Results that arrived since the last request: each is decided upon once, before it is sent (STO-3). */
class Storage implements LayerInstance {
  readonly canCheckpoint = true;
  /** Messages that hold them, as many as `waitingCount` says. */
  private readonly waiting: Message[] = [];
  private waitingCount = 0;
  private waitingChars = 0;
  private overThreshold = 0;
  private readsToCompare = 0;
  private readonly defaultThreshold: number;
  /** Thresholds of the tools that have one of their own. */
  private readonly thresholds = new Map<string, number>();
  private readonly budget: number;
  private readonly previewBytes: number;
  private readonly how: 'store' | 'cut';
  private readonly stubs: boolean;
  private readonly files;

  constructor(private readonly context: LayerContext) {
    const { params } = context;
    this.defaultThreshold = param.number(params, 'storage.defaultThreshold');
    for (const tool of param.names(params, 'storage.exempt'))
      this.thresholds.set(tool, Number.POSITIVE_INFINITY);
    for (const [tool, chars] of Object.entries(param.table(params, 'storage.tools')))
      this.thresholds.set(tool, chars);
    this.budget = param.numberOrNull(params, 'storage.messageBudget') ?? Number.POSITIVE_INFINITY;
    this.previewBytes = param.number(params, 'storage.previewBytes');
    this.how = param.text(params, 'storage.how') === 'cut' ? 'cut' : 'store';
    this.stubs = param.isOn(params, 'storage.stubRepeatedReads');
    this.files = fileState(context);
  }

  observe(message: Message): void {
    if (this.stubs) this.files.observe(message);
    if (message.role === 'assistant') {
      if (this.waitingCount > 0) this.forgetWaiting();
      return;
    }
    let hasResult = false;
    for (let i = 0; i < message.blocks.length; i++) {
      const block = message.blocks[i]!;
      const { toolUseId } = block;
      if (block.kind !== 'tool_result' || toolUseId === null) continue;
      hasResult = true;
      this.waitingChars += block.chars;
      if (block.chars > this.thresholdOf(block)) this.overThreshold++;
      if (this.stubs && isWholeRead(block)) this.readsToCompare++;
    }
    if (hasResult) this.waiting[this.waitingCount++] = message;
  }

  reset(messages: readonly Message[]): void {
    if (this.stubs) this.files.reset(messages);
  }

  resume(messages: readonly Message[]): void {
    this.reset(messages);
  }

  due(): boolean {
    return this.overThreshold > 0 || this.waitingChars > this.budget || this.readsToCompare > 0;
  }

  *act(_moment: unknown, view: ContextView): Generator<Action, void, Outcome> {
    const slots = findSlots(this.waiting.slice(0, this.waitingCount), view.messages);
    this.forgetWaiting();
    if (this.stubs) this.stubRepeated(slots);
    for (const slot of slots) {
      const threshold = this.thresholdOf(slot.block);
      if (slot.replacement === null && slot.block.chars > threshold) this.replace(slot, threshold);
    }
    this.holdToBudget(slots);
    if (this.stubs) {
      for (const { block, replacement, how } of slots) {
        if (!isWholeRead(block)) continue;
        if (replacement === null) this.files.show(block.facts.path!, block);
        else if (how === 'stub') this.files.pointBack(block.facts.path!);
      }
    }
    yield* this.carryOut(slots, 'stub', 'the file was read before and has not changed', view);
    yield* this.carryOut(slots, this.how, 'results are longer than the context should hold', view);
  }

  private forgetWaiting(): void {
    this.waitingCount = 0;
    this.waitingChars = 0;
    this.overThreshold = 0;
    this.readsToCompare = 0;
  }

  private thresholdOf({ tool, facts }: Block): number {
    if (mediaCount(facts) > 0) return Number.POSITIVE_INFINITY;
    const threshold = (tool === null ? undefined : this.thresholds.get(tool)) ?? this.defaultThreshold;
    return facts.limited === true ? threshold + LIMIT_MARK_CHARS : threshold;
  }

  private stubRepeated(slots: readonly Slot[]): void {
    for (const slot of slots) {
      const { block } = slot;
      if (!isWholeRead(block) || !this.files.shows(block.facts.path!, block)) continue;
      const stub = stubBlock(block);
      if (stub.chars >= block.chars) continue;
      slot.replacement = stub;
      slot.how = 'stub';
    }
  }

  private replace(slot: Slot, cutToChars: number): void {
    const { block } = slot;
    const shorter =
      this.how === 'cut'
        ? cutBlock(block, cutToChars)
        : previewBlock(block, resultPath(this.context.thread, block.toolUseId!), this.previewBytes);
    if (shorter.chars >= block.chars) return;
    slot.replacement = shorter;
    slot.how = this.how;
  }

  private holdToBudget(slots: readonly Slot[]): void {
    let total = 0;
    for (const { block, replacement } of slots) total += (replacement ?? block).chars;
    if (total <= this.budget) return;
    const largestFirst = slots
      .filter(({ block, replacement }) => replacement === null && mediaCount(block.facts) === 0)
      .sort((a, b) => b.block.chars - a.block.chars);
    for (const slot of largestFirst) {
      this.replace(slot, this.previewBytes);
      if (slot.replacement !== null) {
        slot.forBudget = true;
        total -= slot.block.chars - (slot.replacement as Block).chars;
      }
      if (total <= this.budget) return;
    }
  }

  private *carryOut(
    slots: readonly Slot[],
    how: Slot['how'],
    reason: string,
    view: ContextView,
  ): Generator<Action, void, Outcome> {
    const chosen = slots.filter((slot) => slot.replacement !== null && slot.how === how);
    if (chosen.length === 0) return;
    const by = { layer: 'storage', reason } as const;
    const before = sizeBefore(view);
    const tools = createNameTable<number>();
    let saved = 0;
    let seenSaved = 0;
    let chars = 0;
    for (const { block, replacement } of chosen) {
      const name = block.tool ?? 'unknown';
      tools[name] = (tools[name] ?? 0) + 1;
      saved += block.tokens - replacement!.tokens;
      seenSaved += block.rough - replacement!.rough;
      chars += block.chars;
      if (how !== 'store') continue;
      const path = resultPath(this.context.thread, block.toolUseId!);
      yield { kind: 'write-file', by, path, text: fullText(block) };
    }
    yield {
      kind: 'rewrite-blocks',
      by,
      cause: 'messages',
      keep: 'frozen',
      edits: chosen.map(({ messageId, blockIndex, replacement }) => ({
        messageId,
        blockIndex,
        block: replacement,
      })),
    };
    yield changeReport(view, before, {
      layer: 'storage',
      action: how,
      trigger: 'auto',
      reason,
      saved,
      details: {
        tools,
        ids: chosen.length,
        chars,
        seenSaved,
        forBudget: chosen.filter((slot) => slot.forBudget).length, // STO-2
      },
    });
  }
}

/** Layer 1: large tool results go to a file, or are cut, before they are first sent (STO-1 … STO-4). */
export const storageLayer: LayerDefinition = {
  name: 'storage',
  layer: 'storage',
  points: ['results'],
  needs: ['tools'],
  params: layerParams('storage'),
  showsInRecording: true,
  killSwitch: 'storage.enabled',
  create: (context) => new Storage(context),
};
