import { addTo } from '../../../core/base/groups.js';
import type { Block } from '../../../core/model/block.js';
import type { WarningList } from '../../../core/run/warning.js';
import {
  compactionEvent,
  type DraftCall,
  type DraftEvent,
  type DraftMessage,
  type DraftStep,
  draftMessage,
  microcompactEvent,
  rewindEvent,
} from '../../drafts/draft.js';
import { warnOfUsage } from '../../lines/plausible.js';
import { answerTo, type ToolCall } from './blocks.js';
import { type Chain, withKeptInFront } from './chains.js';
import { compactInstructions } from './effects.js';
import {
  type AssistantLine,
  type AttachmentLine,
  type CompactLine,
  callOf,
  keptLines,
  type Line,
  type MicrocompactLine,
  type UserLine,
} from './lines/lines.js';
import { lineEvent, ProcessWatch } from './process-watch.js';
import { type BilledOtherwise, billAt, warnOfResponses } from './recorded-usage.js';
import { extendCall, ResponseParts } from './response-parts.js';

/** What the chains of one transcript share while they are read. */
export interface GroupingContext {
  readonly warnings: WarningList;
  /** Thread that owns each response: a copy in another thread is context, not a second call. */
  readonly owners: Map<string, string>;
}

/** A tool call of a conversation, with the response that asks for it. */
interface AskedCall {
  readonly call: ToolCall;
  readonly response: string;
  isAnswered: boolean;
}

class StepGrouper {
  /** All steps but the late ones. Slot 0 is what precedes the first response, slot n goes from the n-th to the next. */
  readonly #steps: DraftStep[] = [];
  /** Where each slot begins in the steps. */
  readonly #slotStarts: number[] = [0];
  /** Steps that belong to the end of an earlier slot. */
  readonly #late = new Map<number, DraftStep[]>();
  readonly #chain: Chain;
  #firstBadUsageLine: number | null = null;
  readonly #warnings: WarningList;
  readonly #owners: Map<string, string>;
  readonly #asked = new Map<string, AskedCall>();
  readonly #slotOf = new Map<string, number>();
  readonly #waiting = new Map<string, DraftStep[]>();
  readonly #calls = new Map<string, DraftCall>();
  readonly #otherwise = new Map<string, readonly BilledOtherwise[]>();
  readonly parts = new ResponseParts();
  /** Responses that say more than zeros. */
  readonly #counted = new Set<string>();
  /** The call that was opened last. */
  #latest: DraftCall | null = null;
  readonly #copies = new Map<string, DraftMessage>();
  readonly #messageIds = new Map<string, string>();
  readonly #attachedTo = new Map<string, string>();
  readonly #usedIds = new Set<string>();
  readonly #process = new ProcessWatch();
  #compaction: DraftEvent | null = null;
  #restoring = false;
  /** The latest compaction, while the command that asked for it may follow. */
  #asking: DraftEvent | null = null;
  /** A command that speaks to the model came since the latest response. */
  #commanded = false;
  /** Responses that were opened when a line was read, by the line's uuid. */
  readonly #slotAtLine = new Map<string, number>();
  #saysThinking = false;
  /** Lines read so far, the current one included. */
  #linesRead = 0;

  constructor(chain: Chain, context: GroupingContext) {
    this.#chain = chain;
    this.#warnings = context.warnings;
    this.#owners = context.owners;
    for (const line of chain.lines) {
      if (line.type !== 'assistant' || line.synthetic) continue;
      this.#indexToolCalls(line);
      if (line.usage.state !== 'zero') this.#counted.add(line.responseKey);
    }
  }

