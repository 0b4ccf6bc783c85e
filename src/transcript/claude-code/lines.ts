import type { JsonLine } from '../json-lines.js';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf, textsOf } from '../narrow.js';
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
  readonly content: unknown;
  readonly isMeta: boolean;
  readonly isSummary: boolean;
  /** `origin.kind` where the client says who speaks. */
  readonly speaker: string | null;
}

/** A line of a response: usually one content block of several. */
export interface AssistantLine extends Envelope {
  readonly type: 'assistant';
  /** Lines with the same key are one API response. */
  readonly responseKey: string;
  readonly model: string;
  readonly synthetic: boolean;
  readonly content: unknown;
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
  readonly attachment: JsonObject;
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

function envelopeOf({ line, value }: JsonLine): Envelope {
  return {
    line,
    uuid: textOf(value.uuid) ?? `line-${line}`,
    parentUuid: textOf(value.parentUuid),
    sidechain: value.isSidechain === true,
    agentId: textOf(value.agentId),
    sessionId: textOf(value.sessionId),
    version: textOf(value.version),
    timeMs: timeOf(value.timestamp),
  };
}

function parseAssistant(envelope: Envelope, value: JsonObject): AssistantLine {
  const message = objectOf(value.message);
  const model = textOf(message.model) ?? 'unknown';
  return {
    ...envelope,
    type: 'assistant',
    responseKey: textOf(message.id) ?? textOf(value.requestId) ?? envelope.uuid,
    model,
    synthetic: model === SYNTHETIC_MODEL || value.isApiErrorMessage === true,
    content: message.content,
    usage: parseUsage(message.usage),
    stopReason: textOf(message.stop_reason),
    missReason: textOf(objectOf(objectOf(message.diagnostics).cache_miss_reason).type),
    effort: textOf(value.effort),
  };
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

/** Narrows one object of the file; null for session metadata, which belongs to no conversation. */
export function parseLine(json: JsonLine): Line | null {
  const { value } = json;
  const envelope = envelopeOf(json);
  switch (value.type) {
    case 'user': {
      const isSummary = value.isCompactSummary === true;
      if (value.isVisibleInTranscriptOnly === true && !isSummary) return { ...envelope, type: 'hidden' };
      return {
        ...envelope,
        type: 'user',
        content: objectOf(value.message).content,
        isMeta: value.isMeta === true,
        isSummary,
        speaker: textOf(objectOf(value.origin).kind),
      };
    }
    case 'assistant':
      return parseAssistant(envelope, value);
    case 'system':
      return parseSystem(envelope, value);
    case 'attachment':
      return isObject(value.attachment)
        ? { ...envelope, type: 'attachment', attachment: value.attachment }
        : null;
    case 'progress':
      return { ...envelope, type: 'hidden' };
    default:
      return null;
  }
}

/** The content blocks of a message; a text alone is one text block. */
export function contentBlocks(content: unknown): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content).filter(isObject);
}
