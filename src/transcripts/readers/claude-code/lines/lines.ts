import type { Block } from '../../../../core/model/block.js';
import type { MessageOrigin } from '../../../../core/model/message.js';
import type { RecordedCompaction, SpokenThinking } from '../../../../core/model/transcript.js';
import type { PrefixShape } from '../../../drafts/prefix-shape.js';
import type { LinePlace, LocatedLine } from '../../../lines/json-lines.js';
import {
  idOf,
  isObject,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  textOf,
  textsOf,
} from '../../../lines/narrow.js';
import { knownTokens } from '../../../lines/plausible.js';
import { attachmentBlocks, blocksOf, keepText, type PlaceText, shapeOf, type ToolCall } from '../blocks.js';
import { isCommandText, isExitCommand, isLocalCommandText, originOf, spokenThinking } from '../effects.js';
import { type FileTexts, RecordedText } from '../recorded-text.js';
import { parseUsage, type RecordedUsage, sameUsage } from '../recorded-usage.js';
import { type AgentMessage, agentMessageOf } from './part-text.js';
import { IDLE_LINE, NO_MEMBERS } from './session-line-reader.js';
import { TimeReader } from './time-reader.js';

/** How a process came to this session: it took it up, began it, or emptied it. */
export type ProcessStart = 'resume' | 'startup' | 'clear';

const HOOK = /^SessionStart:(resume|startup|clear)$/;

/** The start of a process that the data of a hook tells of; null when they tell of none (K3). */
function processStart(data: JsonObject): ProcessStart | null {
  const name = textOf(data.hookName);
  const found = name === null ? null : HOOK.exec(name);
  return found === null ? null : (found[1] as ProcessStart);
}

/** The mark of a compaction. */
export interface CompactLine
  extends LineEnvelope,
    Pick<RecordedCompaction, 'trigger' | 'preTokens' | 'postTokens' | 'durationMs'> {
  readonly type: 'compact';
  readonly keptUuids: readonly string[];
  /** First and last kept line, where only the ends are given. */
  readonly keptRange: { readonly head: string; readonly tail: string } | null;
}

/** The mark of a microcompaction. */
export interface MicrocompactLine extends LineEnvelope {
  readonly type: 'microcompact';
  readonly trigger: 'auto' | 'manual';
  readonly preTokens: number | null;
  readonly tokensSaved: number | null;
  readonly toolUseIds: readonly string[];
}

/** A line of a Claude Code conversation. */
export type Line = UserLine | AssistantLine | CompactLine | MicrocompactLine | AttachmentLine | HiddenLine;

/** Model name of responses the client makes up itself. */
const SYNTHETIC_MODEL = '<synthetic>';

function triggerOf(value: unknown): 'auto' | 'manual' {
  return value === 'manual' ? 'manual' : 'auto';
}

/** The tool call that a block is; null if it is not one. */
export function callOf({ kind, toolUseId: id, tool, facts }: Block): ToolCall | null {
  return kind === 'tool_use' && id !== null
    ? { id, tool: tool ?? 'unknown', path: facts.path ?? null }
    : null;
}

/** The text a message begins with; empty when it begins with something else. */
function openingText(content: unknown): string {
  if (typeof content === 'string') return content;
  const first = listOf(content).find(isObject);
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
      preTokens: knownTokens(data.preTokens),
      postTokens: knownTokens(data.postTokens),
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
      preTokens: knownTokens(data.preTokens),
      tokensSaved: knownTokens(data.tokensSaved),
      toolUseIds: textsOf(data.compactedToolIds),
    };
  }
  return envelope;
}

/** The value itself, or the equal text seen before: neighbouring lines repeat each other. */
function shared(value: unknown, before: string | null): string | null {
  return value === before ? before : idOf(value);
}

/** True for a hidden line of the main conversation that says nothing which the line before it there did not say. */
function repeatsBefore(value: JsonObject, before: Line | null): boolean {
  return (
    before !== null &&
    before.timeMs !== null &&
    value.isSidechain !== true &&
    value.agentId === undefined &&
    value.version === before.version &&
    value.sessionId === before.sessionId
  );
}

/** When a line was written, behind which one, and what it shares with earlier ones. */
interface Moment {
  readonly timeMs: number | null;
  readonly before: Line | null;
  readonly head: JsonObject;
}

/** What every line of a conversation carries; a class, because spreading objects would cost as much as parsing them. */
class LineEnvelope {
  readonly line: number;
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly sidechain: boolean;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly version: string | null;
  /** How the client was started: `cli`, `sdk-cli`, `claude-desktop`. */
  readonly entrypoint: string | null;
  /** Milliseconds since 1970; null when the line has no usable time. */
  readonly timeMs: number | null;