  run(): void {
    for (const line of this.#chain.lines) {
      this.#linesRead++;
      for (const event of this.#process.before(line)) this.#addEvent(event);
      if (line.type === 'hidden' || line.type === 'attachment') {
        const event = this.#process.hook(line);
        if (event !== null) this.#addEvent(event);
      }
      if (line.type === 'hidden' && line.unseen === 'away-summary')
        this.#addEvent(lineEvent(line, (at) => ({ kind: 'away-summary', at })));
      if (line.type === 'user') this.#readUser(line);
      else if (line.type === 'attachment') this.#readAttachment(line);
      else if (line.type === 'assistant' && !line.synthetic) this.#readAssistant(line);
      else if (line.type === 'compact') this.#readCompaction(line);
      else if (line.type === 'microcompact') this.#readMicrocompaction(line);
      this.#slotAtLine.set(line.uuid, this.#slotStarts.length - 1);
    }
    const [calls, asked, otherwise] = [this.#calls, this.#asked, this.#otherwise];
    warnOfResponses({ calls, asked, otherwise }, this.#warnings);
  }

  #indexToolCalls(line: AssistantLine): void {
    for (const block of line.blocks) {
      const call = callOf(block);
      if (call !== null) this.#asked.set(call.id, { call, response: line.responseKey, isAnswered: false });
    }
  }

  #add(step: DraftStep): void {
    this.#steps.push(step);
  }

  #addEvent(event: DraftEvent): void {
    this.#steps.push({ kind: 'event', event });
  }

  /** The steps in order, the late ones in their places. */
  steps(): DraftStep[] {
    const steps = this.#inOrder();
    const spoken = this.#saysThinking
      ? steps
      : steps.filter((step) => step.kind !== 'event' || step.event.isSpeaker !== true);
    return this.parts.withEarlier(spoken);
  }

  #inOrder(): DraftStep[] {
    if (this.#late.size === 0) return this.#steps;
    const starts = this.#slotStarts;
    return starts.flatMap((start, slot) => [
      ...this.#steps.slice(start, starts[slot + 1]),
      ...(this.#late.get(slot) ?? []),
    ]);
  }

  #idFor(line: Line): string {
    let id = line.uuid;
    if (this.#usedIds.has(id)) {
      this.#warnings.add('duplicate-uuid', 'lines share a uuid; the later messages got another id');
      id = `${id}#${line.line}`;
    }
    this.#usedIds.add(id);
    this.#messageIds.set(line.uuid, id);
    return id;
  }

  /** A prompt that hangs on an earlier line than the latest responses: they are left behind (C1). */
  #readRewind(line: UserLine): void {
    const slot = this.#slotAtLine.get(line.parentUuid ?? '');
    if (slot === undefined || slot >= this.#slotStarts.length - 1) return;
    const lastId = this.#messageAt(line.parentUuid!);
    if (lastId !== undefined) this.#addEvent(rewindEvent(line.timeMs, lastId));
  }

