import type { Block } from '../../model/block.js';
import type { MessageOrigin } from '../../model/message.js';
import type { LocatedLine } from '../json-lines.js';
import { isObject, type JsonObject, numberOf, objectOf, textOf, textsOf } from '../narrow.js';
import { attachmentBlocks, blocksOf, type PlaceText, type ToolCall } from './blocks.js';
import { isCommandText, isExitCommand, originOf } from './origins.js';
import { contentBlocks } from './part-text.js';
import { type FileTexts, RecordedText } from './recorded-text.js';
import { parseUsage, type RecordedUsage } from './recorded-usage.js';

/** What every line of a conversation carries. */
export interface Envelope {
  readonly line: number;
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly sidechain: boolean;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly version: string | null;
  /** Milliseconds since 1970; null when the line has no usable time. */
  readonly timeMs: number | null;
}

/** A line of the user side: prompt, tool result, command, summary. */
export interface UserLine extends Envelope {
  readonly type: 'user';
  readonly blocks: Block[];
  readonly isSummary: boolean;
  /** Who speaks, unless the line holds tool results. */
  readonly origin: MessageOrigin;
  /** It is nothing but the text of a command or its output. */
  readonly isCommand: boolean;
  /** The command that ends the client. */
  readonly isExit: boolean;
}

/** A line of a response: usually one content block of several. */
export interface AssistantLine extends Envelope {
  readonly type: 'assistant';
  /** Lines with the same key are one API response. */
  readonly responseKey: string;
  readonly model: string;
  readonly synthetic: boolean;
  readonly blocks: Block[];
  readonly usage: RecordedUsage;
  readonly stopReason: string | null;
  readonly missReason: string | null;
  readonly effort: string | null;
}

/** The mark of a compaction. */
export interface CompactLine extends Envelope {
  readonly type: 'compact';
  readonly trigger: 'auto' | 'manual';
  readonly preTokens: number | null;
  readonly postTokens: number | null;
  readonly durationMs: number | null;
  readonly keptUuids: readonly string[];
  /** First and last kept line, where only the ends are given. */
  readonly keptRange: { readonly head: string; readonly tail: string } | null;
}

/** The mark of a microcompaction. */
export interface MicrocompactLine extends Envelope {
  readonly type: 'microcompact';
  readonly trigger: 'auto' | 'manual';
  readonly preTokens: number | null;
  readonly tokensSaved: number | null;
  readonly toolUseIds: readonly string[];
}

/** Context the client attaches by itself. */
export interface AttachmentLine extends Envelope {
  readonly type: 'attachment';
  /** Null when the model does not see it. */
  readonly blocks: Block[] | null;
}

/** A line of the chain that no request contains. */
export interface HiddenLine extends Envelope {
  readonly type: 'hidden';
}

/** A line of a Claude Code conversation. */
export type Line = UserLine | AssistantLine | CompactLine | MicrocompactLine | AttachmentLine | HiddenLine;

/** Model name of responses the client makes up itself. */
const SYNTHETIC_MODEL = '<synthetic>';

function triggerOf(value: unknown): 'auto' | 'manual' {
  return value === 'manual' ? 'manual' : 'auto';
}

function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

/** The value itself, or the equal text seen before: neighbouring lines repeat each other. */
function shared(value: unknown, before: string | null): string | null {
  return value === before ? before : textOf(value);
}

const NO_PLACE: PlaceText = () => null;

/** Reads the lines of one session file in order: each becomes blocks at once, and its JSON is let go. */
export class LineParser {
  readonly #texts: FileTexts | null;
  /** Tool calls by id, as they come. */
  readonly #calls = new Map<string, ToolCall>();
  #before: Envelope | null = null;
  #model = 'unknown';

  constructor(texts: FileTexts | null) {
    this.#texts = texts;
  }

