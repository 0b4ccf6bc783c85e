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

function parseSystem(envelope: HiddenLine, value: JsonObject): Line {
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
  return envelope;
}

/** The value itself, or the equal text seen before: neighbouring lines repeat each other. */
function shared(value: unknown, before: string | null): string | null {
  return value === before ? before : textOf(value);
}

/** The envelope of a line; a class, because spreading objects would cost as much as parsing them. */
class LineEnvelope implements Envelope {
  readonly line: number;
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly sidechain: boolean;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly version: string | null;
  readonly timeMs: number | null;

  constructor({ line, value }: LocatedLine, before: Envelope | null) {
    this.line = line;
    this.uuid = textOf(value.uuid) ?? `line-${line}`;
    this.parentUuid = shared(value.parentUuid, before === null ? null : before.uuid);
    this.sidechain = value.isSidechain === true;
    this.agentId = shared(value.agentId, before === null ? null : before.agentId);
    this.sessionId = shared(value.sessionId, before === null ? null : before.sessionId);
    this.version = shared(value.version, before === null ? null : before.version);
    this.timeMs = timeOf(value.timestamp);
  }
}

class HiddenRecord extends LineEnvelope implements HiddenLine {
  readonly type = 'hidden';
}

class UserRecord extends LineEnvelope implements UserLine {
  readonly type = 'user';
  readonly blocks: Block[];
  readonly isSummary: boolean;
  readonly origin: MessageOrigin;
  readonly isCommand: boolean;
  readonly isExit: boolean;

  constructor(json: LocatedLine, before: Envelope | null, content: unknown, blocks: Block[]) {
    super(json, before);
    const { value } = json;
    const text = openingText(content);
    const speaker = textOf(objectOf(value.origin).kind);
    this.blocks = blocks;
    this.isSummary = value.isCompactSummary === true;
    this.origin = originOf({ isMeta: value.isMeta === true, speaker }, text);
    this.isCommand = typeof content === 'string' && isCommandText(content);
    this.isExit = isExitCommand(text);
  }
}

class AssistantRecord extends LineEnvelope implements AssistantLine {
  readonly type = 'assistant';
  readonly responseKey: string;
  readonly model: string;
  readonly synthetic: boolean;
  readonly blocks: Block[];
  readonly usage: RecordedUsage;
  readonly stopReason: string | null;
  readonly missReason: string | null;
  readonly effort: string | null;

  constructor(json: LocatedLine, before: Line | null, message: JsonObject, blocks: Block[]) {
    super(json, before);
    const { value } = json;
    const near = before?.type === 'assistant' ? before : null;
    this.responseKey = shared(message.id, near?.responseKey ?? null) ?? textOf(value.requestId) ?? this.uuid;
    this.model = shared(message.model, near?.model ?? null) ?? 'unknown';
    this.synthetic = this.model === SYNTHETIC_MODEL || value.isApiErrorMessage === true;
    this.blocks = blocks;
    this.usage = parseUsage(message.usage);
    this.stopReason = textOf(message.stop_reason);
    this.missReason = textOf(objectOf(objectOf(message.diagnostics).cache_miss_reason).type);
    this.effort = textOf(value.effort);
  }
}

class AttachmentRecord extends LineEnvelope implements AttachmentLine {
  readonly type = 'attachment';
  readonly blocks: Block[] | null;

  constructor(json: LocatedLine, before: Envelope | null, blocks: Block[] | null) {
    super(json, before);
    this.blocks = blocks;
  }
}

const NO_PLACE: PlaceText = () => null;

/** Reads the lines of one session file in order: each becomes blocks at once, and its JSON is let go. */
export class LineParser {
  readonly #texts: FileTexts | null;
  /** Tool calls by id, as they come. */
  readonly #calls = new Map<string, ToolCall>();
  #before: Line | null = null;

  constructor(texts: FileTexts | null) {
    this.#texts = texts;
  }

  /** Narrows one object of the file; null for session metadata, which belongs to no conversation. */
  parse(json: LocatedLine): Line | null {
    const line = this.#parse(json);
    if (line !== null) this.#before = line;
    return line;
  }

  #parse(json: LocatedLine): Line | null {
    const { value } = json;
    switch (value.type) {
      case 'user':
        return this.#user(json);
      case 'assistant':
        return this.#assistant(json);
      case 'system':
        return parseSystem(new HiddenRecord(json, this.#before), value);
      case 'attachment': {
        if (!isObject(value.attachment)) return null;
        return new AttachmentRecord(
          json,
          this.#before,
          attachmentBlocks(value.attachment, this.#placer(json)),
        );
      }
      case 'progress':
        return new HiddenRecord(json, this.#before);
      default:
        return null;
    }
  }

  #placer({ place }: LocatedLine): PlaceText {
    const texts = this.#texts;
    if (texts === null || place === null) return NO_PLACE;
    return (part, chars) => new RecordedText(texts, place, part, chars);
  }

  #user(json: LocatedLine): Line {
    const { value } = json;
    if (value.isVisibleInTranscriptOnly === true && value.isCompactSummary !== true)
      return new HiddenRecord(json, this.#before);
    const { content } = objectOf(value.message);
    const blocks = blocksOf(content, 'user', this.#calls, this.#placer(json));
    return new UserRecord(json, this.#before, content, blocks);
  }

  #assistant(json: LocatedLine): AssistantLine {
    const message = objectOf(json.value.message);
    const blocks = blocksOf(message.content, 'assistant', this.#calls, this.#placer(json));
    const line = new AssistantRecord(json, this.#before, message, blocks);
    if (!line.synthetic) for (const block of blocks) indexCall(block, this.#calls);
    return line;
  }
}
