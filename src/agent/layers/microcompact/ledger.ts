import { type Copied, copyState, restoreFields } from '../../../core/base/checkpoint.js';
import { entryOf } from '../../../core/base/once.js';
import type { Block } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import type { ContextView, LayerContext } from '../../../core/run/layer.js';
import { COMPACTABLE_TOOLS } from '../support/compactable.js';

/** A compactable tool result the ledger knows. */
export interface LedgerEntry {
  readonly toolUseId: string;
  readonly tool: string;
  /** File the call was about, if it was about one. */
  readonly path: string | null;
  readonly messageIndex: number;
  /** Index of the message that holds the call; −1 when it is not in the context. */
  readonly callIndex: number;
  /** True tokens of result and call. */
  readonly tokens: number;
  readonly callTokens: number;
  /** The result as a chars/4 counter sees it. */
  readonly rough: number;
  /** Main-loop turn at which it was first about to be sent. */
  turn: number;
  state: 'active' | 'cleared' | 'deleted';
  /** It was deleted on the server and came back with the end of the cache: it is never deleted there again (C44). */
  returned: boolean;
}

/** A message that holds thinking, and the response it belongs to. */
export interface ThinkingPlace {
  readonly messageIndex: number;
  readonly response: string;
}

const COMPACTABLE: ReadonlySet<string> = new Set(COMPACTABLE_TOOLS);

/**
 * What the forms of microcompaction know of a thread's tool results, in order (MIC-3): registered, cleared, deleted and
 * pinned. It reads each message once, when it is about to be sent, so sizes are those that storage left.
 */
export class ResultLedger {
  entries: LedgerEntry[] = [];
  /** Indexes of messages with memory files attached on the way (NES-1). */
  memories: number[] = [];
  thinking: ThinkingPlace[] = [];
  /** Responses that still hold thinking. */
  thinkingResponses = 0;
  /** Results with their content in place, and their sum as a chars/4 counter sees it. */
  active = 0;
  activeRough = 0;
  /** Those of them that were deleted on the server before. */
  returned = 0;
  /** True tokens of those results (MIC-5). */
  activeTokens = 0;
  /** Deletions on the server that are sent again with each request. */
  pinned = 0;
  /** True tokens of the client's history that the server leaves out by itself (MIC-4). */
  serverTokens = 0;
  /** Changes whenever a known result changes its state; growth alone leaves it. */
  version = 0;
  private nextMessage = 0;
  private firstActive = 0;
  /** Calls whose results have not come, and the messages that hold them: there are only ever a few. */
  private openCalls: Block[] = [];
  private openIndexes: number[] = [];

  /** Takes in what joined the context since the last look; pins do not outlive the cache (MIC-3). */
  sync(view: ContextView, turn: number): void {
    const { messages } = view;
    if (this.nextMessage > messages.length) this.reset();
    while (this.nextMessage < messages.length) {
      this.register(messages[this.nextMessage]!, this.nextMessage, turn);
      this.nextMessage++;
    }
    if (this.pinned > 0 && !view.cacheIsWarm) this.forgetPins();
  }

  /** The history is another one: nothing that was known holds (CLN-1). */
  reset(): void {
    this.entries.length = 0;
    this.memories = [];
    this.thinking = [];
    this.thinkingResponses = 0;
    this.active = 0;
    this.activeRough = 0;
    this.returned = 0;
    this.activeTokens = 0;
    this.pinned = 0;
    this.serverTokens = 0;
    this.version++;
    this.nextMessage = 0;
    this.firstActive = 0;
    this.openCalls = [];
    this.openIndexes = [];
  }

  /** Entries change in place: each ledger has its own. */
  restoreFrom(other: ResultLedger, copied: Copied): void {
    restoreFields(this, other, copied);
    this.entries = other.entries.map((entry) => ({ ...entry }));
  }

  /** What a fork knows: all of it has been sent before (AGT-1). */
  forFork(): ResultLedger {
    const copy = copyState(this);
    for (const entry of copy.entries) entry.turn = 0;
    return copy;
  }

  /** The oldest result with its content in place. */
  get oldestActive(): LedgerEntry | null {
    const { entries } = this;
    while (this.firstActive < entries.length && entries[this.firstActive]!.state !== 'active')
      this.firstActive++;
    return entries[this.firstActive] ?? null;
  }

  /** The oldest active results up to a count. */
  oldest(count: number): LedgerEntry[] {
    const found: LedgerEntry[] = [];
    if (this.oldestActive === null) return found;
    for (let i = this.firstActive; i < this.entries.length && found.length < count; i++) {
      const entry = this.entries[i]!;
      if (entry.state === 'active') found.push(entry);
    }
    return found;
  }

  /** The oldest active result that was never deleted. */
  get oldestDeletable(): LedgerEntry | null {
    if (this.returned === 0 || this.oldestActive === null) return this.oldestActive;
    let i = this.firstActive;
    while (i < this.entries.length && !isDeletable(this.entries[i]!)) i++;
    return this.entries[i] ?? null;
  }

