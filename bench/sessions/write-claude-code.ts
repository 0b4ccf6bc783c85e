import { sha256Hex } from '../../src/core/base/digest.js';
import type { Block } from '../../src/core/model/block.js';
import { hasToolUse, type Message } from '../../src/core/model/message.js';
import type {
  RecordedCall,
  SpokenThinking,
  Thread,
  ThreadEvent,
  Transcript,
} from '../../src/core/model/transcript.js';
import { INFERRED } from '../../src/transcripts/drafts/calibrate.js';
import { attachmentOf, contentOf, textOrFiller, usageFields } from './write-content.js';

/** A session file to be written. */
export interface WrittenFile {
  readonly name: string;
  readonly text: string;
}

/** Start of sessions that have no date of their own. */
const DEFAULT_START_MS = Date.UTC(2026, 0, 1);
/** Version written when a transcript names none: output counts are final from 2.1.59 on. */
const DEFAULT_VERSION = '2.1.217';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Events that write no line of their own. */
const SILENT_EVENTS = new Set<ThreadEvent['kind']>([
  'model-switch',
  'prefix-change',
  'manual-microcompact',
  'end-dream',
  'resume',
  'version',
  'rewind',
  'speaker',
  'fallback',
]);
/** What a prompt says about thinking (K1). */
const THINKING_METADATA: Readonly<Record<SpokenThinking, object>> = {
  on: { thinkingMetadata: { level: 'high', disabled: false, triggers: [] } },
  off: { thinkingMetadata: { level: 'none', disabled: true, triggers: [] } },
  unsaid: {},
};

function uuidOf(seed: string): string {
  const hex = sha256Hex(seed);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

function fileName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]/g, '-');
}

function isInferred(message: Message): boolean {
  return message.blocks.some((block) => INFERRED.has(block.facts.attachment));
}

class ThreadWriter {
  readonly #lines: string[] = [];
  readonly #seed: string;
  readonly #sessionSeed: string;
  readonly #agentId: string | null;
  readonly #usedCallIds: Set<string>;
  readonly #thread: Thread;
  readonly #startMs: number;
  readonly #uuids = new Map<string, readonly string[]>();
  #parent: string | null = null;
  #version: string;
  #session = 0;
  #now = 0;
  /** What the next message says about thinking; null when it does not speak. */
  #spoken: SpokenThinking | null = null;
  /** How the next response came. */
  #delivery: 'streamed' | 'whole' = 'streamed';
  #skillCallId: string | null = null;

  constructor(
    transcript: Transcript,
    thread: Thread,
    names: { readonly agentId: string | null; readonly usedCallIds: Set<string> },
  ) {
    this.#seed = `${transcript.id}/${thread.id}`;
    this.#sessionSeed = transcript.id;
    this.#agentId = names.agentId;
    this.#usedCallIds = names.usedCallIds;
    this.#thread = thread;
    this.#startMs = transcript.startedAtMs ?? DEFAULT_START_MS;
    this.#version = transcript.agentVersion ?? DEFAULT_VERSION;
  }

