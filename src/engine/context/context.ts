import { chainDigest, type Digest } from '../../core/base/digest.js';
import { type Block, holdsImage } from '../../core/model/block.js';
import { type Message, withBlocks } from '../../core/model/message.js';
import type { PrefixView } from '../../core/model/prefix.js';
import type { BlockEdit } from '../../core/run/action.js';
import { FreshBlocks, GrowableFloats, KnownItems, type Origin, OwnTokens } from '../counting/own-tokens.js';
import { editedTail } from './edited-tail.js';
import {
  continueMarker,
  leadingMarker,
  missingResults,
  OpenCalls,
  orderMessages,
  RepairCount,
  type Repairs,
} from './repairs.js';

const START: Digest = 1;

/** Numbers beside the blocks of a request, position by position: chained digests, running sums, blocks of thinking so far (K7). @internal */
export class PrefixColumns {
  private readonly chain = new GrowableFloats();
  private readonly totals = new GrowableFloats();
  private readonly thinkingCounts = new GrowableFloats();

  get digests(): Float64Array {
    return this.chain.data;
  }

  get sums(): Float64Array {
    return this.totals.data;
  }

  get uncounted(): Float64Array {
    return this.thinkingCounts.data;
  }

  /** True tokens of all positions. */
  get trueTokens(): number {
    return this.totals.length === 0 ? 0 : this.totals.data[this.totals.length - 1]!;
  }

  /** Makes room for this many positions. */
  reserve(positions: number): void {
    this.chain.reserve(positions);
    this.totals.reserve(positions);
    this.thinkingCounts.reserve(positions);
  }

  /** Hands the columns back when a request is over that had its own. */
  release(): void {
    this.chain.release();
    this.totals.release();
    this.thinkingCounts.release();
  }

  /** A block at the next position. */
  pushColumns(block: Block): void {
    const last = this.totals.length - 1;
    this.chain.push(chainDigest(last < 0 ? START : this.chain.data[last]!, block.digest));
    this.totals.push((last < 0 ? 0 : this.totals.data[last]!) + block.tokens);
    const thinking = last < 0 ? 0 : this.thinkingCounts.data[last]!;
    this.thinkingCounts.push(block.kind === 'thinking' ? thinking + 1 : thinking);
  }

  /** Takes everything from a position on away. */
  truncateColumns(position: number): void {
    this.chain.truncate(position);
    this.totals.truncate(position);
    this.thinkingCounts.truncate(position);
  }

  /** True tokens of the positions from one on up to another. */
  tokensBetween(from: number, to: number): number {
    if (to <= from) return 0;
    return this.totals.data[to - 1]! - (from === 0 ? 0 : this.totals.data[from - 1]!);
  }
}

/**
 * The conversation of one thread as it would be sent: blocks in request order with chained digests and running
 * token sums. Appending costs the new blocks; an edit at position i costs the blocks after i.
 */
export class Context extends PrefixColumns implements PrefixView {
  prefix: readonly Block[];
  toolsEnd = 0;
  systemEnd = 0;
  prefixTokens = 0;
  /** Block at each position, prefix included. */
  readonly blocks: Block[] = [];
  /** Index into `messages` of the message at each position; −1 for the prefix. */
  readonly owners: number[] = [];
  readonly messages: Message[] = [];
  /** Positions that are still as the previous request of this thread sent them. */
  unchanged = 0;
  /** How often something that was there has been changed or taken out. */
  changes = 0;
  private readonly fresh = new FreshBlocks();
  private wasSent = false;
  private readonly own = new OwnTokens();
  private readonly calls = new OpenCalls();
  private readonly repaired = new RepairCount();

  constructor(prefix: readonly Block[]) {
    super();
    this.prefix = prefix;
    this.layPrefix();
    for (const block of prefix) this.fresh.add(block);
  }

  private layPrefix(): void {
    for (const block of this.prefix) this.pushBlock(block, -1, 'original');
    this.own.laidPrefix(this.trueTokens - this.prefixTokens);
    this.toolsEnd = this.prefix.filter((block) => block.role === 'tools').length;
    this.systemEnd = this.prefix.length;
    this.prefixTokens = this.trueTokens;
  }

