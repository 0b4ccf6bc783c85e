import type { Transcript } from '../../../core/model/transcript.js';
import type { Usage } from '../../../core/model/usage.js';
import { allBut } from '../../../core/run/capability.js';
import { createWarnings } from '../../../core/run/warning.js';
import { finishRecording } from '../../drafts/finish-recording.js';
import { ThreadDraft } from '../../drafts/thread-draft.js';
import { parseRecords } from '../../lines/json-document.js';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../lines/narrow.js';
import { timeOf } from '../../lines/time-of.js';
import { googlePieces } from '../google/parts.js';
import { googleUsage } from '../google/usage.js';
import type { ReadOptions, TranscriptReader } from '../reader.js';

const CARRIES = allBut('lifetimes', 'cache-writes');

/** A message whose content has parts: what tells these chats from sessions of Claude Code. */
const MESSAGE_OF_PARTS = /"message"\s*:\s*\{[^{}[\]]{0,200}"parts"\s*:\s*\[/;

/** Whether a file begins like a chat of Qwen Code, whose lines otherwise look like those of Claude Code. */
export function looksLikeQwenCode(head: string): boolean {
  return MESSAGE_OF_PARTS.test(head);
}

function usageOf(metadata: unknown): Usage | null {
  const counts = objectOf(metadata);
  return googleUsage({
    prompt: numberOf(counts.promptTokenCount),
    cached: numberOf(counts.cachedContentTokenCount),
    candidates: numberOf(counts.candidatesTokenCount),
    thoughts: numberOf(counts.thoughtsTokenCount),
    tool: numberOf(counts.toolUsePromptTokenCount),
    total: numberOf(counts.totalTokenCount),
  });
}

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
    else if (record.type === 'assistant') this.#respond(id, record, timeMs);
    else this.#say(id, record, timeMs);
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

  #say(id: string, record: JsonObject, timeMs: number | null): void {
    const pieces = googlePieces(objectOf(record.message).parts, id);
    const isResult = record.type === 'tool_result' || pieces.some(({ kind }) => kind === 'tool_result');
    const said = this.draft.say({ id, timeMs, origin: isResult ? 'tool' : 'human', pieces });
    if (said !== null) this.#lastDraftId = said.id;
  }

  #respond(id: string, record: JsonObject, timeMs: number | null): void {
    const pieces = googlePieces(objectOf(record.message).parts, id);
    const call = this.draft.respond({
      id,
      model: textOf(record.model) ?? 'unknown',
      timeMs,
      pieces,
      usage: usageOf(record.usageMetadata),
      stopReason: pieces.some(({ kind }) => kind === 'tool_use') ? 'tool_use' : 'end_turn',
    });
    if (call !== null) this.#lastDraftId = call.message.id;
  }

  #happen({ subtype, systemPayload }: JsonObject, timeMs: number | null): void {
    const payload = objectOf(systemPayload);
    if (subtype === 'slash_command') {
      this.#asked = (textOf(payload.rawCommand) ?? '').startsWith('/compress') ? 'manual' : 'auto';
    }
    if (subtype !== 'chat_compression') return;
    const info = objectOf(payload.info);
    const summary = listOf(payload.compressedHistory)
      .flatMap((content) => googlePieces(objectOf(content).parts, 'summary'))
      .map(({ text }) => text ?? '')
      .join('\n');
    this.draft.compact({
      timeMs,
      trigger: this.#asked,
      preTokens: numberOf(info.originalTokenCount),
      postTokens: numberOf(info.newTokenCount),
      summary: summary === '' ? null : summary,
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

function read(bytes: Uint8Array, { id }: ReadOptions): Transcript {
  const warnings = createWarnings();
  const threads = new Map<string, ChatThread>();
  let version: string | null = null;
  const records = parseRecords(bytes, { name: id, warnings }).filter(isRecord);
  const parentId = records.some((record) => agentOf(record) === null) ? id : null;
  for (const record of records) {
    version ??= textOf(record.version);
    const agent = agentOf(record);
    const name = agent ?? id;
    let thread = threads.get(name);
    if (thread === undefined) {
      thread = new ChatThread(name, agent === null ? null : parentId);
      threads.set(name, thread);
    }
    thread.take(record);
  }
  return finishRecording({
    id,
    source: 'qwen-code',
    label: 'a Qwen Code chat',
    carries: CARRIES,
    agentVersion: version,
    threads: [...threads.values()].map(({ draft }) => draft),
    warnings,
  });
}

/** Chats of Qwen Code: one record a line. */
export const qwenCodeReader: TranscriptReader = {
  label: 'Qwen Code chat',
  carries: CARRIES,
  places: ['.qwen/**/chats/*.jsonl'],
  detect: looksLikeQwenCode,
  read,
};
