import { attempt } from '../../../core/base/errors.js';
import { getOrMake } from '../../../core/base/once.js';
import { addUsage, type Usage } from '../../../core/model/usage.js';
import type { AnswerBlock } from '../../../provider/fake-api/answer.js';
import { usageWithin } from '../../../transcripts/drafts/draft.js';
import {
  isObject,
  type JsonObject,
  listOf,
  objectOf,
  objectsOf,
  textOf,
} from '../../../transcripts/lines/narrow.js';
import { isPlausibleUsage, tokensOf } from '../../../transcripts/lines/plausible.js';
import { parseUsage } from '../../../transcripts/readers/claude-code/recorded-usage.js';
import { API_COUNTS, googleUsage } from '../../../transcripts/readers/google.js';

/** What a real API answered, as far as its words can be understood. */
export interface RealAnswer {
  readonly content: readonly AnswerBlock[];
  readonly stopReason: string | null;
  /** Null if the answer does not say what was billed. */
  readonly usage: Usage | null;
}

function parsed(text: string): unknown {
  return attempt(() => JSON.parse(text), null);
}

/** The objects of an answer: the events of a stream, or the one body. */
function eventsOf(body: string): readonly JsonObject[] {
  const whole = parsed(body);
  if (isObject(whole)) return [whole];
  if (Array.isArray(whole)) return objectsOf(whole);
  return objectsOf(
    body.split(/\r?\n\r?\n/).map((event) =>
      parsed(
        event
          .replace(/^(?!data:).*$/gm, '')
          .replace(/^data: ?/gm, '')
          .trim(),
      ),
    ),
  );
}

/** Counts of OpenAI: the prompt holds what was read of it. */
function insideUsage(prompt: unknown, details: unknown, output: unknown): Usage | null {
  const tokens = tokensOf(prompt);
  if (tokens === null) return null;
  const { cached_tokens: read, cache_write_tokens: written } = objectOf(details);
  const counts = { read: tokensOf(read), written: tokensOf(written), output: tokensOf(output) };
  return usageWithin(tokens, counts);
}

/** The usage of an answer, by the fields of the four APIs; later events add to earlier ones. */
function usageIn(events: readonly JsonObject[]): Usage | null {
  let counts: JsonObject = {};
  let google: unknown = null;
  for (const event of events) {
    const { usage } = event;
    for (const said of [objectOf(event.message).usage, objectOf(event.response).usage, usage])
      if (isObject(said))
        counts = {
          ...counts,
          ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null)),
        };
    google = event.usageMetadata ?? google;
  }
  const usage =
    google !== null
      ? googleUsage(google, API_COUNTS)
      : counts.prompt_tokens !== undefined
        ? insideUsage(counts.prompt_tokens, counts.prompt_tokens_details, counts.completion_tokens)
        : counts.input_tokens_details !== undefined
          ? insideUsage(counts.input_tokens, counts.input_tokens_details, counts.output_tokens)
          : messagesUsage(counts);
  return usage === null || !isPlausibleUsage(usage) ? null : usage;
}

function messagesUsage(counts: JsonObject): Usage | null {
  // What a compaction by the API used is billed, and not in the sum.
  const compactions = objectsOf(counts.iterations).filter(({ type }) => type === 'compaction');
  const parts = [counts, ...compactions].flatMap((part) => {
    const said = parseUsage(part);
    return said.state === 'counts' ? said.usage : [];
  });
  return parts.length === 0 ? null : parts.reduce(addUsage);
}

/** A block that comes in parts. */
interface OpenBlock {
  readonly type: 'text' | 'thinking' | 'tool_use';
  readonly id: string;
  readonly name: string;
  words: string;
}

class Blocks {
  readonly #blocks = new Map<string, OpenBlock>();

  /** Puts words after a block; the first time begins it. */
  add(key: string, type: OpenBlock['type'], words: unknown, call: JsonObject = {}): void {
    const block = getOrMake(this.#blocks, key, () => ({
      type,
      id: textOf(call.id) ?? key,
      name: textOf(call.name) ?? '',
      words: '',
    }));
    if (typeof words === 'string') block.words += words;
  }

  content(): readonly AnswerBlock[] {
    return [...this.#blocks.values()].map(({ type, id, name, words }): AnswerBlock => {
      if (type === 'text') return { type, text: words };
      if (type === 'thinking') return { type, thinking: words, signature: '' };
      return { type, id, name, input: objectOf(parsed(words)) };
    });
  }
}

