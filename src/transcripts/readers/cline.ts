import type { Usage } from '../../core/model/usage.js';
import { allBut, less } from '../../core/run/capability.js';
import { type Counts, type PromptRule, usageOf } from '../drafts/draft.js';
import { carriesKnownWrites, type Reading } from '../drafts/finish-recording.js';
import { type Piece, ThreadDraft } from '../drafts/thread-draft.js';
import { parseDocument, parseObject } from '../lines/json-lines.js';
import { isObject, type JsonObject, numberOf, objectOf, objectsOf, textOf, timeOf } from '../lines/narrow.js';
import { knownTokens, tokensOf } from '../lines/plausible.js';
import { anthropicPieces, originOf } from './pieces.js';
import { defineReader, type ReaderFile } from './reader.js';

const CARRIES = allBut('lifetimes', 'subagents', 'latency');

/** A compaction that happened before a request. */
interface Condensed {
  readonly preTokens: number | null;
  readonly postTokens: number | null;
  readonly summary: string | null;
  /** Messages of the history that were taken out, first and last; null if the record does not say. */
  readonly range: readonly [number, number] | null;
}

/** A request as the messages of the user interface tell it. */
interface UiRequest {
  readonly sentMs: number | null;
  readonly endMs: number | null;
  readonly model: string | null;
  readonly counts: JsonObject;
  /** What the user said before it, and what the model said in it. */
  readonly asked: readonly string[];
  readonly said: readonly string[];
  readonly condensed: Condensed | null;
}

const SPOKEN_BY_USER = new Set(['task', 'user_feedback', 'user_feedback_diff']);
const WRITTEN_BY_MODEL = new Set([
  'text',
  'reasoning',
  'tool',
  'command',
  'completion_result',
  'followup',
  'use_mcp_server',
]);

function rangeOf(value: unknown): readonly [number, number] | null {
  if (!Array.isArray(value)) return null;
  const [first, last] = [numberOf(value[0]), numberOf(value[1])];
  return first === null || last === null ? null : [first, last];
}

/** A request that failed or was stopped before anything was billed. */
function isVain(counts: JsonObject): boolean {
  const hasFailed = textOf(counts.cancelReason) !== null || textOf(counts.streamingFailedMessage) !== null;
  return hasFailed && billed(counts, 'apart') === null;
}

/** Whether the input of a request holds what was read and written: Roo's counts do for OpenAI's protocol, and later for both. */
function inputRule(requests: readonly UiRequest[]): PromptRule {
  const cached = requests
    .filter(({ counts }) => textOf(counts.apiProtocol) !== null)
    .map(({ counts }) => countsOf(counts))
    .map(({ prompt, read, written }) => ({ all: prompt ?? 0, cached: (read ?? 0) + (written ?? 0) }))
    .filter((counts) => counts.cached > 0);
  return cached.length > 0 && cached.every((counts) => counts.all >= counts.cached) ? 'inside' : 'apart';
}

/** The counts of a request as the interface names them. */
function countsOf(counts: JsonObject): Counts {
  return {
    prompt: tokensOf(counts.tokensIn),
    read: tokensOf(counts.cacheReads),
    written: tokensOf(counts.cacheWrites),
    output: tokensOf(counts.tokensOut),
  };
}

/** What was billed; null if nothing was counted. */
function billed(counts: JsonObject, rule: PromptRule): Usage | null {
  return tokensOf(counts.tokensIn) === null ? null : usageOf(countsOf(counts), rule);
}

function condensedOf(message: JsonObject): Condensed | null {
  const recorded = message.say === 'condense_context' ? message.contextCondense : message.contextTruncation;
  if (!isObject(recorded)) return null;
  return {
    preTokens: knownTokens(recorded.prevContextTokens),
    postTokens: knownTokens(recorded.newContextTokens),
    summary: textOf(recorded.summary),
    range: null,
  };
}

/** The requests of a task in order, with what happened between them. */
function uiRequests(messages: readonly JsonObject[]): readonly UiRequest[] {
  const requests: UiRequest[] = [];
  let asked: string[] = [];
  let condensed: Condensed | null = null;
  let lastDeleted = -1;
  let open: { request: UiRequest; said: string[] } | null = null;
  const seen = new Set<number>();
  const close = (): void => {
    if (open !== null && !isVain(open.request.counts)) requests.push({ ...open.request, said: open.said });
    else if (open !== null) {
      asked = [...open.request.asked, ...asked];
      condensed = open.request.condensed ?? condensed;
    }
    open = null;
  };
  for (const message of messages) {
    const kind = textOf(message.say) ?? textOf(message.ask) ?? '';
    const timeMs = timeOf(message.ts);
    const words = textOf(message.text);
    const range = rangeOf(message.conversationHistoryDeletedRange);
    if (kind === 'api_req_started') {
      if (timeMs !== null && seen.has(timeMs)) continue;
      if (timeMs !== null) seen.add(timeMs);
      close();
      if (range !== null && range[1] > lastDeleted) {
        condensed ??= { preTokens: null, postTokens: null, summary: null, range };
        lastDeleted = range[1];
      }
      const counts = words === null ? {} : (parseObject(words) ?? {});
      const model = textOf(objectOf(message.modelInfo).modelId);
      open = {
        request: { sentMs: timeMs, endMs: null, model, counts, asked, said: [], condensed },
        said: [],
      };
      [asked, condensed] = [[], null];
    } else if (SPOKEN_BY_USER.has(kind)) {
      if (words !== null) asked.push(words);
    } else if (kind === 'condense_context' || kind === 'sliding_window_truncation') {
      condensed = condensedOf(message) ?? condensed;
    } else if (open !== null && WRITTEN_BY_MODEL.has(kind)) {
      if (words !== null && kind === 'text') open.said.push(words);
      open.request = { ...open.request, endMs: timeMs ?? open.request.endMs };
    }
  }
  close();
  return requests;
}