  constructor({ line, value }: LocatedLine, { before, timeMs, head }: Moment) {
    this.line = line;
    this.uuid = idOf(value.uuid) ?? `line-${line}`;
    this.parentUuid = shared(value.parentUuid, before === null ? null : before.uuid);
    this.sidechain = (value.isSidechain ?? head.isSidechain) === true;
    this.agentId = shared(value.agentId ?? head.agentId, before === null ? null : before.agentId);
    this.sessionId = shared(value.sessionId ?? head.sessionId, before === null ? null : before.sessionId);
    this.version = shared(value.version ?? head.version, before === null ? null : before.version);
    const { entrypoint = head.entrypoint } = value;
    this.entrypoint = shared(entrypoint, before === null ? null : before.entrypoint);
    this.timeMs = timeMs;
  }
}

/** A line of the chain that no request contains. */
export class HiddenLine extends LineEnvelope {
  readonly type = 'hidden';
  /** A process begins with it. */
  readonly start: ProcessStart | null;
  /** What it tells of a request that no transcript shows (K17). */
  readonly unseen: 'away-summary' | null;

  constructor(json: LocatedLine, moment: Moment, start: ProcessStart | null = null) {
    super(json, moment);
    this.start = start;
    this.unseen = json.value.subtype === 'away_summary' ? 'away-summary' : null;
  }
}

/** A line of the user side: prompt, tool result, command, summary. */
export class UserLine extends LineEnvelope {
  readonly type = 'user';
  readonly blocks: Block[];
  readonly isSummary: boolean;
  /** Who speaks, unless the line holds tool results. */
  readonly origin: MessageOrigin;
  /** It is nothing but the text of a command or its output. */
  readonly isCommand: boolean;
  /** The command that ends the client. */
  readonly isExit: boolean;
  /** What it says about thinking; null if it is not for this line to say. */
  readonly thinking: SpokenThinking | null;
  /** The text of a command that the client carries out itself, or its output. */
  readonly isLocal: boolean;
  /** A tool put it there. */
  readonly fromTool: boolean;

  constructor(
    json: LocatedLine,
    moment: Moment,
    content: unknown,
    blocks: Block[],
    source: ToolCall | undefined,
  ) {
    super(json, moment);
    const { value } = json;
    const text = openingText(content);
    const speaker = textOf(objectOf(value.origin).kind);
    this.blocks = blocks;
    this.isSummary = value.isCompactSummary === true;
    this.origin = originOf({ isMeta: value.isMeta === true, speaker }, text);
    this.isCommand = typeof content === 'string' && isCommandText(content);
    this.isExit = isExitCommand(text);
    this.isLocal = isLocalCommandText(text);
    this.fromTool = source !== undefined;
    this.thinking = spokenThinking(value, this.origin, source?.tool ?? null, text);
  }
}

/** A line of a response: usually one content block of several. */
export class AssistantLine extends LineEnvelope {
  readonly type = 'assistant';
  /** Lines with the same key are one API response. */
  readonly responseKey: string;
  readonly model: string;
  readonly synthetic: boolean;
  readonly blocks: Block[];
  readonly usage: RecordedUsage;
  readonly stopReason: string | null;
  readonly missReason: string | null;
  readonly effort: string | null;