/** A block of the Messages API, whole or at its start. */
function addBlock(blocks: Blocks, key: string, block: JsonObject): void {
  if (block.type === 'text') blocks.add(key, 'text', block.text);
  else if (block.type === 'thinking') blocks.add(key, 'thinking', block.thinking);
  else if (block.type === 'tool_use') {
    const isEmpty = Object.keys(objectOf(block.input)).length === 0;
    blocks.add(key, 'tool_use', isEmpty ? '' : JSON.stringify(block.input), block);
  }
}

function addMessages(blocks: Blocks, event: JsonObject): void {
  const key = `block ${String(event.index)}`;
  if (event.type === 'content_block_start') addBlock(blocks, key, objectOf(event.content_block));
  if (event.type === 'content_block_delta') {
    const { text, thinking, partial_json: json } = objectOf(event.delta);
    if (text !== undefined) blocks.add(key, 'text', text);
    if (thinking !== undefined) blocks.add(key, 'thinking', thinking);
    if (json !== undefined) blocks.add(key, 'tool_use', json);
  }
  for (const [i, block] of objectsOf(event.content).entries()) addBlock(blocks, `block ${i}`, block);
}

function addChat(blocks: Blocks, event: JsonObject): void {
  const [choice] = objectsOf(event.choices);
  const said = objectOf(choice?.delta ?? choice?.message);
  if (textOf(said.content) !== null) blocks.add('content', 'text', said.content);
  for (const [i, call] of objectsOf(said.tool_calls).entries()) {
    const { name, arguments: words } = objectOf(call.function);
    blocks.add(`call ${String(call.index ?? i)}`, 'tool_use', words, { id: call.id, name });
  }
}

/** The last event of the Responses API repeats the whole answer. */
function addResponses(blocks: Blocks, event: JsonObject): void {
  const whole = isObject(event.response) ? event.response : event;
  for (const [i, item] of objectsOf(whole.output).entries()) {
    const key = `item ${i}`;
    if (item.type === 'function_call')
      blocks.add(key, 'tool_use', item.arguments, { id: item.call_id, name: item.name });
    else if (item.type === 'custom_tool_call')
      blocks.add(key, 'tool_use', JSON.stringify({ input: item.input }), {
        id: item.call_id,
        name: item.name,
      });
    else if (item.type === 'reasoning')
      for (const part of objectsOf(item.summary)) blocks.add(key, 'thinking', part.text);
    else for (const part of objectsOf(item.content)) blocks.add(key, 'text', part.text);
  }
}

function addGemini(blocks: Blocks, event: JsonObject, number: number): void {
  const [candidate] = objectsOf(event.candidates);
  for (const [i, part] of objectsOf(objectOf(candidate?.content).parts).entries()) {
    const call = part.functionCall;
    if (isObject(call)) blocks.add(`call ${number}.${i}`, 'tool_use', JSON.stringify(call.args ?? {}), call);
    else if (part.thought === true) blocks.add('thought', 'thinking', part.text);
    else if (typeof part.text === 'string') blocks.add('content', 'text', part.text);
  }
}

function stopIn(event: JsonObject): string | null {
  const [choice] = objectsOf(event.choices);
  const [candidate] = objectsOf(event.candidates);
  return (
    textOf(event.stop_reason) ??
    textOf(objectOf(event.delta).stop_reason) ??
    textOf(choice?.finish_reason) ??
    textOf(candidate?.finishReason) ??
    textOf(objectOf(event.response).status) ??
    null
  );
}

/** Reads the answer of a real API: Messages, Responses, Chat Completions or Gemini, in one piece or as a stream. */
export function readRealAnswer(body: string): RealAnswer {
  const events = eventsOf(body);
  const blocks = new Blocks();
  let stopReason: string | null = null;
  for (const [i, event] of events.entries()) {
    addMessages(blocks, event);
    addChat(blocks, event);
    if (event.type === 'response.completed' || event.object === 'response') addResponses(blocks, event);
    addGemini(blocks, event, i);
    stopReason = stopIn(event) ?? stopReason;
  }
  return { content: blocks.content(), stopReason, usage: usageIn(events) };
}

/** The kind of error in a body: a word, never its sentence, which may contain a key. */
export function errorKind(body: string): string | null {
  const error = objectOf(objectOf(listOf(parsed(body))[0] ?? parsed(body)).error);
  const kind = textOf(error.type) ?? textOf(error.status) ?? textOf(error.code);
  return kind !== null && /^[a-z_]{1,60}$/i.test(kind) ? kind : null;
}
