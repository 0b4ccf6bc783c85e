import type { Block } from '../../model/block.js';
import type { WarningList } from '../../model/warning.js';
import { answerTo, type ToolCall } from './blocks.js';
import type { Chain } from './chains.js';
import { type DraftCall, type DraftEvent, type DraftMessage, type DraftStep, draftMessage } from './draft.js';
import {
  type ClientState,
  changeEvents,
  clearEvent,
  compactionEvent,
  fallbackEvent,
  microcompactEvent,
  nextState,
  resumeEvent,
  rewindEvent,
  speakerEvent,
} from './events.js';
import {
  type AssistantLine,
  type AttachmentLine,
  type CompactLine,
  callOf,
  type HiddenLine,
  type Line,
  type UserLine,
} from './lines.js';

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

function extendCall(call: DraftCall, line: AssistantLine): void {
  if (line.usage.state === 'counts' && (call.usage === null || line.usage.usage.output > call.usage.output)) {
    call.usage = line.usage.usage;
    call.message.usage = line.usage.usage;
  }
  call.stopReason = line.stopReason ?? call.stopReason;
  call.missReason ??= line.missReason;
  call.effort ??= line.effort;
  if (line.timeMs !== null) call.lastTimeMs = Math.max(line.timeMs, call.lastTimeMs ?? line.timeMs);
}

function isUnchanged(state: ClientState, line: Line): boolean {
  return (
    (line.version === null || line.version === state.version) &&
    (line.sessionId === null || line.sessionId === state.sessionId)
  );
}

function isSpeaker(event: DraftEvent): boolean {
  return event.isSpeaker === true;
}

class StepGrouper {
  /** All steps but the late ones. Slot 0 is what precedes the first response, slot n goes from the n-th to the next. */
  readonly #steps: DraftStep[] = [];
  /** Where each slot begins in the steps. */
  readonly #slotStarts: number[] = [0];
  /** Steps that belong to the end of an earlier slot. */
  readonly #late = new Map<number, DraftStep[]>();
  readonly #chain: Chain;
  readonly #warnings: WarningList;
  readonly #owners: Map<string, string>;
  readonly #asked = new Map<string, AskedCall>();
  readonly #slotOf = new Map<string, number>();
  readonly #waiting = new Map<string, DraftStep[]>();
  readonly #calls = new Map<string, DraftCall>();
  /** The call that was opened last. */
  #latest: DraftCall | null = null;
  readonly #copies = new Map<string, DraftMessage>();
  readonly #messageIds = new Map<string, string>();
  readonly #attachedTo = new Map<string, string>();
  readonly #usedIds = new Set<string>();
  #state: ClientState = { version: null, sessionId: null };
  #compaction: DraftEvent | null = null;
  #restoring = false;
  #exited = false;
  /** A command that speaks to the model came since the latest response. */
  #commanded = false;
  /** The latest process to begin came since the latest response: its hooks may tell of it more than once. */
  #started = false;
  /** Responses that were opened when a line was read, by the line's uuid. */
  readonly #slotAtLine = new Map<string, number>();
  /** Results of the latest response with several calls, and all but the last of earlier ones (K12). */
  #parallel: { readonly response: string; readonly ids: string[] } | null = null;
  #lostIds: string[] = [];
  #saysThinking = false;
  /** Lines read so far, the current one included. */
  #linesRead = 0;

  constructor(chain: Chain, context: GroupingContext) {
    this.#chain = chain;
    this.#warnings = context.warnings;
    this.#owners = context.owners;
    for (const line of chain.lines) {
      if (line.type === 'assistant' && !line.synthetic) this.#indexToolCalls(line);
    }
  }