  /** Puts other tools or another system prompt in front; everything after the first difference changes with it. */
  replacePrefix(prefix: readonly Block[]): void {
    const messages = [...this.messages];
    let same = 0;
    while (same < prefix.length && prefix[same] === this.prefix[same]) same++;
    for (const block of this.prefix) if (!prefix.includes(block)) this.fresh.remove(block);
    this.cutAt(this.systemEnd, 0);
    this.own.empty('start');
    this.blocks.length = 0;
    this.owners.length = 0;
    this.truncateColumns(0);
    this.prefix = prefix;
    this.layPrefix();
    // Another form of what was sent is no news.
    if (!this.wasSent) for (const block of prefix) this.fresh.add(block);
    for (const message of messages) this.append(message, 'again', this.own.originOf(message));
    this.unchanged = Math.min(this.unchanged, same);
  }

  get length(): number {
    return this.blocks.length;
  }

  /** Tokens of the blocks that the previous request of this thread did not hold. */
  get freshTokens(): number {
    return this.fresh.tokens;
  }

  /** A block of the prefix says what no request has said yet. */
  markFresh(block: Block): void {
    this.fresh.add(block);
  }

  /** Takes what is there for held by a request, but for this many tokens at the end. */
  assumeSent(freshTokens: number): void {
    this.wasSent = true;
    this.fresh.clear();
    for (let i = this.blocks.length - 1; i >= 0 && this.fresh.tokens < freshTokens; i--)
      this.fresh.add(this.blocks[i]!);
  }

  /** Tokens that the previous request did not hold, of the positions in front of one. */
  freshBefore(position: number): number {
    let tokens = this.fresh.tokens;
    for (let i = position; i < this.blocks.length; i++)
      if (this.fresh.has(this.blocks[i]!)) tokens -= this.blocks[i]!.tokens;
    return tokens;
  }

  /** Tokens of some blocks that the previous request did not hold, where it may have held those from a position on. */
  freshAmong(blocks: readonly Block[], from: number): number {
    const held = new KnownItems(this.blocks.slice(from));
    let tokens = 0;
    for (const block of blocks) if (!held.has(block) || this.fresh.has(block)) tokens += block.tokens;
    return tokens;
  }

  get repairs(): Repairs {
    return this.repaired.all;
  }

  /** Repairs since this was last asked; null when there were none (C37). */
  takeRepairs(): Repairs | null {
    return this.repaired.take();
  }

  /** True when some image or document is in the request. */
  hasImages(): boolean {
    return this.imageBlocks > 0;
  }

  /** Number of blocks that hold an image or document. */
  imageBlocks = 0;

  /**
   * Adds messages that arrived since the last request, in the order the API wants them (FLT-1, FLT-2): the session's own, or
   * some that a layer made.
   */
  extend(batch: readonly Message[], origin: Origin = 'original'): void {
    this.own.arrive(batch, origin);
    if (batch.length === 1) this.append(batch[0]!, 'first', origin);
    else for (const message of orderMessages(batch)) this.append(message, 'first', origin);
  }

  /** The messages of an independent request: what of it is new or the session's own does not matter. */
  lay(messages: readonly Message[]): void {
    for (const message of orderMessages(messages)) this.append(message, 'again', 'made');
  }

  /** Share of the session's own tokens that the model sees as they came; what the server deleted it does not see. */
  keptShare(deletedTokens: number): number | null {
    return this.own.share(deletedTokens);
  }

  private append(message: Message, time: 'first' | 'again', origin: Origin): void {
    if (message.role === 'assistant') {
      if (this.calls.count > 0) this.answerOpenCalls(message.at);
      if (this.blocks.length === this.prefix.length && message.blocks.length > 0) this.lead(message.at);
    }
    const index = this.messages.length;
    let kept: Block[] | null = null;
    for (let i = 0; i < message.blocks.length; i++) {
      const block = message.blocks[i]!;
      if (block.kind === 'tool_result' && !this.calls.close(block.toolUseId ?? '')) {
        this.repaired.add('orphanResults', 1);
        if (time === 'first' && origin === 'original') this.own.turnAway(block);
        kept ??= message.blocks.slice(0, i);
        continue;
      }
      if (block.kind === 'tool_use') this.calls.open(block.toolUseId ?? '');
      kept?.push(block);
      this.pushBlock(block, index, origin);
      if (time === 'first') this.fresh.add(block);
    }
    this.messages.push(kept === null ? message : withBlocks(message, kept));
  }

  /** Makes the request valid: every call answered, the user first and last (FLT-4). */
  seal(now: number): void {
    if (this.calls.count > 0) this.answerOpenCalls(now);
  }

  private answerOpenCalls(at: number): void {
    const ids = this.calls.takeAll();
    this.repaired.add('missingResults', ids.length);
    this.put(missingResults(this.messages.length, ids, at));
  }