/** A request of the history: the messages before it, and the response. */
interface Turn {
  readonly before: readonly { readonly index: number; readonly content: unknown }[];
  readonly index: number;
  readonly content: unknown;
}

function turnsOf(history: readonly JsonObject[]): readonly Turn[] {
  const turns: Turn[] = [];
  let before: { index: number; content: unknown }[] = [];
  history.forEach(({ role, content, isSummary }, index) => {
    if (isSummary === true) return;
    if (role === 'assistant') {
      turns.push({ before, index, content });
      before = [];
    } else before.push({ index, content });
  });
  return turns;
}

/** A file beside the task as a JSON value; null when it is absent or broken. */
function documentBeside(name: string, { beside, id, warnings }: ReaderFile): unknown {
  const bytes = beside?.(name) ?? null;
  if (bytes === null) return null;
  try {
    return parseDocument(bytes, { name, warnings });
  } catch {
    warnings.add('file-left-out', `${id}: ${name} beside it is not complete JSON and was left out`);
    return null;
  }
}

/** The model in use at a time, by the notes of the task. */
function modelAt(metadata: unknown, timeMs: number | null): string | null {
  let model: string | null = null;
  for (const use of objectsOf(objectOf(metadata).model_usage)) {
    const from = numberOf(use.ts);
    if (model === null || (from !== null && timeMs !== null && from <= timeMs))
      model = textOf(use.model_id) ?? model;
  }
  return model;
}

class TaskReading {
  readonly draft: ThreadDraft;
  readonly #rule: PromptRule;
  readonly #metadata: unknown;
  /** The draft's id of each message of the history. */
  readonly #ids: (readonly [number, string])[] = [];

  constructor(id: string, requests: readonly UiRequest[], metadata: unknown) {
    this.draft = new ThreadDraft(id);
    this.#rule = inputRule(requests);
    this.#metadata = metadata;
  }

  take(request: UiRequest, number: number, turn: Turn | null): void {
    this.#condense(request);
    const id = `request-${number}`;
    if (turn === null) this.#sayAsked(request, id);
    else for (const message of turn.before) this.#say(request, message.index, message.content);
    const pieces =
      turn === null
        ? request.said.map((text): Piece => ({ kind: 'text', text }))
        : anthropicPieces(turn.content, id);
    const call = this.draft.respond({
      id,
      model: request.model ?? modelAt(this.#metadata, request.sentMs) ?? 'unknown',
      sentMs: request.sentMs,
      timeMs: request.endMs ?? request.sentMs,
      pieces,
      usage: billed(request.counts, this.#rule),
    });
    if (call !== null && turn !== null) this.#ids.push([turn.index, call.message.id]);
  }

  #condense({ condensed, sentMs }: UiRequest): void {
    if (condensed === null) return;
    const { range, ...sizes } = condensed;
    const keptIds =
      range === null
        ? []
        : this.#ids.filter(([index]) => index < range[0] || index > range[1]).map(([, id]) => id);
    this.draft.compact({ timeMs: sentMs, trigger: 'auto', ...sizes, keptIds });
  }

  #sayAsked({ asked, sentMs }: UiRequest, id: string): void {
    const spoken = asked.map((text): Piece => ({ kind: 'text', text }));
    const pieces: readonly Piece[] = spoken.length > 0 ? spoken : [{ kind: 'text', text: null }];
    this.draft.say({
      id: `${id}-asked`,
      timeMs: sentMs,
      origin: spoken.length > 0 ? 'human' : 'meta',
      pieces,
    });
  }

  #say({ asked, sentMs }: UiRequest, index: number, content: unknown): void {
    const id = `message-${index}`;
    const pieces = anthropicPieces(content, id);
    const origin = originOf(pieces, asked.length > 0 ? 'human' : 'meta');
    const said = this.draft.say({ id, timeMs: sentMs, origin, pieces });
    if (said !== null) this.#ids.push([index, said.id]);
  }
}

function read(file: ReaderFile): Reading {
  const { id, warnings } = file;
  const requests = uiRequests(file.records());
  const turns = turnsOf(objectsOf(documentBeside('api_conversation_history.json', file)));
  const reading = new TaskReading(id, requests, documentBeside('task_metadata.json', file));
  const missing = Math.max(0, requests.length - turns.length);
  warnings.add(
    'content-missing',
    'requests have no message in api_conversation_history.json beside the task',
    'their prompts are sized by the recorded usage; keep the files of a task together',
    missing,
  );
  requests.forEach((request, i) => {
    reading.take(request, i + 1, turns[i - missing] ?? null);
  });
  const { draft } = reading;
  const carries = turns.length === 0 ? less(CARRIES, ['text', 'tools']) : CARRIES;
  return { threads: [draft], carries: carriesKnownWrites(carries, [draft]) };
}

/** Tasks of Cline and Roo: `ui_messages.json`, with the conversation beside it. */
export const clineReader = defineReader({
  name: 'cline',
  label: 'Cline or Roo task',
  carries: CARRIES,
  places: [
    '.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/*/ui_messages.json',
    '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/*/ui_messages.json',
    'Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/*/ui_messages.json',
    'Library/Application Support/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/*/ui_messages.json',
    '.cline/data/tasks/*/ui_messages.json',
  ],
  detect: (head) =>
    /"say"\s*:\s*"api_req_started"/.test(head) ||
    /^\s*\[\s*\{\s*"ts"\s*:\s*\d+\s*,\s*"type"\s*:\s*"(?:say|ask)"/.test(head),
  read,
});