  /** Narrows one object of the file; null for session metadata, which belongs to no conversation. */
  parse(json: LocatedLine): Line | null {
    const { value } = json;
    switch (value.type) {
      case 'user':
        return this.#user(json);
      case 'assistant':
        return this.#assistant(json);
      case 'system':
        return parseSystem(this.#envelope(json), value);
      case 'attachment':
        return isObject(value.attachment)
          ? {
              ...this.#envelope(json),
              type: 'attachment',
              blocks: attachmentBlocks(value.attachment, this.#placer(json)),
            }
          : null;
      case 'progress':
        return { ...this.#envelope(json), type: 'hidden' };
      default:
        return null;
    }
  }

  #envelope({ line, value }: LocatedLine): Envelope {
    const before = this.#before;
    const envelope: Envelope = {
      line,
      uuid: textOf(value.uuid) ?? `line-${line}`,
      parentUuid: shared(value.parentUuid, before?.uuid ?? null),
      sidechain: value.isSidechain === true,
      agentId: shared(value.agentId, before?.agentId ?? null),
      sessionId: shared(value.sessionId, before?.sessionId ?? null),
      version: shared(value.version, before?.version ?? null),
      timeMs: timeOf(value.timestamp),
    };
    this.#before = envelope;
    return envelope;
  }

  #placer({ place }: LocatedLine): PlaceText {
    const texts = this.#texts;
    if (texts === null || place === null) return NO_PLACE;
    return (part, chars) => new RecordedText(texts, place, part, chars);
  }

  #user(json: LocatedLine): Line {
    const { value } = json;
    const envelope = this.#envelope(json);
    const isSummary = value.isCompactSummary === true;
    if (value.isVisibleInTranscriptOnly === true && !isSummary) return { ...envelope, type: 'hidden' };
    const { content } = objectOf(value.message);
    const text = openingText(content);
    return {
      ...envelope,
      type: 'user',
      blocks: blocksOf(content, 'user', this.#calls, this.#placer(json)),
      isSummary,
      origin: originOf({ isMeta: value.isMeta === true, speaker: textOf(objectOf(value.origin).kind) }, text),
      isCommand: typeof content === 'string' && isCommandText(content),
      isExit: isExitCommand(text),
    };
  }

  #assistant(json: LocatedLine): AssistantLine {
    const { value } = json;
    const envelope = this.#envelope(json);
    const message = objectOf(value.message);
    this.#model = shared(message.model, this.#model) ?? 'unknown';
    const synthetic = this.#model === SYNTHETIC_MODEL || value.isApiErrorMessage === true;
    const blocks = blocksOf(message.content, 'assistant', this.#calls, this.#placer(json));
    if (!synthetic) for (const block of blocks) indexCall(block, this.#calls);
    return {
      ...envelope,
      type: 'assistant',
      responseKey: textOf(message.id) ?? textOf(value.requestId) ?? envelope.uuid,
      model: this.#model,
      synthetic,
      blocks,
      usage: parseUsage(message.usage),
      stopReason: textOf(message.stop_reason),
      missReason: textOf(objectOf(objectOf(message.diagnostics).cache_miss_reason).type),
      effort: textOf(value.effort),
    };
  }
}

/** Adds the tool call a block is to an index by id. */
export function indexCall(block: Block, calls: Map<string, ToolCall>): void {
  if (block.kind !== 'tool_use' || block.toolUseId === null) return;
  calls.set(block.toolUseId, { tool: block.tool ?? 'unknown', path: block.facts.path ?? null });
}

/** The text a message begins with; empty when it begins with something else. */
function openingText(content: unknown): string {
  if (typeof content === 'string') return content;
  const first = contentBlocks(content)[0];
  return first?.type === 'text' ? (textOf(first.text) ?? '') : '';
}

function parseSystem(envelope: Envelope, value: JsonObject): Line {
  if (value.subtype === 'compact_boundary') {
    const data = objectOf(value.compactMetadata);
    const segment = objectOf(data.preservedSegment);
    const head = textOf(segment.headUuid);
    const tail = textOf(segment.tailUuid);
    return {
      ...envelope,
      type: 'compact',
      trigger: triggerOf(data.trigger),
      preTokens: numberOf(data.preTokens),
      postTokens: numberOf(data.postTokens),
      durationMs: numberOf(data.durationMs),
      keptUuids: textsOf(objectOf(data.preservedMessages).uuids),
      keptRange: head === null || tail === null ? null : { head, tail },
    };
  }
  if (value.subtype === 'microcompact_boundary') {
    const data = objectOf(value.microcompactMetadata);
    return {
      ...envelope,
      type: 'microcompact',
      trigger: triggerOf(data.trigger),
      preTokens: numberOf(data.preTokens),
      tokensSaved: numberOf(data.tokensSaved),
      toolUseIds: textsOf(data.compactedToolIds),
    };
  }
  return { ...envelope, type: 'hidden' };
}
