import type { WarningList } from '../../../core/run/warning.js';
import type { ThreadDraft } from '../../drafts/thread-draft.js';
import { type JsonObject, numberOf, objectOf, textOf } from '../../lines/narrow.js';
import { commandText, contentPieces, responsePieces, resultPiece, usageOf } from './entries.js';

/** An entry of the tree. */
interface Entry {
  readonly id: string;
  readonly parent: Entry | null;
  /** The message it became; null for one that holds none. */
  readonly messageId: string | null;
}

/**
 * Goes through the entries of a session in the order they were written. Each says what it follows: where that is not the
 * entry before it, the user went back, and what came behind is gone.
 */
export class PiSession {
  readonly #draft: ThreadDraft;
  readonly #warnings: WarningList;
  readonly #entries = new Map<string, Entry>();
  /** Entries by their number in the file, as old sessions name them. */
  readonly #byIndex: Entry[] = [];
  #leaf: Entry | null = null;
  #effort: string | null = null;
  #missingCalls = 0;
  #repeated = 0;
  #stopped = 0;
  readonly #providers = new Set<string>();
  tellsWrites = false;

  constructor(draft: ThreadDraft, warnings: WarningList) {
    this.#draft = draft;
    this.#warnings = warnings;
  }

  /** The provider of all calls; null when there are several. */
  get provider(): string | null {
    const [only, ...others] = this.#providers;
    return others.length === 0 ? (only ?? null) : null;
  }

  /** Takes the next entry; the header is the first. */
  take(entry: JsonObject, timeMs: number | null): void {
    const id = textOf(entry.id) ?? `entry-${this.#byIndex.length}`;
    if (entry.type === 'session') {
      this.#effort = textOf(entry.thinkingLevel) ?? this.#effort;
      this.#byIndex.push({ id, parent: null, messageId: null });
      return;
    }
    if (this.#entries.has(id)) {
      this.#repeated++;
      return;
    }
    const parent = this.#parentOf(entry);
    if (parent !== this.#leaf) this.#goBack(parent, timeMs);
    const messageId = this.#say(id, entry, timeMs);
    const own: Entry = { id, parent, messageId };
    this.#entries.set(id, own);
    this.#byIndex.push(own);
    this.#leaf = own;
  }

  /** Says what the record leaves out. */
  finish(): void {
    if (this.#missingCalls > 0)
      this.#warnings.add(
        'compaction-calls-missing',
        'calls that summarise are missing in the record',
        'pi does not store their usage: the recorded cost is too low by these calls',
        this.#missingCalls,
      );
    if (this.#stopped > 0)
      this.#warnings.add(
        'stopped-responses',
        'responses that were stopped or failed before anything came, without usage: left out',
        'what the provider billed for them, if anything, is in no figure',
        this.#stopped,
      );
    if (this.#repeated > 0)
      this.#warnings.add(
        'repeated-entries',
        'entries stand in the file twice: counted once',
        null,
        this.#repeated,
      );
  }

  /** The entry that one follows: old files have no ids, there it is the one before. */
  #parentOf(entry: JsonObject): Entry | null {
    if (entry.parentId === null) return null;
    const parentId = textOf(entry.parentId);
    return parentId === null ? this.#leaf : (this.#entries.get(parentId) ?? this.#leaf);
  }

  /** Back to the last entry that both ways share. */
  #goBack(to: Entry | null, timeMs: number | null): void {
    const path = new Set<Entry>();
    for (let each = this.#leaf; each !== null; each = each.parent) path.add(each);
    let shared = to;
    while (shared !== null && !path.has(shared)) shared = shared.parent;
    let isBehind = false;
    for (let each = this.#leaf; each !== null && each !== shared; each = each.parent)
      if (each.messageId !== null) isBehind = true;
    if (!isBehind) return;
    let last = shared;
    while (last !== null && last.messageId === null) last = last.parent;
    this.#draft.rewind(timeMs, last?.messageId ?? null);
  }

  /** What an entry adds to the conversation; the id of its message. */
  #say(id: string, entry: JsonObject, timeMs: number | null): string | null {
    const { type } = entry;
    if (type === 'message') return this.#message(id, objectOf(entry.message), timeMs);
    if (type === 'compaction') return this.#compact(entry, timeMs);
    if (type === 'thinking_level_change') this.#effort = textOf(entry.thinkingLevel);
    const content =
      type === 'branch_summary' ? entry.summary : type === 'custom_message' ? entry.content : null;
    const pieces = contentPieces(content);
    return this.#draft.say({ id, timeMs, origin: 'meta', pieces })?.id ?? null;
  }

  #message(id: string, message: JsonObject, timeMs: number | null): string | null {
    switch (message.role) {
      case 'assistant':
        return this.#respond(id, message, timeMs);
      case 'toolResult':
        return this.#draft.say({ id, timeMs, origin: 'tool', pieces: [resultPiece(message)] })?.id ?? null;
      case 'bashExecution': {
        const text = commandText(message);
        if (text === null) return null;
        return (
          this.#draft.say({ id, timeMs, origin: 'command', pieces: [{ kind: 'text', text }] })?.id ?? null
        );
      }
      default: {
        const origin = message.role === 'user' ? 'human' : 'meta';
        return this.#draft.say({ id, timeMs, origin, pieces: contentPieces(message.content) })?.id ?? null;
      }
    }
  }

  /** A response; one that was stopped before it began is none. */
  #respond(id: string, message: JsonObject, timeMs: number | null): string | null {
    const usage = usageOf(message.usage);
    const pieces = responsePieces(message.content);
    if (usage === null && pieces.length === 0) {
      this.#stopped++;
      return null;
    }
    const provider = textOf(message.provider);
    if (provider !== null) this.#providers.add(provider);
    if (usage !== null && usage.cacheWrite5m > 0) this.tellsWrites = true;
    const isStopped = message.stopReason === 'aborted' || message.stopReason === 'error';
    const call = this.#draft.respond({
      id: textOf(message.responseId) ?? id,
      model: textOf(message.model) ?? 'unknown',
      sentMs: numberOf(message.timestamp),
      timeMs,
      pieces: pieces.length === 0 ? [{ kind: 'text', text: null }] : pieces,
      usage,
      outputIsUnsaid: isStopped,
      stopReason: message.stopReason === 'toolUse' ? 'tool_use' : 'end_turn',
      effort: this.#effort,
    });
    return call?.message.id ?? null;
  }

  #compact(entry: JsonObject, timeMs: number | null): null {
    const index = numberOf(entry.firstKeptEntryIndex);
    const first =
      this.#entries.get(textOf(entry.firstKeptEntryId) ?? '') ??
      (index === null ? undefined : this.#byIndex[index]);
    const kept: string[] = [];
    for (let each = first === undefined ? null : this.#leaf; each !== null; each = each.parent) {
      if (each.messageId !== null) kept.push(each.messageId);
      if (each === first) break;
    }
    this.#missingCalls++;
    this.#draft.compact({
      timeMs,
      trigger: 'auto',
      preTokens: numberOf(entry.tokensBefore),
      summary: textOf(entry.summary),
      keptIds: kept.reverse(),
    });
    return null;
  }
}
