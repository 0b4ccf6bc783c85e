import type { MessageOrigin } from '../../core/model/message.js';
import type { Usage } from '../../core/model/usage.js';
import { allBut } from '../../core/run/capability.js';
import type { WarningList } from '../../core/run/warning.js';
import { usageOf } from '../drafts/draft.js';
import { carriesKnownWrites, type Reading } from '../drafts/finish-recording.js';
import { type Piece, ThreadDraft } from '../drafts/thread-draft.js';
import { decodeBytes, headLines, streamJsonLines } from '../lines/json-lines.js';
import { type JsonObject, jsonOf, numberOf, objectOf, objectsOf, textOf } from '../lines/narrow.js';
import { knownTokens, tokensOf } from '../lines/plausible.js';
import { TimeReader } from './claude-code/lines/time-reader.js';
import { contentPieces, imagesIn, textPieces } from './pieces.js';
import { defineReader, type ReaderFile } from './reader.js';

const CARRIES = allBut('lifetimes', 'subagents');

/** The usage of a response: input excludes what was read and written. Null when nothing was billed. */
function billed(value: unknown): Usage | null {
  const { input, cacheRead, cacheWrite, output } = objectOf(value);
  const counts = {
    prompt: tokensOf(input) ?? 0,
    read: tokensOf(cacheRead) ?? 0,
    written: tokensOf(cacheWrite) ?? 0,
  };
  if (counts.prompt + counts.read + counts.written === 0) return null;
  return usageOf({ ...counts, output: tokensOf(output) }, 'apart');
}

/** What the model said, thought and called. */
function responsePieces(content: unknown): readonly Piece[] {
  if (typeof content === 'string') return contentPieces(content);
  return objectsOf(content).flatMap((part): readonly Piece[] => {
    if (part.type === 'thinking') {
      const chars = textOf(part.thinkingSignature)?.length ?? 0;
      return [{ kind: 'thinking', text: textOf(part.thinking), chars }];
    }
    if (part.type !== 'toolCall') return contentPieces([part]);
    const tool = textOf(part.name) ?? 'unknown';
    const text = tool + jsonOf(part.arguments ?? {});
    return [{ kind: 'tool_use', text, tool, toolUseId: textOf(part.id) }];
  });
}

/** The result of a tool. */
function resultPiece(message: JsonObject): Piece {
  const pieces = contentPieces(message.content);
  const images = imagesIn(pieces);
  return {
    kind: 'tool_result',
    text: pieces.flatMap(({ text }) => text ?? []).join('\n'),
    tool: textOf(message.toolName),
    toolUseId: textOf(message.toolCallId),
    facts: { ...(images === 0 ? {} : { images }), ...(message.isError === true ? { isError: true } : {}) },
  };
}

/** A command that the user ran, as the model sees it; null if the model does not. */
function commandText(message: JsonObject): string | null {
  if (message.excludeFromContext === true) return null;
  return `Ran \`${textOf(message.command) ?? ''}\`\n\`\`\`\n${textOf(message.output) ?? '(no output)'}\n\`\`\``;
}

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
class PiSession {
  readonly #draft = new ThreadDraft('main');
  readonly #entries = new Map<string, Entry>();
  /** Entries by their number in the file, as old sessions name them. */
  readonly #byIndex: Entry[] = [];
  #leaf: Entry | null = null;
  #effort: string | null = null;
  #missingCalls = 0;
  #repeated = 0;
  #stopped = 0;
  readonly #providers = new Set<string>();

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

  /** What was read; says what the record leaves out. */
  finish(warnings: WarningList): Reading {
    warnings.add(
      'compaction-calls-missing',
      'calls that summarise are missing in the record',
      'pi does not store their usage: the recorded cost is too low by these calls',
      this.#missingCalls,
    );
    warnings.add(
      'stopped-responses',
      'responses that were stopped or failed before anything came, without usage: left out',
      'what the provider billed for them, if anything, is in no figure',
      this.#stopped,
    );
    const twice = 'entries stand in the file twice: counted once';
    warnings.add('repeated-entries', twice, null, this.#repeated);
    const threads = [this.#draft];
    const [provider, ...others] = this.#providers;
    const only = others.length === 0 ? (provider ?? null) : null;
    return { threads, carries: carriesKnownWrites(CARRIES, threads), provider: only };
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
    if (message.role === 'assistant') return this.#respond(id, message, timeMs);
    const said = (origin: MessageOrigin, pieces: readonly Piece[]): string | null =>
      this.#draft.say({ id, timeMs, origin, pieces })?.id ?? null;
    if (message.role === 'toolResult') return said('tool', [resultPiece(message)]);
    if (message.role === 'bashExecution') return said('command', textPieces(commandText(message)));
    return said(message.role === 'user' ? 'human' : 'meta', contentPieces(message.content));
  }

  /** A response; one that was stopped before it began is none. */
  #respond(id: string, message: JsonObject, timeMs: number | null): string | null {
    const usage = billed(message.usage);
    const pieces = responsePieces(message.content);
    if (usage === null && pieces.length === 0) {
      this.#stopped++;
      return null;
    }
    const provider = textOf(message.provider);
    if (provider !== null) this.#providers.add(provider);
    const isStopped = message.stopReason === 'aborted' || message.stopReason === 'error';
    const call = this.#draft.respond({
      id: textOf(message.responseId) ?? id,
      model: textOf(message.model) ?? 'unknown',
      sentMs: numberOf(message.timestamp),
      timeMs,
      pieces: pieces.length === 0 ? [{ kind: 'text', text: null }] : pieces,
      usage,
      outputIsMissing: isStopped,
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
      preTokens: knownTokens(entry.tokensBefore),
      summary: textOf(entry.summary),
      keptIds: kept.reverse(),
    });
    return null;
  }
}

function read(file: ReaderFile): Reading {
  const session = new PiSession();
  const times = new TimeReader();
  for (const { value } of streamJsonLines([decodeBytes(file.bytes, file)], file))
    session.take(value, times.read(value.timestamp));
  return session.finish(file.warnings);
}

/** Reads sessions of pi: a tree of entries, each of which says what it follows. */
export const piReader = defineReader({
  name: 'pi',
  label: 'pi session',
  carries: CARRIES,
  places: ['.pi/agent/sessions/*/*.jsonl*'],
  detect: (head) =>
    headLines(head).some(
      ({ type, id, cwd }) => type === 'session' && typeof id === 'string' && typeof cwd === 'string',
    ),
  read,
});