  get #startUuid(): string {
    return uuidOf(`${this.#seed}/start`);
  }

  write(): string {
    if (this.#agentId === null || this.#thread.parentId === null) this.#opening();
    for (const [i, step] of this.#thread.steps.entries()) {
      if (step.kind === 'event') this.#event(step.event);
      else if (step.kind === 'call') this.#call(step.call);
      else this.#message(step.message, this.#nextStart(i) ?? step.message.at);
    }
    return this.#lines.map((line) => `${line}\n`).join('');
  }

  /** A line no request contains, at the start of the transcript: readers count time from the first line. */
  #opening(): void {
    this.#line({ type: 'system', subtype: 'informational', content: 'start' }, 0, this.#startUuid);
  }

  /** Start of the call that follows a step with no other line between: readers take it from the last user line. */
  #nextStart(index: number): number | null {
    for (let i = index + 1; i < this.#thread.steps.length; i++) {
      const step = this.#thread.steps[i]!;
      if (step.kind === 'call') return step.call.startMs;
      const silent = step.kind === 'event' ? SILENT_EVENTS.has(step.event.kind) : isInferred(step.message);
      if (!silent) return null;
    }
    return null;
  }

  #envelope(): object {
    return {
      isSidechain: this.#agentId !== null,
      ...(this.#agentId === null ? {} : { agentId: this.#agentId }),
      sessionId: uuidOf(`${this.#sessionSeed}/session ${this.#session}`),
      version: this.#version,
      userType: 'external',
    };
  }

  #line(fields: object, at: number, uuid: string, parent: string | null = this.#parent): void {
    this.#now = Math.max(this.#now, at);
    const timestamp = new Date(this.#startMs + this.#now).toISOString();
    this.#lines.push(JSON.stringify({ parentUuid: parent, uuid, timestamp, ...this.#envelope(), ...fields }));
    this.#parent = uuid;
  }

  #uuid(message: Message, part: number): string {
    if (part === 0 && UUID.test(message.id)) return message.id;
    return uuidOf(`${this.#seed}/${message.id}/${part}`);
  }

  #message(message: Message, at: number): void {
    if (isInferred(message)) return;
    if (message.role === 'assistant') {
      this.#response(message, at, { model: 'unknown' }, {});
      return;
    }
    const results = message.blocks.filter((block) => block.kind === 'tool_result');
    const others = message.blocks.filter((block) => block.kind !== 'tool_result');
    const groups = [...results.map((block) => [block]), ...(others.length === 0 ? [] : [others])];
    const uuids = groups.map((_, part) => this.#uuid(message, part));
    this.#uuids.set(message.id, uuids);
    for (const [part, blocks] of groups.entries()) this.#userLine(message, blocks, at, uuids[part]!);
  }

  #userLine(message: Message, blocks: readonly Block[], at: number, uuid: string): void {
    const [only] = blocks;
    const isText = blocks.length === 1 && only!.kind === 'text';
    if (message.origin === 'attachment' && isText) {
      const attachment = attachmentOf(only!);
      this.#line({ type: 'attachment', attachment }, at, uuid);
      return;
    }
    const flags =
      message.origin === 'summary'
        ? { isCompactSummary: true, isVisibleInTranscriptOnly: true }
        : message.origin === 'human' || message.origin === 'tool' || message.origin === 'command'
          ? {}
          : { isMeta: true };
    const content = isText ? textOrFiller(only!) : blocks.map(contentOf);
    const fields = { ...flags, ...this.#spokenFields(message), message: { role: 'user', content } };
    this.#line({ type: 'user', ...fields }, at, uuid);
  }

  /** What a message that speaks carries: its metadata, and the skill whose text it is. */
  #spokenFields(message: Message): object {
    const spoken = this.#spoken;
    if (spoken === null || message.origin === 'summary' || message.origin === 'tool') return {};
    this.#spoken = null;
    const isSkill = message.origin === 'meta' && this.#skillCallId !== null;
    return { ...THINKING_METADATA[spoken], ...(isSkill ? { sourceToolUseID: this.#skillCallId } : {}) };
  }

  #response(message: Message, at: number, body: object, extra: object): void {
    const { blocks } = message;
    const isWhole = this.#delivery === 'whole' || blocks.length === 0;
    const groups = isWhole ? [blocks] : blocks.map((block) => [block]);
    const uuids = groups.map((_, part) => this.#uuid(message, part));
    this.#delivery = 'streamed';
    this.#uuids.set(message.id, uuids);
    this.#skillCallId = blocks.findLast(({ tool }) => tool === 'Skill')?.toolUseId ?? this.#skillCallId;
    for (const [part, group] of groups.entries()) {
      const content = group.map(contentOf);
      const fields = {
        id: message.responseId ?? message.id,
        type: 'message',
        role: 'assistant',
        content,
        ...body,
      };
      this.#line({ type: 'assistant', ...extra, message: fields }, at, uuids[part]!);
    }
  }

  /** The stop reason; null marks the output count as a placeholder. */
  #stopReason(call: RecordedCall): string | null {
    if (call.outputIsPlaceholder) return null;
    return call.stopReason ?? (hasToolUse(call.response) ? 'tool_use' : 'end_turn');
  }

  #call(call: RecordedCall): void {
    const stopReason = this.#stopReason(call);
    const missed =
      call.missReason === null ? {} : { diagnostics: { cache_miss_reason: { type: call.missReason } } };
    const body = {
      model: call.model,
      stop_reason: stopReason,
      ...(call.usage === null ? {} : { usage: usageFields(call.usage) }),
      ...missed,
    };
    const id = this.#usedCallIds.has(call.id) ? `${this.#thread.id}/${call.id}` : call.id;
    this.#usedCallIds.add(id);
    this.#response(
      { ...call.response, responseId: id },
      call.endMs,
      body,
      call.effort === null ? {} : { effort: call.effort },
    );
  }

  #event(event: ThreadEvent): void {
    const uuid = uuidOf(`${this.#seed}/event ${this.#lines.length}`);
    switch (event.kind) {
      case 'recorded-compaction': {
        const { trigger, preTokens, postTokens, durationMs, summary } = event;
        const uuids = event.keptIds.flatMap((id) => this.#uuids.get(id) ?? []);
        const kept = uuids.length === 0 ? {} : { preservedMessages: { uuids } };
        const compactMetadata = { trigger, preTokens, postTokens, durationMs, ...kept };
        const logical = this.#parent;
        const fields = {
          type: 'system',
          subtype: 'compact_boundary',
          logicalParentUuid: logical,
          compactMetadata,
        };
        this.#line(fields, event.at, uuid, null);
        if (summary !== null) this.#message(summary, summary.at);
        break;
      }
      case 'recorded-microcompact': {
        const { trigger, preTokens, tokensSaved, toolUseIds } = event;
        const microcompactMetadata = { trigger, preTokens, tokensSaved, compactedToolIds: toolUseIds };
        this.#line(
          { type: 'system', subtype: 'microcompact_boundary', microcompactMetadata },
          event.at,
          uuid,
        );
        break;
      }
      case 'manual-compact': {
        const { instructions } = event.compaction;
        const args = instructions === null ? '' : `<command-args>${instructions}</command-args>`;
        const content = `<command-name>/compact</command-name>${args}`;
        this.#line({ type: 'user', message: { role: 'user', content } }, event.at, uuid);
        break;
      }
      case 'version':
        this.#version = event.version;
        break;
      case 'resume':
        this.#session++;
        break;
      case 'clear': {
        const data = { type: 'hook_progress', hookEvent: 'SessionStart', hookName: 'SessionStart:clear' };
        this.#line({ type: 'progress', data }, event.at, uuid, null);
        break;
      }
      case 'rewind':
        this.#parent =
          event.lastId === null ? this.#startUuid : (this.#uuids.get(event.lastId)?.at(-1) ?? this.#parent);
        break;
      case 'speaker':
        this.#spoken = event.thinking;
        break;
      case 'fallback':
        this.#delivery = 'whole';
        break;
      case 'away-summary':
        this.#line({ type: 'system', subtype: 'away_summary' }, event.at, uuid);
        break;
      case 'model-switch':
      case 'prefix-change':
      case 'manual-microcompact':
      case 'end-dream':
        break;
    }
  }
}

/** Writes a transcript as Claude Code session files: the main thread, and one agent file for each other thread. */
export function writeClaudeCode(transcript: Transcript): { readonly files: readonly WrittenFile[] } {
  const usedNames = new Set<string>();
  const usedCallIds = new Set<string>();
  const files = transcript.threads.map((thread, i): WrittenFile => {
    const isMain = i === 0 && thread.parentId === null && !thread.id.startsWith('agent-');
    let agentId = isMain ? null : fileName(thread.id.replace(/^agent-/, ''));
    if (agentId !== null && usedNames.has(agentId)) agentId = `${agentId}-${i}`;
    if (agentId !== null) usedNames.add(agentId);
    const name = isMain ? `${fileName(transcript.id)}.jsonl` : `agent-${agentId}.jsonl`;
    return { name, text: new ThreadWriter(transcript, thread, { agentId, usedCallIds }).write() };
  });
  return { files };
}