  /** The message that a line is or hangs on; null at the beginning, undefined if a compaction or a gap lies between. */
  #messageAt(uuid: string): string | null | undefined {
    let wanted: string | null = uuid;
    for (let i = this.#linesRead - 1; i >= 0; i--) {
      const line = this.#chain.lines[i]!;
      if (line.type === 'compact') return undefined;
      if (line.uuid !== wanted) continue;
      const id = this.#messageIds.get(line.uuid);
      if (id !== undefined) return id;
      wanted = line.parentUuid;
      if (wanted === null) return null;
    }
    return undefined;
  }

  /** The command that asked for a compaction comes after its summary (C1). */
  #readInstructions({ text }: Block): void {
    if (this.#asking === null || this.#asking.summary === null) return;
    const instructions = compactInstructions(text?.read() ?? '');
    if (instructions === null) return;
    this.#asking.instructions = instructions;
    this.#asking = null;
  }

  #readSpeaker(line: UserLine): void {
    const { thinking, origin } = line;
    if (origin === 'command' && !line.isLocal) this.#commanded = true;
    if (thinking === null || (origin === 'meta' && !line.fromTool && !this.#commanded)) return;
    if (thinking !== 'unsaid') this.#saysThinking = true;
    this.#addEvent(lineEvent(line, (at) => ({ kind: 'speaker', at, thinking }), { isSpeaker: true }));
  }

  #readUser(line: UserLine): void {
    const blocks = this.#withCalls(line.blocks);
    if (blocks.length === 0) return;
    const { timeMs } = line;
    if (line.isSummary) {
      const id = this.#idFor(line);
      const summary = draftMessage({ id, role: 'user', origin: 'summary', timeMs, blocks });
      if (this.#compaction !== null && this.#compaction.summary === null) this.#compaction.summary = summary;
      else this.#add({ kind: 'message', message: summary });
      return;
    }
    const result = blocks.find((block) => block.kind === 'tool_result');
    const origin = result === undefined ? line.origin : 'tool';
    if (origin === 'human') {
      this.#restoring = false;
      this.#asking = null;
      this.#readRewind(line);
    }
    if (result === undefined) this.#readSpeaker(line);
    if (line.isExit) this.#process.noteExit();
    if (line.isCommand) this.#readInstructions(blocks[0]!);
    const message = draftMessage({ id: this.#idFor(line), role: 'user', origin, timeMs, blocks });
    if (result === undefined) this.#add({ kind: 'message', message });
    else this.#addResults(message, result);
  }

  /** Results belong to the calls of their own conversation, wherever in the file those stand. */
  #withCalls(blocks: Block[]): Block[] {
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i]!;
      if (block.kind !== 'tool_result' || block.toolUseId === null) continue;
      blocks[i] = answerTo(block, this.#asked.get(block.toolUseId)?.call);
    }
    return blocks;
  }

  #addResults(message: DraftMessage, first: Block): void {
    const step: DraftStep = { kind: 'message', message };
    for (const block of message.blocks) {
      if (block.kind !== 'tool_result' || block.toolUseId === null) continue;
      const asked = this.#asked.get(block.toolUseId);
      if (asked !== undefined) asked.isAnswered = true;
    }
    const key = this.#asked.get(first.toolUseId ?? '')?.response;
    if (key === undefined) {
      this.#warnings.add('orphan-tool-result', 'tool results answer no tool call of the file; they are kept');
      this.#add(step);
      return;
    }
    this.#process.noteResults(key, message.id);
    const slot = this.#slotOf.get(key);
    if (slot === undefined) {
      addTo(this.#waiting, key, step);
      this.#warnings.add(
        'early-tool-result',
        'tool results stand before their call; they were moved behind it',
      );
      return;
    }
    if (slot === this.#slotStarts.length - 1) {
      this.#add(step);
      return;
    }
    this.#warnings.add('late-tool-result', 'tool results stand behind a later response; they were moved up');
    addTo(this.#late, slot, step);
  }

  #readAssistant(line: AssistantLine): void {
    const key = line.responseKey;
    const { blocks } = line;
    const known = this.#response(key);
    this.#restoring = false;
    this.#messageIds.set(line.uuid, key);
    if (line.usage.state === 'impossible') {
      this.#firstBadUsageLine ??= line.line;
      warnOfUsage(this.#warnings, this.#firstBadUsageLine);
    }
    if (known === null) this.#openResponse(line, blocks);
    else for (const block of blocks) known.blocks.push(block);
    const call = this.#latest?.id === key ? this.#latest : this.#calls.get(key);
    if (call === undefined) return;
    extendCall(call, line);
    if (line.usage.state !== 'counts') return;
    const { otherwise, parts } = line.usage;
    if (otherwise.length > 0) this.#otherwise.set(key, billAt(call, line.model, otherwise));
    this.parts.note(call, parts);
  }

  /** A response of zeros among others that were counted is what a compaction kept, written again: no request (K24). */
  #isRequest(key: string): boolean {
    return this.#counted.size === 0 || this.#counted.has(key);
  }

  /** The response that a line belongs to; null when the line is its first. */
  #response(key: string): DraftMessage | null {
    if (this.#latest?.id === key) return this.#latest.message;
    return this.#copies.get(key) ?? this.#calls.get(key)?.message ?? null;
  }

  #openResponse(line: AssistantLine, blocks: Block[]): void {
    const key = line.responseKey;
    const message = draftMessage({
      id: key,
      role: 'assistant',
      origin: 'model',
      responseId: key,
      timeMs: line.timeMs,
      blocks,
    });
    this.#usedIds.add(key);
    this.#commanded = false;
    this.#asking = null;
    const owner = this.#owners.get(key) ?? this.#chain.id;
    this.#owners.set(key, owner);
    if (owner === this.#chain.id && this.#isRequest(key)) {
      const call: DraftCall = {
        id: key,
        model: line.model,
        message,
        version: this.#process.version,
        usage: null,
        outputIsMissing: true,
        stopReason: null,
        missReason: null,
        effort: null,
        lastTimeMs: null,
        startMs: 0,
        endMs: 0,
      };
      this.#calls.set(key, call);
      this.#latest = call;
      this.#process.noteResponse();
      if (blocks.length > 1) this.#addEvent(lineEvent(line, (at) => ({ kind: 'fallback', at })));
      this.#slotStarts.push(this.#steps.length);
      this.#add({ kind: 'call', call });
    } else {
      this.#copies.set(key, message);
      this.#add({ kind: 'message', message });
    }
    this.#slotOf.set(key, this.#slotStarts.length - 1);
    if (this.#waiting.size === 0) return;
    for (const step of this.#waiting.get(key) ?? []) this.#add(step);
    this.#waiting.delete(key);
  }

  #readAttachment(line: AttachmentLine): void {
    const { blocks } = line;
    const parent = line.parentUuid ?? '';
    const owner = this.#restoring
      ? (this.#compaction?.summary?.id ?? null)
      : (this.#attachedTo.get(parent) ?? this.#messageIds.get(parent) ?? null);
    if (owner !== null) this.#attachedTo.set(line.uuid, owner);
    if (blocks === null) return;
    const message = draftMessage({
      id: this.#idFor(line),
      role: 'user',
      origin: 'attachment',
      timeMs: line.timeMs,
      blocks,
      attachedTo: owner,
    });
    this.#add({ kind: 'message', message });
  }

  #readCompaction(line: CompactLine): void {
    // Nothing of what it replaced is in the file: its summary is how the conversation begins, and no run can leave it out (K20).
    if (this.#steps.every(({ kind }) => kind === 'event')) return;
    const { timeMs, trigger, preTokens, postTokens, durationMs } = line;
    const keptIds = this.#keptIds(line);
    this.#compaction = compactionEvent(timeMs, { trigger, preTokens, postTokens, durationMs, keptIds });
    this.#restoring = true;
    this.#asking = line.trigger === 'manual' ? this.#compaction : null;
    this.#process.forgetResults();
    this.#addEvent(this.#compaction);
  }

  #readMicrocompaction({ timeMs, trigger, preTokens, tokensSaved, toolUseIds }: MicrocompactLine): void {
    this.#addEvent(microcompactEvent(timeMs, { trigger, preTokens, tokensSaved, toolUseIds }));
  }

  #keptIds(line: CompactLine): readonly string[] {
    const { uuids, missing } = keptLines(line, this.#chain.lines.slice(0, this.#linesRead));
    const lost = 'messages a compaction kept are not in the file';
    this.#warnings.add('kept-line-missing', lost, null, missing);
    return [...new Set(uuids.flatMap((uuid) => this.#messageIds.get(uuid) ?? []))];
  }
}

/** What one conversation holds. */
export interface GroupedSteps {
  readonly steps: readonly DraftStep[];
  readonly advisors: readonly DraftCall[];
}

/** The steps of one conversation: a call per response, its results behind it, everything else in file order. */
export function groupSteps(chain: Chain, context: GroupingContext): GroupedSteps {
  const grouper = new StepGrouper({ ...chain, lines: withKeptInFront(chain.lines) }, context);
  grouper.run();
  return { steps: grouper.steps(), advisors: grouper.parts.advisors() };
}
