import type { Block } from '../../model/block.js';
import type { MessageOrigin } from '../../model/message.js';
import type { LinePlace, LocatedLine } from '../json-lines.js';
import { isObject, type JsonObject, numberOf, objectOf, textOf, textsOf } from '../narrow.js';
import { attachmentBlocks, blocksOf, keepText, type PlaceText, type ToolCall } from './blocks.js';
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

const ISO_LENGTH = '2026-01-01T00:00:00.000Z'.length;
const ZERO = 0x30;

/** The number that figures of a text stand for; NaN when one of them is no figure. */
function figures(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) {
    const figure = text.charCodeAt(i) - ZERO;
    if (figure < 0 || figure > 9) return Number.NaN;
    value = value * 10 + figure;
  }
  return value;
}

/** Reads times; the day is looked up only when it changes. */
class TimeReader {
  #day = '';
  #dayMs = Number.NaN;

  read(value: unknown): number | null {
    if (typeof value !== 'string') return null;
    let time = Number.NaN;
    if (value.length === ISO_LENGTH && value.startsWith('T', 10) && value.endsWith('Z')) {
      if (!value.startsWith(this.#day) || this.#day === '') {
        this.#day = value.slice(0, 10);
        this.#dayMs = Date.parse(this.#day);
      }
      const hours = figures(value, 11, 13);
      const minutes = figures(value, 14, 16);
      const seconds = figures(value, 17, 19);
      const isClock = value[13] === ':' && value[16] === ':' && value[19] === '.';
      if (isClock && hours < 24 && minutes < 60 && seconds < 60) {
        time = this.#dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1_000 + figures(value, 20, 23);
      }
    }
    if (Number.isNaN(time)) time = Date.parse(value);
    return Number.isNaN(time) ? null : time;
  }
}

/** Adds the tool call a block is to an index by id. */
export function indexCall(block: Block, calls: Map<string, ToolCall>): void {
  if (block.kind !== 'tool_use' || block.toolUseId === null) return;
  const { toolUseId: id, tool, facts } = block;
  calls.set(id, { id, tool: tool ?? 'unknown', path: facts.path ?? null });
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

/** Lines of one response repeat its usage. */
function sameUsage(usage: RecordedUsage, before: RecordedUsage | null): RecordedUsage {
  if (usage.state !== 'counts' || before?.state !== 'counts') return usage;
  const a = usage.usage;
  const b = before.usage;
  const isSame =
    a.input === b.input &&
    a.cacheRead === b.cacheRead &&
    a.cacheWrite5m === b.cacheWrite5m &&
    a.cacheWrite1h === b.cacheWrite1h &&
    a.output === b.output;
  return isSame ? before : usage;
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

  constructor({ line, value }: LocatedLine, before: Envelope | null, times: TimeReader) {
    this.line = line;
    this.uuid = textOf(value.uuid) ?? `line-${line}`;
    this.parentUuid = shared(value.parentUuid, before === null ? null : before.uuid);
    this.sidechain = value.isSidechain === true;
    this.agentId = shared(value.agentId, before === null ? null : before.agentId);
    this.sessionId = shared(value.sessionId, before === null ? null : before.sessionId);
    this.version = shared(value.version, before === null ? null : before.version);
    this.timeMs = times.read(value.timestamp);
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
    this.usage = sameUsage(parseUsage(message.usage), near?.usage ?? null);
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

/** Reads the lines of one session file in order: each becomes blocks at once, and its JSON is let go. */
export class LineParser {
  /** Tool calls by id, as they come. */
  readonly #calls = new Map<string, ToolCall>();
  readonly #place: PlaceText;
  #before: Line | null = null;
  #at: LinePlace | null = null;

  constructor(texts: FileTexts | null) {
    this.#place = (part, text) =>
      texts === null || this.#at === null
        ? keepText(part, text)
        : new RecordedText(texts, this.#at, part, text.length);
  }

  /** Narrows one object of the file; null for session metadata, which belongs to no conversation. */
  parse(json: LocatedLine): Line | null {
    this.#at = json.place;
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
        return new AttachmentRecord(json, this.#before, attachmentBlocks(value.attachment, this.#place));
      }
      case 'progress':
        return new HiddenRecord(json, this.#before);
      default:
        return null;
    }
  }

  #user(json: LocatedLine): Line {
    const { value } = json;
    if (value.isVisibleInTranscriptOnly === true && value.isCompactSummary !== true)
      return new HiddenRecord(json, this.#before);
    const { content } = objectOf(value.message);
    const blocks = blocksOf(content, 'user', this.#calls, this.#place);
    return new UserRecord(json, this.#before, content, blocks);
  }

  #assistant(json: LocatedLine): AssistantLine {
    const message = objectOf(json.value.message);
    const blocks = blocksOf(message.content, 'assistant', this.#calls, this.#place);
    const line = new AssistantRecord(json, this.#before, message, blocks);
    if (!line.synthetic) for (const block of blocks) indexCall(block, this.#calls);
    return line;
  }
}
