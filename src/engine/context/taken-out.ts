import { restoreState } from '../../core/base/checkpoint.js';
import { type Message, withBlocks } from '../../core/model/message.js';
import type { BlockEdit } from '../../core/run/action.js';
import type { Layer } from '../../core/run/log-entries.js';
import { addEdits, changedBlocks, type EditsByMessage } from './edited-tail.js';

/**
 * The session's record as the agent writes it to disk: messages as they came, frozen replacements (STO-3) and the history a
 * compaction left. What a layer changed only in memory is not in it, so a resume brings the original content back.
 */
export class Journal {
  private messages: Message[] = [];
  private readonly frozen: EditsByMessage = new Map();

  append(message: Message): void {
    this.messages.push(message);
  }

  /** A compaction: the record continues from the new history. */
  restart(messages: readonly Message[]): void {
    this.messages = [...messages];
    this.frozen.clear();
  }

  freeze(edits: readonly BlockEdit[]): void {
    addEdits(this.frozen, edits);
  }

  /** The conversation as a new process reads it back. */
  rebuild(): readonly Message[] {
    return this.messages.map((message) => {
      const edits = this.frozen.get(message.id);
      return edits === undefined ? message : withBlocks(message, changedBlocks(message, edits));
    });
  }
}

/** What one layer keeps out of a conversation. */
class Part {
  tokens = 0;
  /** Part of it that lives in memory alone: a resume brings it back. */
  live = 0;
  /** Part of it since the last compaction. */
  recent = 0;
}

/**
 * True tokens that layers keep out of a thread's conversation right now (C9): a token that comes back is taken off again. The
 * current conversation plus these is the one without any layer.
 */
export class TakenOut {
  total = 0;
  /** Part of the total since the last compaction. */
  recent = 0;
  private readonly parts = new Map<Layer, Part>();

  private partOf(layer: Layer): Part {
    let part = this.parts.get(layer);
    if (part === undefined) {
      part = new Part();
      this.parts.set(layer, part);
    }
    return part;
  }

  /** A layer took content out. */
  take(layer: Layer, tokens: number, keep: 'frozen' | 'live'): void {
    const part = this.partOf(layer);
    part.tokens += tokens;
    part.recent += tokens;
    if (keep === 'live') part.live += tokens;
    this.total += tokens;
    this.recent += tokens;
  }

  /** A layer replaced the conversation with another history: what is out stays out. */
  compact(layer: Layer, tokens: number): void {
    for (const part of this.parts.values()) {
      part.live = 0;
      part.recent = 0;
    }
    this.partOf(layer).tokens += tokens;
    this.total += tokens;
    this.recent = 0;
  }

  /** Content of a layer that lived in memory alone came back. */
  giveBack(layer: Layer, tokens: number): void {
    const part = this.partOf(layer);
    part.tokens -= tokens;
    part.live -= tokens;
    part.recent -= tokens;
    this.total -= tokens;
    this.recent -= tokens;
  }

  /** The user put another conversation in place: of the one before, nothing is out any more. */
  forget(): void {
    this.parts.clear();
    this.total = 0;
    this.recent = 0;
  }

  /** What a resume would bring back, by layer. */
  live(): [Layer, number][] {
    return this.list('live');
  }

  /** What is out since the last compaction, by layer. */
  recentByLayer(): [Layer, number][] {
    return this.list('recent');
  }

  private list(which: 'live' | 'recent'): [Layer, number][] {
    const listed: [Layer, number][] = [];
    for (const [layer, part] of this.parts) if (part[which] !== 0) listed.push([layer, part[which]]);
    return listed;
  }

  /** What is out in all, by layer; null when nothing is. */
  byLayer(): Partial<Record<Layer, number>> | null {
    const some = [...this.parts].filter(([, part]) => part.tokens !== 0);
    return some.length === 0
      ? null
      : Object.fromEntries(some.map(([layer, part]) => [layer, part.tokens] as const));
  }

  /** Starts from what is out of another conversation; of that, `pinned` tokens of a layer can still come back. */
  inherit(other: TakenOut, layer: Layer, pinned: number): void {
    restoreState(this, other);
    for (const part of this.parts.values()) part.live = 0;
    if (pinned > 0) this.partOf(layer).live = pinned;
  }
}
