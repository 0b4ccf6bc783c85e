import { allBut } from '../../core/run/capability.js';
import type { Reading } from '../drafts/finish-recording.js';
import { ThreadDraft } from '../drafts/thread-draft.js';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf, timeOf } from '../lines/narrow.js';
import { googlePieces, googleUsage } from './google.js';
import { originOf, wordsOf } from './pieces.js';
import { defineReader, type ReaderFile } from './reader.js';

/** A message whose content has parts: what tells these chats from sessions of Claude Code. */
const MESSAGE_OF_PARTS = /"message"\s*:\s*\{[^{}[\]]{0,200}"parts"\s*:\s*\[/;

/** Whether a file begins like a chat of Qwen Code, whose lines otherwise look like those of Claude Code. */
export function looksLikeQwenCode(head: string): boolean {
  return MESSAGE_OF_PARTS.test(head);
}

const COUNTS = {
  prompt: 'promptTokenCount',
  cached: 'cachedContentTokenCount',
  candidates: 'candidatesTokenCount',
  thoughts: 'thoughtsTokenCount',
  tool: 'toolUsePromptTokenCount',
  total: 'totalTokenCount',
} as const;

/** One conversation of a chat: the main one, or that of a subagent. */
class ChatThread {
  readonly draft: ThreadDraft;
  readonly #seen = new Map<string, string | null>();
  #last: string | null = null;
  #lastDraftId: string | null = null;
  #asked: 'auto' | 'manual' = 'auto';

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
    this.#lastDraftId = lastId;
  }

  /** What a record adds to the conversation; the id of its message. */
  #say(id: string, record: JsonObject, timeMs: number | null): string | null {
    const pieces = googlePieces(objectOf(record.message).parts, id);
    if (record.type !== 'assistant') {
      const origin = record.type === 'tool_result' ? 'tool' : originOf(pieces, 'human');
      return this.draft.say({ id, timeMs, origin, pieces })?.id ?? null;
    }
    const model = textOf(record.model) ?? 'unknown';
    const usage = googleUsage(record.usageMetadata, COUNTS);
    return this.draft.respond({ id, model, timeMs, pieces, usage })?.message.id ?? null;
  }

  #happen({ subtype, systemPayload }: JsonObject, timeMs: number | null): void {
    const payload = objectOf(systemPayload);
    if (subtype === 'slash_command') {
      this.#asked = (textOf(payload.rawCommand) ?? '').startsWith('/compress') ? 'manual' : 'auto';
    }
    if (subtype !== 'chat_compression') return;
    const info = objectOf(payload.info);
    const history = listOf(payload.compressedHistory);
    this.draft.compact({
      timeMs,
      trigger: this.#asked,
      preTokens: numberOf(info.originalTokenCount),
      postTokens: numberOf(info.newTokenCount),
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
    const thread = threads.get(name) ?? new ChatThread(name, agent === null ? null : parentId);
    threads.set(name, thread);
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
