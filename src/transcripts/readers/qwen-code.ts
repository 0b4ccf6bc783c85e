import { getOrMake } from '../../core/base/once.js';
import { promptTokens } from '../../core/model/usage.js';
import { allBut } from '../../core/run/capability.js';
import type { Reading } from '../drafts/finish-recording.js';
import { ThreadDraft, UNRECORDED_DROP } from '../drafts/thread-draft.js';
import { isObject, type JsonObject, listOf, objectOf, textOf, timeOf } from '../lines/narrow.js';
import { knownTokens } from '../lines/plausible.js';
import { API_COUNTS, googlePieces, googleUsage } from './google.js';
import { originOf, wordsOf } from './pieces.js';
import { defineReader, type ReaderFile } from './reader.js';

/** A message whose content has parts: what tells these chats from sessions of Claude Code. */
const MESSAGE_OF_PARTS = /"message"\s*:\s*\{[^{}[\]]{0,200}"parts"\s*:\s*\[/;

/** Whether a file begins like a chat of Qwen Code, whose lines otherwise look like those of Claude Code. */
export function looksLikeQwenCode(head: string): boolean {
  // The first part of the test is quick, and false for nearly all sessions of Claude Code.
  return head.includes('"parts"') && MESSAGE_OF_PARTS.test(head);
}

/** Characters of tool results beyond which Qwen Code clears the oldest, down to half of it (microcompact.ts). */
const MOST_RESULT_CHARS = 500_000;
/** Newest results that it never clears. */
const KEPT_RESULTS = 5;
/** A pause after which it clears all but those. */
const IDLE_MS = 3_600_000;

/** A result that may be cleared. */
interface Clearable {
  readonly id: string;
  readonly chars: number;
}

/**
 * The results that were cleared where a prompt became shorter (R7). Clearing leaves no record, and compressions always do: it
 * is by size, or else of all but the newest.
 */
function clearedOf(results: readonly Clearable[]): readonly Clearable[] {
  const old = results.slice(0, -KEPT_RESULTS);
  let chars = results.reduce((sum, result) => sum + result.chars, 0);
  if (chars <= MOST_RESULT_CHARS) return old;
  const cleared: Clearable[] = [];
  for (const result of old) {
    if (chars <= MOST_RESULT_CHARS / 2) break;
    chars -= result.chars;
    cleared.push(result);
  }
  return cleared;
}

/** One conversation of a chat: the main one, or that of a subagent. */
class ChatThread {
  readonly draft: ThreadDraft;
  readonly #seen = new Map<string, string | null>();
  #last: string | null = null;
  #lastDraftId: string | null = null;
  #asked: 'auto' | 'manual' = 'auto';
  /** Results that the conversation holds, oldest first, and the latest prompt with its time. */
  #results: Clearable[] = [];
  #prompt: { readonly tokens: number; readonly timeMs: number | null } | null = null;

  constructor(id: string, parentId: string | null) {
    this.draft = new ThreadDraft(id, parentId);
  }

  take(record: JsonObject): void {
    const uuid = textOf(record.uuid);
    if (uuid !== null && this.#seen.has(uuid)) return;
    this.#followParent(record);
    const timeMs = timeOf(record.timestamp);
    const id = uuid ?? `record-${this.#seen.size + 1}`;
    if (record.type === 'system') this.#happen(record, timeMs);
    else this.#lastDraftId = this.#say(id, record, timeMs) ?? this.#lastDraftId;
    this.#last = uuid;
    if (uuid !== null) this.#seen.set(uuid, this.#lastDraftId);
  }

  /** A record whose parent is an older one: the user went back to it. */
  #followParent({ parentUuid, timestamp }: JsonObject): void {
    const parent = textOf(parentUuid);
    if (parent === null || parent === this.#last || !this.#seen.has(parent)) return;
    const lastId = this.#seen.get(parent) ?? null;
    if (lastId === this.#lastDraftId) return;
    this.draft.rewind(timeOf(timestamp), lastId);
    this.#prompt = null;
    this.#lastDraftId = lastId;
  }

  /** What a record adds to the conversation; the id of its message. */
  #say(id: string, record: JsonObject, timeMs: number | null): string | null {
    const pieces = googlePieces(objectOf(record.message).parts, id);
    if (record.type !== 'assistant') {
      for (const { kind, toolUseId, text, facts } of pieces)
        if (kind === 'tool_result' && toolUseId != null && text !== null && text !== '' && !facts?.isError)
          this.#results.push({ id: toolUseId, chars: text.length });
      const origin = record.type === 'tool_result' ? 'tool' : originOf(pieces, 'human');
      return this.draft.say({ id, timeMs, origin, pieces })?.id ?? null;
    }
    const model = textOf(record.model) ?? 'unknown';
    const usage = googleUsage(record.usageMetadata, API_COUNTS);
    if (usage !== null) this.#noticeClearing({ tokens: promptTokens(usage), timeMs });
    return this.draft.respond({ id, model, timeMs, pieces, usage })?.message.id ?? null;
  }

  #noticeClearing(prompt: { readonly tokens: number; readonly timeMs: number | null }): void {
    const before = this.#prompt;
    this.#prompt = prompt;
    if (before === null || prompt.tokens >= before.tokens) return;
    const isLarge = this.#results.reduce((sum, { chars }) => sum + chars, 0) > MOST_RESULT_CHARS;
    const isIdle = (prompt.timeMs ?? 0) - (before.timeMs ?? 0) >= IDLE_MS;
    if (!isLarge && !isIdle && prompt.tokens >= before.tokens * (1 - UNRECORDED_DROP)) return;
    const cleared = new Set(clearedOf(this.#results));
    if (cleared.size === 0) return;
    this.#results = this.#results.filter((result) => !cleared.has(result));
    this.draft.clear(
      prompt.timeMs,
      [...cleared].map(({ id }) => id),
    );
  }

  #happen({ subtype, systemPayload }: JsonObject, timeMs: number | null): void {
    const payload = objectOf(systemPayload);
    if (subtype === 'slash_command') {
      this.#asked = (textOf(payload.rawCommand) ?? '').startsWith('/compress') ? 'manual' : 'auto';
    }
    if (subtype !== 'chat_compression') return;
    this.#results = [];
    this.#prompt = null;
    const info = objectOf(payload.info);
    const history = listOf(payload.compressedHistory);
    this.draft.compact({
      timeMs,
      trigger: this.#asked,
      preTokens: knownTokens(info.originalTokenCount),
      postTokens: knownTokens(info.newTokenCount),
      summary: textOf(
        wordsOf(history.flatMap((content) => googlePieces(objectOf(content).parts, 'summary'))),
      ),
    });
    this.#asked = 'auto';
  }
}

function isRecord({ type, message }: JsonObject): boolean {
  return textOf(type) !== null && (message === undefined || isObject(message));
}

/** The subagent that a record is of; null for the main conversation. */
function agentOf({ isSidechain, agentId }: JsonObject): string | null {
  return isSidechain === true ? textOf(agentId) : null;
}

function read({ id, records: readRecords }: ReaderFile): Reading {
  const threads = new Map<string, ChatThread>();
  const records = readRecords().filter(isRecord);
  const parentId = records.some((record) => agentOf(record) === null) ? id : null;
  for (const record of records) {
    const agent = agentOf(record);
    const name = agent ?? id;
    const thread = getOrMake(threads, name, () => new ChatThread(name, agent === null ? null : parentId));
    thread.take(record);
  }
  return {
    agentVersion: records.map(({ version }) => textOf(version)).find((version) => version !== null) ?? null,
    threads: [...threads.values()].map(({ draft }) => draft),
  };
}

/** Chats of Qwen Code: one record a line. */
export const qwenCodeReader = defineReader({
  name: 'qwen-code',
  label: 'Qwen Code chat',
  carries: allBut('lifetimes', 'cache-writes'),
  places: ['.qwen/**/chats/*.jsonl'],
  detect: looksLikeQwenCode,
  read,
});
