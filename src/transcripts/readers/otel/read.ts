import { attempt } from '../../../core/base/errors.js';
import { getOrMake } from '../../../core/base/once.js';
import { ownValue } from '../../../core/base/own-value.js';
import { allBut } from '../../../core/run/capability.js';
import { type Row, readRows } from '../../drafts/rows.js';
import type { Piece, Said } from '../../drafts/thread-draft.js';
import { decodeBytes, decodeUtf8, streamJsonLines } from '../../lines/json-lines.js';
import { isObject, type JsonObject, jsonOf, listOf, numberOf, objectOf, textOf } from '../../lines/narrow.js';
import { tokensOf } from '../../lines/plausible.js';
import { originOf, textPieces } from '../pieces.js';
import { defineReader, type ReaderFile } from '../reader.js';

/** A span or a log record, whichever exporter wrote it. */
interface OtelRecord {
  readonly kind: 'span' | 'log';
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string | null;
  readonly parentId: string | null;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly attributes: JsonObject;
}

const NANOS_PER_MS = 1_000_000;
/** Numbers from here on are nanoseconds since 1970, smaller ones milliseconds. */
const FIRST_NANOS = 1e16;

/** The value of an attribute as OTLP wraps it. */
function plainValue(wrapped: unknown): unknown {
  if (!isObject(wrapped)) return wrapped;
  if ('stringValue' in wrapped) return wrapped.stringValue;
  if ('intValue' in wrapped)
    return typeof wrapped.intValue === 'string' ? Number(wrapped.intValue) : wrapped.intValue;
  if ('doubleValue' in wrapped) return wrapped.doubleValue;
  if ('boolValue' in wrapped) return wrapped.boolValue;
  if ('arrayValue' in wrapped) return listOf(objectOf(wrapped.arrayValue).values).map(plainValue);
  if ('kvlistValue' in wrapped) return attributesOf(objectOf(wrapped.kvlistValue).values);
  return null;
}

function attributesOf(value: unknown): JsonObject {
  if (isObject(value)) return value;
  return Object.fromEntries(
    listOf(value).flatMap((pair) =>
      isObject(pair) && typeof pair.key === 'string' ? [[pair.key, plainValue(pair.value)]] : [],
    ),
  );
}

/** A time as exporters write it: nanoseconds, milliseconds, seconds with nanoseconds, or words. */
function timeOf(...values: readonly unknown[]): number | null {
  for (const value of values) {
    if (Array.isArray(value)) {
      const [seconds, nanos] = value.map(Number);
      if (seconds !== undefined && Number.isFinite(seconds))
        return seconds * 1_000 + (nanos ?? 0) / NANOS_PER_MS;
    }
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : numberOf(value);
    if (number !== null && number > 0) return number >= FIRST_NANOS ? number / NANOS_PER_MS : number;
    const words = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(words)) return words;
  }
  return null;
}

function recordOf(value: unknown, kind: 'span' | 'log', shared: JsonObject): readonly OtelRecord[] {
  if (!isObject(value)) return [];
  const context = objectOf(value.spanContext ?? value.context);
  const endMs = timeOf(value.endTimeUnixNano, value.endTime, value.end_time);
  const startMs = timeOf(
    value.startTimeUnixNano,
    value.startTime,
    value.start_time,
    value.timeUnixNano,
    value.hrTime,
    value.timestamp,
  );
  const own = attributesOf(value.attributes);
  const names = [value.eventName, own['event.name'], value.name].map(textOf);
  return [
    {
      kind,
      name: names.find((name) => name !== null) ?? '',
      traceId: textOf(value.traceId) ?? textOf(context.traceId) ?? textOf(context.trace_id) ?? '',
      spanId: textOf(value.spanId) ?? textOf(context.spanId) ?? textOf(context.span_id),
      parentId: textOf(value.parentSpanId) ?? textOf(value.parent_id),
      startMs: startMs === null ? endMs : Math.round(startMs),
      endMs: endMs === null ? null : Math.round(endMs),
      attributes: { ...shared, ...own },
    },
  ];
}

/** Resource attributes that tell which conversation a record is of. */
const SHARED = ['session.id', 'gen_ai.conversation.id'] as const;

