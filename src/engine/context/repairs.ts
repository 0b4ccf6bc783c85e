import { addTo } from '../../core/base/groups.js';
import { type Block, createBlock } from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';

/** What flattening had to mend so that the API would take the request (FLT-4). */
export interface Repairs {
  /** Results without a call: removed. */
  readonly orphanResults: number;
  /** Calls without a result: answered by a marker. */
  readonly missingResults: number;
  /** Conversations that began with the assistant: a marker put in front. */
  readonly leadingMarkers: number;
}

const NO_REPAIRS: Repairs = { orphanResults: 0, missingResults: 0, leadingMarkers: 0 };

/** Counts repairs, and knows which of them were reported already. */
export class RepairCount {
  /** Repairs so far, and those of them that were reported. */
  all = NO_REPAIRS;
  private reported = NO_REPAIRS;

  add(what: keyof Repairs, count: number): void {
    const { orphanResults, missingResults, leadingMarkers } = this.all;
    // Written out: recordings without results repair every request, and a computed name leaves compiled code.
    this.all = {
      orphanResults: orphanResults + (what === 'orphanResults' ? count : 0),
      missingResults: missingResults + (what === 'missingResults' ? count : 0),
      leadingMarkers: leadingMarkers + (what === 'leadingMarkers' ? count : 0),
    };
  }

  /** Repairs since this was last asked; null when there were none (C37). */
  take(): Repairs | null {
    const { all, reported } = this;
    const orphanResults = all.orphanResults - reported.orphanResults;
    const missingResults = all.missingResults - reported.missingResults;
    const leadingMarkers = all.leadingMarkers - reported.leadingMarkers;
    if (orphanResults + missingResults + leadingMarkers === 0) return null;
    this.reported = all;
    return { orphanResults, missingResults, leadingMarkers };
  }
}

/** Tool calls that wait for their results, in order. There are only ever a few, so a list is all it takes. */
export class OpenCalls {
  private ids: string[] = [];

  get count(): number {
    return this.ids.length;
  }

  open(id: string): void {
    if (!this.ids.includes(id)) this.ids.push(id);
  }

  /** Takes note of a result; false when no call waits for it. */
  close(id: string): boolean {
    const place = this.ids.indexOf(id);
    if (place === -1) return false;
    if (place === this.ids.length - 1) this.ids.pop();
    else this.ids.splice(place, 1);
    return true;
  }

  /** All of them; none is left. */
  takeAll(): readonly string[] {
    const { ids } = this;
    this.ids = [];
    return ids;
  }

  /** Finds the calls of the last assistant message that the blocks of a conversation do not answer. */
  reopen(blocks: readonly Block[], start: number): void {
    this.takeAll();
    const answered = new Set<string | null>();
    let i = blocks.length - 1;
    for (; i >= start && blocks[i]!.role === 'user'; i--) answered.add(blocks[i]!.toolUseId);
    const ids: string[] = [];
    for (; i >= start && blocks[i]!.role === 'assistant'; i--) {
      const block = blocks[i]!;
      if (block.kind === 'tool_use' && !answered.has(block.toolUseId)) ids.push(block.toolUseId ?? '');
    }
    for (const id of ids.reverse()) this.open(id);
  }
}

const MISSING_RESULT = '[no result: the call was interrupted]';
const LEADING_MARKER = '[the conversation continues from here]';
const GO_ON = 'Continue from where you left off.';

function marker(id: string, blocks: readonly Block[], at: number): Message {
  return createMessage({ id, role: 'user', origin: 'marker', blocks, at });
}

function textMarker(id: string, text: string, at: number): Message {
  return marker(id, [createBlock({ kind: 'text', role: 'user', tokens: 9, text })], at);
}

/** Answers calls without a result (FLT-4); `index` is the message's place. */
export function missingResults(index: number, toolUseIds: readonly string[], at: number): Message {
  const blocks = toolUseIds.map((toolUseId) =>
    createBlock({ kind: 'tool_result', role: 'user', tokens: 12, text: MISSING_RESULT, toolUseId }),
  );
  return marker(`repair-${index}`, blocks, at);
}

/** Stands in front of a conversation that begins with the assistant, or that holds nothing (FLT-4). */
export function leadingMarker(index: number, at: number): Message {
  return textMarker(`lead-${index}`, LEADING_MARKER, at);
}

/** What a client says if nothing else is between two responses (FLT-4). */
export function continueMarker(index: number, at: number): Message {
  return textMarker(`go-on-${index}`, GO_ON, at);
}

/**
 * Brings messages into the order the API wants (FLT-1, FLT-2, FLT-5): the context
 * reminder comes first, parts of one response are joined at the first of them, and each attachment comes after
 * the message it belongs to. Everything else keeps its place.
 */
export function orderMessages(messages: readonly Message[]): readonly Message[] {
  let plain = true;
  const responses = new Set<string>();
  for (const message of messages) {
    if (message.origin === 'context' || message.attachedTo !== null) plain = false;
    if (message.responseId !== null) {
      if (responses.has(message.responseId)) plain = false;
      responses.add(message.responseId);
    }
  }
  if (plain) return messages;
  return withAttachmentsInPlace(withJoinedResponses(withContextFirst(messages)));
}

function withContextFirst(messages: readonly Message[]): readonly Message[] {
  const rest = messages.filter((message) => message.origin !== 'context');
  return [...messages.filter((message) => message.origin === 'context'), ...rest];
}

function withJoinedResponses(messages: readonly Message[]): readonly Message[] {
  const firstAt = new Map<string, number>();
  const joined: Message[] = [];
  for (const message of messages) {
    const at = message.responseId === null ? undefined : firstAt.get(message.responseId);
    if (at === undefined) {
      if (message.responseId !== null) firstAt.set(message.responseId, joined.length);
      joined.push(message);
    } else {
      const first = joined[at]!;
      const { id, role, origin, at: atMs, responseId, attachedTo } = first;
      const blocks = [...first.blocks, ...message.blocks];
      const usage = message.usage ?? first.usage;
      joined[at] = { id, role, origin, blocks, at: atMs, responseId, usage, attachedTo };
    }
  }
  return joined;
}

function withAttachmentsInPlace(messages: readonly Message[]): readonly Message[] {
  const present = new Set(messages.map((message) => message.id));
  const behind = new Map<string, Message[]>();
  for (const message of messages) {
    if (message.attachedTo !== null && present.has(message.attachedTo))
      addTo(behind, message.attachedTo, message);
  }
  const placed: Message[] = [];
  for (const message of messages) {
    if (message.attachedTo !== null && present.has(message.attachedTo)) continue;
    placed.push(message);
    const queue = [...(behind.get(message.id) ?? [])];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      placed.push(next);
      queue.unshift(...(behind.get(next.id) ?? []));
    }
  }
  return placed;
}