  constructor(json: LocatedLine, moment: Moment, message: JsonObject, blocks: Block[]) {
    super(json, moment);
    const { value } = json;
    const near = moment.before?.type === 'assistant' ? moment.before : null;
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

/** Context the client attaches by itself. */
export class AttachmentLine extends LineEnvelope {
  readonly type = 'attachment';
  /** Null when the model does not see it. */
  readonly blocks: Block[] | null;
  /** A process begins with it. */
  readonly start: ProcessStart | null;

  constructor(json: LocatedLine, moment: Moment, blocks: Block[] | null, start: ProcessStart | null) {
    super(json, moment);
    this.blocks = blocks;
    this.start = start;
  }
}

/** Lines that a compaction kept, by uuid, and how many of them are not among those before it. */
interface KeptLines {
  readonly uuids: readonly string[];
  readonly missing: number;
}

/** What a compaction kept of the lines before it: the ones it lists, or everything between the ends it gives. */
export function keptLines(line: CompactLine, before: readonly Line[]): KeptLines {
  const { keptRange, keptUuids } = line;
  if (keptUuids.length === 0 && keptRange === null) return { uuids: [], missing: 0 };
  const order = new Map(before.map(({ uuid }, i) => [uuid, i]));
  let uuids = keptUuids;
  if (uuids.length === 0 && keptRange !== null) {
    const head = order.get(keptRange.head);
    const tail = order.get(keptRange.tail);
    const isKnown = head !== undefined && tail !== undefined;
    uuids = isKnown ? before.slice(head, tail + 1).map((kept) => kept.uuid) : [keptRange.head];
  }
  return { uuids, missing: uuids.filter((uuid) => !order.has(uuid)).length };
}

/** Reads the lines of one session file in order: each becomes blocks at once, and its JSON is let go. */
export class LineParser {
  /** Tool calls by id, as they come. */
  readonly #calls = new Map<string, ToolCall>();
  readonly #place: PlaceText;
  readonly #times = new TimeReader();
  #before: Line | null = null;
  #beforeInMain: Line | null = null;
  #at: LinePlace | null = null;
  /** System prompt and tools of the first request, from 2.1.326 on (R13). */
  shape: PrefixShape | null = null;
  /** What the client says the session has cost, at the latest; summaries are in it (R13). */
  clientCostUsd: number | null = null;
  /** The latest line is a subagent's, found in the file of its parent. */
  isFromParent = false;

  constructor(texts: FileTexts | null) {
    this.#place = (part, text) => {
      if (texts === null || this.#at === null) return keepText(part, text);
      texts.note(this.#at, part, text);
      return new RecordedText(texts, this.#at, part, text.length);
    };
  }

  /** True when lines of progress with these members at their start are of no account where the file now stands. */
  isIdle(head: JsonObject): boolean {
    return repeatsBefore(head, this.#beforeInMain);
  }

  /**
   * Narrows one object of the file, of which members it shares with earlier ones may be given apart; null for session
   * metadata, which belongs to no conversation.
   */
  parse(json: LocatedLine, head: JsonObject = NO_MEMBERS): Line | null {
    this.isFromParent = false;
    if (json.value === IDLE_LINE) return null;
    this.#at = json.place;
    const timeMs = this.#times.read(json.value.timestamp);
    const line = this.#parse(json, { timeMs, before: this.#before, head });
    if (line === null) return null;
    this.#before = line;
    if (!line.sidechain && line.agentId === null) this.#beforeInMain = line;
    return line;
  }

  #parse(json: LocatedLine, moment: Moment): Line | null {
    const { value } = json;
    switch (value.type ?? moment.head.type) {
      case 'user':
        return this.#user(json, moment);
      case 'assistant':
        return this.#assistant(json, moment);
      case 'system':
        return parseSystem(new HiddenLine(json, moment), value);
      case 'attachment': {
        if (!isObject(value.attachment)) return null;
        const { attachment } = value;
        return new AttachmentLine(
          json,
          moment,
          attachmentBlocks(attachment, this.#place),
          processStart(attachment),
        );
      }
      case 'progress': {
        const start = processStart(objectOf(value.data));
        if (start !== null) return new HiddenLine(json, moment, start);
        const message = agentMessageOf(value);
        if (message !== null) return this.#agentLine(json, moment, message);
        return repeatsBefore(value, this.#beforeInMain) ? null : new HiddenLine(json, moment);
      }
      case 'api-request-shape':
        this.shape ??= shapeOf(objectOf(value.shape));
        return null;
      case 'cost-state':
        this.clientCostUsd = numberOf(value.totalCostUSD) ?? this.clientCostUsd;
        return null;
      default:
        return null;
    }
  }

  /** A line of a subagent, with what only the line around it says. */
  #agentLine(around: LocatedLine, moment: Moment, { agentId, line: inner }: AgentMessage): Line {
    const { line, value, place } = around;
    this.isFromParent = true;
    const sessionId = value.sessionId ?? moment.head.sessionId;
    const version = value.version ?? moment.head.version;
    const own = { ...inner, isSidechain: true, agentId, sessionId, version };
    const timeMs = this.#times.read(inner.timestamp) ?? moment.timeMs;
    const at: Moment = { timeMs, before: moment.before, head: NO_MEMBERS };
    const json: LocatedLine = { line, value: own, place };
    return inner.type === 'user' ? this.#user(json, at) : this.#assistant(json, at);
  }

  #user(json: LocatedLine, moment: Moment): Line {
    const { value } = json;
    if (value.isVisibleInTranscriptOnly === true && value.isCompactSummary !== true)
      return new HiddenLine(json, moment);
    const { content } = objectOf(value.message);
    const blocks = blocksOf(content, 'user', this.#calls, this.#place);
    const source = this.#calls.get(textOf(value.sourceToolUseID) ?? '');
    return new UserLine(json, moment, content, blocks, source);
  }

  #assistant(json: LocatedLine, moment: Moment): AssistantLine {
    const message = objectOf(json.value.message);
    const blocks = blocksOf(message.content, 'assistant', this.#calls, this.#place);
    const line = new AssistantLine(json, moment, message, blocks);
    if (line.synthetic) return line;
    for (const block of blocks) {
      const call = callOf(block);
      if (call !== null) this.#calls.set(call.id, call);
    }
    return line;
  }
}