function sharedOf(resource: unknown): JsonObject {
  const all = attributesOf(objectOf(resource).attributes);
  return Object.fromEntries(SHARED.flatMap((key) => (key in all ? [[key, all[key]]] : [])));
}

/** The records of a value: OTLP documents, lists, or one record as file exporters write it a line. */
function recordsOf(value: unknown): readonly OtelRecord[] {
  if (Array.isArray(value)) return value.flatMap(recordsOf);
  if (!isObject(value)) return [];
  const documents = [
    ['span', value.resourceSpans, ['scopeSpans', 'instrumentationLibrarySpans'], 'spans'],
    ['log', value.resourceLogs, ['scopeLogs', 'instrumentationLibraryLogs'], 'logRecords'],
  ] as const;
  if (documents.some(([, resources]) => Array.isArray(resources)))
    return documents.flatMap(([kind, resources, scopes, members]) =>
      listOf(resources).flatMap((each) => {
        const resource = objectOf(each);
        const shared = sharedOf(resource.resource);
        const lists = scopes.flatMap((name) => listOf(resource[name]));
        return lists.flatMap((scope) =>
          listOf(objectOf(scope)[members]).flatMap((record) => recordOf(record, kind, shared)),
        );
      }),
    );
  if (!('attributes' in value)) return [];
  const isLog = value.type === 'log' || 'hrTime' in value || 'timeUnixNano' in value;
  return recordOf(value, isLog ? 'log' : 'span', sharedOf(value.resource));
}

const CARRIES = allBut('lifetimes', 'boundaries');

const CONVENTION = /"(?:gen_ai\.|llm\.token_count\.|openinference\.)/;
const EXPORT = /"(?:resourceSpans|resourceLogs|traceId|trace_id|spanContext|attributes)"\s*:/;

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return attempt(() => JSON.parse(value) as unknown, null);
}

function textual(value: unknown): string {
  return typeof value === 'string' ? value : jsonOf(value ?? '');
}

function pieceOf(part: unknown, tools: Map<string, string>): Piece | null {
  if (!isObject(part)) return null;
  const id = textOf(part.id);
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: textual(part.content ?? part.text) };
    case 'reasoning':
    case 'thinking':
      return { kind: 'thinking', text: textual(part.content ?? part.text) };
    case 'tool_call': {
      const tool = textOf(part.name) ?? 'unknown';
      if (id !== null) tools.set(id, tool);
      return { kind: 'tool_use', text: tool + textual(part.arguments), tool, toolUseId: id };
    }
    case 'tool_call_response': {
      const text = textual(part.response ?? part.result ?? part.content);
      return { kind: 'tool_result', text, tool: tools.get(id ?? '') ?? null, toolUseId: id };
    }
    default:
      return { kind: 'other', text: jsonOf(part) };
  }
}

function piecesOf(message: JsonObject, tools: Map<string, string>): readonly Piece[] {
  if (textOf(message.content) !== null) return textPieces(textOf(message.content));
  return listOf(message.parts ?? message.content).flatMap((part) => pieceOf(part, tools) ?? []);
}

/** Keeps apart what a conversation has said already: each request repeats all of it. */
class RecordedMessages {
  readonly #tools = new Map<string, string>();
  #known = 0;

