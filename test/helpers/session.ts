import type { Message } from '../../src/core/model/message.js';
import type { RecordedCall, Step, Thread, ThreadEvent, Transcript } from '../../src/core/model/transcript.js';
import { EARLIER_HISTORY, OPENING_CONTEXT } from '../../src/transcripts/drafts/opening.js';
import { readClaudeCode } from '../../src/transcripts/readers/claude-code/read.js';

/** Fields of a session line that differ from the usual ones. */
export type Fields = Readonly<Record<string, unknown>>;

const START = Date.UTC(2026, 0, 2);

/** A time stamp this many seconds after the start of the session. */
export function stamp(seconds: number): string {
  return new Date(START + seconds * 1_000).toISOString();
}

function envelope(uuid: string, seconds: number, fields: Fields): Fields {
  return {
    parentUuid: null,
    isSidechain: false,
    sessionId: 's1',
    version: '2.1.100',
    uuid,
    timestamp: stamp(seconds),
    ...fields,
  };
}

/** A user line. */
export function user(uuid: string, seconds: number, content: unknown, fields: Fields = {}): Fields {
  return { ...envelope(uuid, seconds, fields), type: 'user', message: { role: 'user', content } };
}

/** A user line that holds one tool result. */
export function result(
  uuid: string,
  seconds: number,
  toolUseId: string,
  content: unknown = 'ok',
  fields: Fields = {},
): Fields {
  return user(uuid, seconds, [{ type: 'tool_result', tool_use_id: toolUseId, content }], fields);
}

/** Usage in the fields of the API: input, read, written for an hour, output. */
export function usage(input: number, read: number, written: number, output: number): Fields {
  return {
    input_tokens: input,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: written },
    output_tokens: output,
  };
}

/** A line of a response; `message` overrides fields of the API message. */
export function assistant(
  uuid: string,
  seconds: number,
  id: string,
  content: unknown,
  message: Fields = {},
  fields: Fields = {},
): Fields {
  const body = {
    id,
    role: 'assistant',
    model: 'claude-x',
    stop_reason: 'end_turn',
    usage: usage(1, 0, 999, 10),
  };
  return { ...envelope(uuid, seconds, fields), type: 'assistant', message: { ...body, content, ...message } };
}

/** The whole response `m<i>` of claude-sonnet-4-5, in the line `a<i>`. */
export function answered(
  i: number | string,
  seconds: number,
  content: unknown,
  usage: Fields,
  fields: Fields = {},
): Fields {
  return assistant(`a${i}`, seconds, `m${i}`, content, { model: 'claude-sonnet-4-5', usage }, fields);
}

/** A system line. */
export function system(uuid: string, seconds: number, subtype: string, fields: Fields = {}): Fields {
  return { ...envelope(uuid, seconds, fields), type: 'system', subtype };
}

/** An attachment line. */
export function attachment(uuid: string, seconds: number, value: Fields, fields: Fields = {}): Fields {
  return { ...envelope(uuid, seconds, fields), type: 'attachment', attachment: value };
}

/** A line of progress. */
export function progress(uuid: string, seconds: number, data: Fields, fields: Fields = {}): Fields {
  const ids = { toolUseID: `show-${uuid}`, parentToolUseID: 'task' };
  const { uuid: id, timestamp, ...rest } = envelope(uuid, seconds, fields);
  return { ...rest, type: 'progress', data, ...ids, uuid: id, timestamp };
}

/** A line of a subagent as the file of its parent tells it. */
export function told(agentId: string, line: Fields, fields: Fields = {}): Fields {
  const { type, message, uuid, timestamp } = line;
  const data = {
    message: { type, message, uuid, timestamp },
    normalizedMessages: [],
    type: 'agent_progress',
    prompt: 'look',
    agentId,
  };
  return { ...progress(`told-${String(uuid)}`, 0, data, fields), timestamp };
}

/** 100 tokens at the general 2.75 characters a token. */
export const HUNDRED = 'x'.repeat(275);

/** A text block and a tool call as content. */
export const say = (text: string): readonly Fields[] => [{ type: 'text', text }];
export const ask = (id: string, name = 'Bash', input: Fields = {}): readonly Fields[] => [
  { type: 'tool_use', id, name, input },
];

/** The bytes of a JSONL file: objects become lines, texts stay as they are. */
export function jsonl(lines: readonly (Fields | string)[]): Buffer {
  return Buffer.from(
    lines
      .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
      .join('\n')
      .concat('\n'),
  );
}

/** Reads lines as a Claude Code session. */
export function readSession(lines: readonly (Fields | string)[]): Transcript {
  return readClaudeCode(jsonl(lines), { id: 'session.jsonl' });
}

/** The first thread of a transcript. */
export function firstThread(transcript: Transcript): Thread {
  return transcript.threads[0]!;
}

/** The first thread of a Claude Code session of these lines. */
export function threadOf(lines: readonly (Fields | string)[]): Thread {
  return firstThread(readSession(lines));
}

/** The calls of a thread. */
export function callsOf(thread: Thread): readonly RecordedCall[] {
  return thread.steps.flatMap((step) => (step.kind === 'call' ? [step.call] : []));
}

function isOpening({ blocks }: Message): boolean {
  const attachment = blocks[0]?.facts.attachment;
  return attachment === OPENING_CONTEXT || attachment === EARLIER_HISTORY;
}

function allMessages(thread: Thread): readonly Message[] {
  return thread.steps.flatMap((step) => (step.kind === 'message' ? [step.message] : []));
}

/** What no line says in front of the first one, as `[id, tokens of its blocks]`. */
export function openingSizes(thread: Thread): readonly (readonly [string, readonly number[]])[] {
  return allMessages(thread)
    .filter(isOpening)
    .map(({ id, blocks }) => [id, blocks.map((block) => block.tokens)]);
}

/** The messages of a thread, without the opening, responses and summaries. */
export function messagesOf(thread: Thread): readonly Message[] {
  return allMessages(thread).filter((message) => !isOpening(message));
}

/** The events of a thread. */
export function eventsOf(thread: Thread): readonly ThreadEvent[] {
  return thread.steps.flatMap((step) => (step.kind === 'event' ? [step.event] : []));
}

/** What happens in the first thread of a session of these lines. */
export function happened(lines: readonly (Fields | string)[]): readonly ThreadEvent[] {
  return eventsOf(threadOf(lines));
}

/** The calls of all threads. */
export function callsIn({ threads }: Transcript): readonly RecordedCall[] {
  return threads.flatMap(callsOf);
}

/** The events of all threads. */
export function eventsIn({ threads }: Transcript): readonly ThreadEvent[] {
  return threads.flatMap(eventsOf);
}

/** The steps behind the opening as short words: `call m1`, `tool r1`, `event resume`. */
export function outline(thread: Thread): readonly string[] {
  return thread.steps.flatMap((step: Step) => {
    if (step.kind === 'call') return [`call ${step.call.id}`];
    if (step.kind === 'event') return [`event ${step.event.kind}`];
    return isOpening(step.message) ? [] : [`${step.message.origin} ${step.message.id}`];
  });
}

/** The codes of a transcript's warnings. */
export function warningCodes(transcript: Transcript): readonly string[] {
  return transcript.warnings.map((warning) => warning.code);
}