  /** The oldest active results that were never deleted, up to a count; of those, the ones first sent before a turn (MIC-3). */
  oldestDeletables(count: number, beforeTurn: number): LedgerEntry[] {
    const found: LedgerEntry[] = [];
    if (this.oldestActive === null) return found;
    let left = count;
    for (let i = this.firstActive; i < this.entries.length && left > 0; i++) {
      const entry = this.entries[i]!;
      if (!isDeletable(entry)) continue;
      left--;
      if (entry.turn < beforeTurn) found.push(entry);
    }
    return found;
  }

  /** Marks active results as cleared, or as deleted on the server. */
  mark(entries: readonly LedgerEntry[], state: 'cleared' | 'deleted'): void {
    for (const entry of entries) {
      entry.state = state;
      this.count(entry, -1);
    }
    if (state === 'deleted') this.pinned += entries.length;
    this.version++;
  }

  /** Forgets results that left the conversation. */
  leave(results: readonly Block[]): void {
    if (results.length === 0) return;
    const known = new Map(this.entries.map((entry) => [entry.toolUseId, entry]));
    for (const { toolUseId, tokens } of results) {
      const entry = known.get(toolUseId ?? '');
      if (entry === undefined) continue;
      if (entry.state === 'active') this.count(entry, -1);
      else if (entry.state === 'deleted') this.pinned--;
      else this.serverTokens = Math.max(0, this.serverTokens - (entry.tokens - tokens));
      entry.state = 'cleared';
    }
    this.version++;
  }

  /** A result joined the active ones, or left them. */
  private count({ rough, tokens, returned }: LedgerEntry, by: 1 | -1): void {
    this.active += by;
    if (returned) this.returned += by;
    this.activeRough += by * rough;
    this.activeTokens += by * tokens;
  }

  /** Records that only the latest responses kept their thinking. */
  keepThinking(places: ThinkingPlace[], responses: number): void {
    this.thinking = places;
    this.thinkingResponses = responses;
  }

  private forgetPins(): void {
    for (const entry of this.entries) {
      if (entry.state !== 'deleted') continue;
      entry.state = 'active';
      entry.returned = true;
      this.count(entry, 1);
    }
    this.pinned = 0;
    this.firstActive = 0;
    this.version++;
  }

  private register(message: Message, messageIndex: number, turn: number): void {
    for (let i = 0; i < message.blocks.length; i++) {
      const block = message.blocks[i]!;
      const { toolUseId, tool } = block;
      if (block.kind === 'tool_use' && toolUseId !== null) {
        this.openCalls.push(block);
        this.openIndexes.push(messageIndex);
      } else if (block.kind === 'tool_result' && toolUseId !== null) {
        const place = this.placeOf(toolUseId);
        const call = place === -1 ? null : this.openCalls[place]!;
        const callIndex = place === -1 ? -1 : this.openIndexes[place]!;
        if (place !== -1) this.closeCall(place);
        if (tool === null || !COMPACTABLE.has(tool) || block.facts.replaces === 'cleared') continue;
        const entry: LedgerEntry = {
          toolUseId,
          tool,
          path: block.facts.path ?? call?.facts.path ?? null,
          messageIndex,
          callIndex,
          tokens: block.tokens,
          callTokens: call?.tokens ?? 0,
          rough: block.rough,
          turn,
          state: 'active',
          returned: false,
        };
        this.entries.push(entry);
        this.count(entry, 1);
      } else if (block.kind === 'thinking') this.registerThinking(message, messageIndex);
      else if (block.facts.attachment === 'nested_memory' && this.memories.at(-1) !== messageIndex) {
        this.memories.push(messageIndex);
      }
    }
  }

  /** Place of the call that a result answers among the open ones; a later call of the same id comes first. */
  private placeOf(toolUseId: string): number {
    let place = this.openCalls.length - 1;
    while (place >= 0 && this.openCalls[place]!.toolUseId !== toolUseId) place--;
    return place;
  }

  private closeCall(place: number): void {
    if (place === this.openCalls.length - 1) {
      this.openCalls.pop();
      this.openIndexes.pop();
    } else {
      this.openCalls.splice(place, 1);
      this.openIndexes.splice(place, 1);
    }
  }

  private registerThinking(message: Message, messageIndex: number): void {
    const response = message.responseId ?? message.id;
    const last = this.thinking.at(-1);
    if (last?.messageIndex === messageIndex) return;
    if (last?.response !== response) this.thinkingResponses++;
    this.thinking.push({ messageIndex, response });
  }
}

function isDeletable({ state, returned }: LedgerEntry): boolean {
  return state === 'active' && !returned;
}

/** The ledger of a thread, shared by the forms of microcompaction. */
export function resultLedger(context: Pick<LayerContext, 'shared'>): ResultLedger {
  return entryOf(context.shared, 'microcompact', () => new ResultLedger());
}