  /** What a request adds to the one before; null if content is not recorded. */
  said(input: unknown): readonly Pick<Said, 'origin' | 'pieces'>[] | null {
    const messages = parsed(input);
    if (!Array.isArray(messages)) return null;
    const from = messages.length < this.#known ? 0 : this.#known;
    this.#known = messages.length;
    return messages.slice(from).flatMap((message) => {
      if (!isObject(message) || message.role === 'assistant') return [];
      const pieces = piecesOf(message, this.#tools);
      return pieces.length === 0
        ? []
        : [{ origin: originOf(pieces, message.role === 'user' ? 'human' : 'meta'), pieces }];
    });
  }

  /** What the model said; null if content is not recorded. */
  answer(output: unknown): readonly Piece[] | null {
    const messages = parsed(output);
    if (!Array.isArray(messages)) return null;
    const pieces = messages.flatMap((message) => (isObject(message) ? piecesOf(message, this.#tools) : []));
    return pieces.length === 0 ? null : pieces;
  }
}

/** The record of a call that tells most comes first: of one trace only the best kind is used. */
const RANKS = ['chat', 'log', 'turn', 'summary'] as const;
type Rank = (typeof RANKS)[number];

const CHAT = new Set(['chat', 'generate_content', 'text_completion', 'message']);
const AGENT = 'invoke_agent';

/** Names that exporters have for one count. */
const INPUT = ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.token_count.prompt'];
const OUTPUT = ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens', 'llm.token_count.completion'];
const CACHED = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'gen_ai.usage.input_tokens.cached',
  'llm.token_count.prompt_details.cache_read',
];
const WRITTEN = [
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.cache_write.input_tokens',
  'gen_ai.usage.cache_creation_input_tokens',
  'gen_ai.usage.input_tokens.cache_write',
  'llm.token_count.prompt_details.cache_write',
];
const MODEL = ['gen_ai.response.model', 'gen_ai.request.model', 'llm.model_name'];
const PROVIDER = ['gen_ai.provider.name', 'gen_ai.system', 'llm.provider', 'llm.system'];
const CONVERSATION = ['gen_ai.conversation.id', 'session.id'];

function countIn(value: unknown): number | null {
  return tokensOf(typeof value === 'string' && /^\d/.test(value) ? Number(value) : value);
}

/** The first usable value among attributes that stand for the same. */
function firstOf<T>(attributes: JsonObject, names: readonly string[], read: (value: unknown) => T | null) {
  return names.map((name) => read(ownValue(attributes, name))).find((value) => value !== null) ?? null;
}

function count(attributes: JsonObject, names: readonly string[]): number | null {
  return firstOf(attributes, names, countIn);
}

function word(attributes: JsonObject, names: readonly string[]): string | null {
  return firstOf(attributes, names, textOf);
}

/** What kind of record of a call it is; null for one that tells of none. */
function rankOf({ kind, name, attributes }: OtelRecord): Rank | null {
  if (count(attributes, INPUT) === null) return null;
  if (kind === 'log') return 'log';
  const operation = textOf(attributes['gen_ai.operation.name']);
  if (operation === AGENT) return 'summary';
  const inference = textOf(attributes['openinference.span.kind']);
  if (inference !== null) return inference === 'LLM' ? 'chat' : 'summary';
  if (operation !== null && CHAT.has(operation)) return 'chat';
  if (operation === null && /^(?:chat|llm)\b/i.test(name)) return 'chat';
  return /turn/.test(name) ? 'turn' : 'summary';
}

interface Found {
  readonly record: OtelRecord;
  readonly rank: number;
}

/** Each call once: of a trace the best kind of record, of a response the best record. */
function pickCalls(records: readonly OtelRecord[]): readonly OtelRecord[] {
  const found: Found[] = [];
  const best = new Map<string, number>();
  for (const record of records) {
    const name = rankOf(record);
    if (name === null) continue;
    const rank = RANKS.indexOf(name);
    found.push({ record, rank });
    best.set(record.traceId, Math.min(rank, best.get(record.traceId) ?? rank));
  }
  const seen = new Set<string>();
  return found
    .filter(({ record, rank }) => rank === best.get(record.traceId))
    .sort((a, b) => a.rank - b.rank)
    .flatMap(({ record }) => {
      const id = callId(record);
      if (seen.has(id)) return [];
      seen.add(id);
      return [record];
    })
    .sort((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0));
}

function callId({ attributes, traceId, spanId, startMs }: OtelRecord): string {
  return textOf(attributes['gen_ai.response.id']) ?? `${traceId}/${spanId ?? startMs}`;
}

/** Agents inside agents: the span of the innermost one that is not the outermost; null for a call of the main one. */
function agentOf(record: OtelRecord, spans: ReadonlyMap<string, OtelRecord>): string | null {
  const agents: string[] = [];
  const gone = new Set<string>();
  for (let id = record.parentId; id !== null && !gone.has(id); ) {
    gone.add(id);
    const span = spans.get(id);
    const { attributes } = span ?? { attributes: {} as JsonObject };
    if (attributes['gen_ai.operation.name'] === AGENT || attributes['openinference.span.kind'] === 'AGENT')
      agents.push(id);
    id = span?.parentId ?? null;
  }
  return agents.length > 1 ? agents[0]! : null;
}

function sessionOf({ attributes, traceId }: OtelRecord): string {
  return word(attributes, CONVERSATION) ?? (traceId === '' ? 'session' : traceId);
}

/** What counts alike: the calls of a conversation to one provider. */
function exporterOf(record: OtelRecord): string {
  return `${sessionOf(record)} ${word(record.attributes, PROVIDER) ?? ''}`;
}

/** What of the cache an exporter leaves out of the input: by convention nothing, else writes or all of it. One call tells it of all. */
function leftOutBy(calls: readonly OtelRecord[]): (record: OtelRecord) => number {
  const leaves = { reads: new Set<string>(), writes: new Set<string>() };
  const counts = ({ attributes }: OtelRecord) => ({
    input: count(attributes, INPUT)!,
    read: count(attributes, CACHED) ?? 0,
    written: count(attributes, WRITTEN) ?? 0,
  });
  for (const record of calls) {
    const { input, read, written } = counts(record);
    if (input < read) leaves.reads.add(exporterOf(record));
    if (input < read + written) leaves.writes.add(exporterOf(record));
  }
  return (record) => {
    const { read, written } = counts(record);
    const exporter = exporterOf(record);
    return (leaves.reads.has(exporter) ? read : 0) + (leaves.writes.has(exporter) ? written : 0);
  };
}

/** The requests that some records tell of, each once and in the order of their times. */
function rowsOf(records: readonly OtelRecord[]): readonly Row[] {
  const spans = new Map(records.flatMap((each) => (each.spanId === null ? [] : [[each.spanId, each]])));
  const calls = pickCalls(records);
  const tellsReads = calls.some(({ attributes }) => count(attributes, CACHED) !== null);
  const tellsWrites = calls.some(({ attributes }) => count(attributes, WRITTEN) !== null);
  const conversations = new Map<string, RecordedMessages>();
  const leftOut = leftOutBy(calls);
  return calls.map((record): Row => {
    const { attributes, startMs, endMs } = record;
    const session = sessionOf(record);
    const thread = agentOf(record, spans);
    const key = `${session}/${thread ?? ''}`;
    const messages = getOrMake(conversations, key, () => new RecordedMessages());
    const said = messages.said(attributes['gen_ai.input.messages']);
    const answer = messages.answer(attributes['gen_ai.output.messages']);
    // a count that a provider leaves out where others tell it is 0
    const cached = count(attributes, CACHED) ?? (tellsReads ? 0 : null);
    const written = count(attributes, WRITTEN) ?? (tellsWrites ? 0 : null);
    return {
      id: callId(record),
      session,
      thread,
      provider: word(attributes, PROVIDER),
      model: word(attributes, MODEL) ?? 'unknown',
      timeMs: startMs,
      endedMs: endMs,
      prompt: count(attributes, INPUT)! + leftOut(record),
      cached,
      written,
      output: count(attributes, OUTPUT),
      prefix: [],
      ...(said === null || said.length === 0 ? {} : { said }),
      ...(answer === null ? {} : { answer }),
    };
  });
}

/** One document, or one document or record a line. */
function readRecords(file: ReaderFile): readonly OtelRecord[] {
  const plain = decodeBytes(file.bytes, file);
  try {
    return recordsOf(JSON.parse(decodeUtf8(plain, 0, plain.length)));
  } catch {
    return [...streamJsonLines([plain], file)].flatMap(({ value }) => recordsOf(value));
  }
}

/** Reads OpenTelemetry spans and logs about calls of models: OTLP JSON, files of exporters, OpenInference attributes. */
export const otelReader = defineReader({
  name: 'otel',
  label: 'OpenTelemetry export',
  carries: CARRIES,
  places: ['.copilot/otel/*.jsonl*'],
  detect: (head) => CONVENTION.test(head) && EXPORT.test(head),
  read: (file) => readRows(rowsOf(readRecords(file)), CARRIES, file.warnings),
});