  private lead(at: number): void {
    this.repaired.add('leadingMarkers', 1);
    this.put(leadingMarker(this.messages.length, at));
  }

  /** Lets the user speak last where nothing asks for a response; false when something does (FLT-4). */
  endWithUser(now: number): boolean {
    const last = this.lastRole;
    if (last === 'user') return false;
    const marker = last === null ? leadingMarker : continueMarker;
    this.put(marker(this.messages.length, now));
    return true;
  }

  /** Adds a repair. */
  private put(marker: Message): void {
    this.own.noteMade(marker.id);
    for (const block of marker.blocks) {
      this.pushBlock(block, this.messages.length, 'made');
      this.fresh.add(block);
    }
    this.messages.push(marker);
  }

  private pushBlock(block: Block, owner: number, origin: Origin): void {
    if (origin === 'original') this.own.add(block);
    this.pushColumns(block);
    this.blocks.push(block);
    this.owners.push(owner);
    if (holdsImage(block)) this.imageBlocks++;
  }

  /** Replaces some blocks with others; returns the first position that changed. */
  rewrite(edits: readonly BlockEdit[]): number {
    const { from, messages } = editedTail(this.messages, edits);
    return this.rebuildFrom(from, messages);
  }

  /** Replaces the conversation with a new history; returns the first position that changed. */
  replaceHistory(messages: readonly Message[]): number {
    const known = new KnownItems(this.messages);
    const made = new Set<string>();
    for (const message of messages) if (!known.has(message)) made.add(message.id);
    for (const { id } of this.messages) if (made.has(id)) made.delete(id);
    for (const id of made) this.own.noteMade(id);
    return this.rebuildFrom(0, orderMessages(messages));
  }

  /** Replaces the messages from an index on: costs the blocks after it. */
  private rebuildFrom(firstMessage: number, tail: readonly Message[]): number {
    this.changes++;
    const position = this.endOfMessages(firstMessage);
    const old = this.blocks.slice(position);
    const oldMessages = new KnownItems(this.messages.slice(firstMessage));
    const oldBlocks = new KnownItems(old);
    const unsent = this.fresh.take(old);
    this.cutAt(position, firstMessage);
    for (const message of tail) {
      const from = this.blocks.length;
      this.append(message, 'again', this.own.originOf(message));
      const isKnown = this.blocks.length - from === message.blocks.length && oldMessages.has(message);
      if (isKnown && unsent.size === 0) continue;
      for (let i = from; i < this.blocks.length; i++) {
        const block = this.blocks[i]!;
        if (unsent.has(block) || (!isKnown && !oldBlocks.has(block))) this.fresh.add(block);
      }
    }
    let same = 0;
    while (
      same < old.length &&
      position + same < this.blocks.length &&
      old[same] === this.blocks[position + same]
    )
      same++;
    const changed = position + same;
    if (changed < this.unchanged) this.unchanged = changed;
    return changed;
  }

  /** Takes everything from a position on away. */
  private cutAt(position: number, firstMessage: number): void {
    if (firstMessage === 0 && this.imageBlocks === 0) this.own.empty('prefix');
    else this.uncount(position);
    this.blocks.length = position;
    this.owners.length = position;
    this.truncateColumns(position);
    this.messages.length = firstMessage;
    this.calls.reopen(this.blocks, this.systemEnd);
  }

  private uncount(position: number): void {
    for (let i = position; i < this.blocks.length; i++) {
      const block = this.blocks[i]!;
      this.own.remove(block, this.messages[this.owners[i]!]!);
      if (this.imageBlocks > 0 && holdsImage(block)) this.imageBlocks--;
    }
  }

  /** Number of positions that the first N messages and the prefix take. */
  endOfMessages(count: number): number {
    let low = 0;
    let high = this.owners.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.owners[middle]! < count) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Takes note that the request was sent: from here on everything counts as unchanged. */
  sent(): void {
    this.unchanged = this.blocks.length;
    this.wasSent = true;
    this.fresh.clear();
  }

  /** Role that the request ends with. */
  get lastRole(): 'user' | 'assistant' | null {
    const last = this.blocks[this.blocks.length - 1];
    return last === undefined || last.role === 'tools' || last.role === 'system' ? null : last.role;
  }

  /** True while some tool call has no result yet. */
  get hasOpenCalls(): boolean {
    return this.calls.count > 0;
  }
}