  run(): void {
    for (const line of this.#chain.lines) {
      this.#linesRead++;
      this.#readChanges(line);
      if (line.type === 'hidden' || line.type === 'attachment') this.#readStart(line);
      if (line.type === 'user') this.#readUser(line);
      else if (line.type === 'attachment') this.#readAttachment(line);
      else if (line.type === 'assistant' && !line.synthetic) this.#readAssistant(line);
      else if (line.type === 'compact') this.#readCompaction(line);
      else if (line.type === 'microcompact') this.#addEvent(microcompactEvent(line));
      this.#slotAtLine.set(line.uuid, this.#slotStarts.length - 1);
    }
    let unanswered = 0;
    for (const call of this.#asked.values()) if (!call.isAnswered) unanswered++;
    if (unanswered > 0) {
      this.#warnings.add('unanswered-tool-call', 'tool calls have no result in the file', null, unanswered);
    }
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
    return this.#saysThinking
      ? steps
      : steps.filter((step) => step.kind !== 'event' || !isSpeaker(step.event));
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

  #readChanges(line: Line): void {
    if (!this.#exited && isUnchanged(this.#state, line)) return;
    const state = nextState(this.#state, line);
    const events = changeEvents(this.#state, state, line, () => this.#takeLost());
    this.#state = state;
    if (events.length === 0 && this.#exited && line.type !== 'hidden') {
      const stillLeaving = line.type === 'user' && line.isCommand;
      if (!stillLeaving) events.push(this.#resume(line, 'the client was left and started again'));
    }
    if (events.length > 0) {
      this.#exited = false;
      this.#started = true;
    }
    for (const event of events) this.#addEvent(event);
  }

  #resume(line: Line, reason: string): DraftEvent {
    return resumeEvent(line, reason, this.#takeLost());
  }

  /** Results beside the record's chain of parents, which a client that goes along it does not find (K12). */
  #takeLost(): readonly string[] {
    const lost = [...this.#lostIds, ...(this.#parallel?.ids.slice(0, -1) ?? [])];
    this.#lostIds = [];
    this.#parallel = null;
    return lost;
  }

  /** A hook tells that a process began (K3): the first one of a session is no news. */
  #readStart(line: HiddenLine | AttachmentLine): void {
    if (line.start === null || this.#started || this.#slotStarts.length === 1) return;
    this.#started = true;
    if (line.start === 'clear') this.#addEvent(clearEvent(line));
    else this.#addEvent(this.#resume(line, `the hook of a process that began (${line.start})`));
  }

  /** A prompt that hangs on an earlier line than the latest responses: they are left behind. */
  #readRewind(line: UserLine): void {
    const slot = this.#slotAtLine.get(line.parentUuid ?? '');
    if (slot === undefined || slot >= this.#slotStarts.length - 1) return;
    const lastId = this.#messageIds.get(line.parentUuid!) ?? null;
    const kept: string[] = [];
    if (lastId !== null) {
      for (const step of this.#inOrder()) {
        const message =
          step.kind === 'message' ? step.message : step.kind === 'call' ? step.call.message : null;
        if (message !== null) kept.push(message.id);
        if (message?.id === lastId) break;
      }
    }
    this.#addEvent(rewindEvent(line, lastId, kept));
  }

  #readSpeaker(line: UserLine): void {
    const { thinking, origin } = line;
    if (origin === 'command' && !line.isLocal) this.#commanded = true;
    if (thinking === null || (origin === 'meta' && !line.fromTool && !this.#commanded)) return;
    if (thinking !== 'unsaid') this.#saysThinking = true;
    this.#addEvent(speakerEvent(line, thinking));
  }

  #readUser(line: UserLine): void {
    const blocks = this.#withCalls(line.blocks);
    if (blocks.length === 0) return;
    const { timeMs } = line;
    if (line.isSummary) {
      const summary = draftMessage({
        id: this.#idFor(line),
        role: 'user',
        origin: 'summary',
        timeMs,
        blocks,
      });
      if (this.#compaction !== null && this.#compaction.summary === null) this.#compaction.summary = summary;
      else this.#add({ kind: 'message', message: summary });
      return;
    }
    const result = blocks.find((block) => block.kind === 'tool_result');
    const origin = result === undefined ? line.origin : 'tool';
    if (origin === 'human') {
      this.#restoring = false;
      this.#readRewind(line);
    }
    if (result === undefined) this.#readSpeaker(line);
    if (line.isExit) this.#exited = true;
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
    if (this.#parallel?.response === key) this.#parallel.ids.push(message.id);
    else {
      if (this.#parallel !== null) this.#lostIds.push(...this.#parallel.ids.slice(0, -1));
      this.#parallel = { response: key, ids: [message.id] };
    }
    const slot = this.#slotOf.get(key);
    if (slot === undefined) {
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), step]);
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
    const late = this.#late.get(slot);
    if (late === undefined) this.#late.set(slot, [step]);
    else late.push(step);
  }

  #readAssistant(line: AssistantLine): void {
    const key = line.responseKey;
    const { blocks } = line;
    const known = this.#response(key);
    this.#restoring = false;
    this.#messageIds.set(line.uuid, key);
    if (line.usage.state === 'impossible') {
      this.#warnings.add('bad-usage', 'usage with negative, fractional or far too large counts was ignored');
    }
    if (known === null) this.#openResponse(line, blocks);
    else for (const block of blocks) known.blocks.push(block);
    const call = this.#latest?.id === key ? this.#latest : this.#calls.get(key);
    if (call !== undefined) extendCall(call, line);
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
    this.#started = false;
    const owner = this.#owners.get(key) ?? this.#chain.id;
    this.#owners.set(key, owner);
    if (owner === this.#chain.id) {
      const call: DraftCall = {
        id: key,
        model: line.model,
        message,
        version: this.#state.version,
        usage: null,
        stopReason: null,
        missReason: null,
        effort: null,
        lastTimeMs: null,
        startMs: 0,
        endMs: 0,
      };
      this.#calls.set(key, call);
      this.#latest = call;
      if (blocks.length > 1) this.#addEvent(fallbackEvent(line));
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
    this.#compaction = compactionEvent(line, this.#keptIds(line));
    this.#restoring = true;
    this.#lostIds = [];
    this.#parallel = null;
    this.#addEvent(this.#compaction);
  }

  #keptIds(line: CompactLine): readonly string[] {
    let uuids = line.keptUuids;
    if (uuids.length === 0 && line.keptRange === null) return [];
    const order = new Map<string, number>();
    for (let i = 0; i < this.#linesRead; i++) order.set(this.#chain.lines[i]!.uuid, i);
    if (uuids.length === 0 && line.keptRange !== null) {
      const head = order.get(line.keptRange.head);
      const tail = order.get(line.keptRange.tail);
      const known = head !== undefined && tail !== undefined;
      uuids = known
        ? this.#chain.lines.slice(head, tail + 1).map((kept) => kept.uuid)
        : [line.keptRange.head];
    }
    const missing = uuids.filter((uuid) => !order.has(uuid)).length;
    if (missing > 0) {
      this.#warnings.add(
        'kept-line-missing',
        'messages a compaction kept are not in the file',
        null,
        missing,
      );
    }
    return [...new Set(uuids.flatMap((uuid) => this.#messageIds.get(uuid) ?? []))];
  }
}

/** The steps of one conversation: a call per response, its results behind it, everything else in file order. */
export function groupSteps(chain: Chain, context: GroupingContext): DraftStep[] {
  const grouper = new StepGrouper(chain, context);
  grouper.run();
  return grouper.steps();
}
