import { allBut } from '../../core/run/capability.js';
import type { Reading } from '../drafts/finish-recording.js';
import { type Piece, ThreadDraft } from '../drafts/thread-draft.js';
import {
  isObject,
  type JsonObject,
  latestOf,
  listOf,
  objectsOf,
  textOf,
  textsOf,
  timeOf,
} from '../lines/narrow.js';
import { googleParts, googlePieces, googleResult, googleUsage } from './google.js';
import { originOf, toolCallPiece, toolResultPiece, wordsOf } from './pieces.js';
import { defineReader, type ReaderFile } from './reader.js';

/** A tool's output is cut in the record from this size on (50 KiB). */
const CUT_CHARS = 51_200;

const COUNTS = {
  prompt: 'input',
  cached: 'cached',
  candidates: 'output',
  thoughts: 'thoughts',
  tool: 'tool',
  total: 'total',
} as const;

/** Something that happened to the conversation of a chat, in order. */
type ChatStep =
  | { readonly kind: 'message'; readonly id: string; record: JsonObject }
  /** A message and everything behind it is gone; null takes everything. */
  | { readonly kind: 'rewind'; readonly lastId: string | null }
  /** The history was written again: what was put in front of the messages that stayed. */
  | {
      readonly kind: 'rewritten';
      readonly added: readonly JsonObject[];
      readonly keptIds: readonly string[];
    }
  /** Results were masked: the calls they are of. */
  | { readonly kind: 'masked'; readonly toolUseIds: string[] };

function isSpoken({ type }: JsonObject): boolean {
  return type === 'user' || type === 'gemini';
}

function isResults({ content }: JsonObject): boolean {
  const parts = listOf(content);
  return parts.length > 0 && parts.every((part) => isObject(part) && isObject(part.functionResponse));
}

/** How a result begins that the client has masked. */
const MASKED = '<tool_output_masked';

/** The calls whose results a record holds masked. */
function maskedIn({ content }: JsonObject): readonly string[] {
  return objectsOf(content).flatMap(({ functionResponse }) => {
    const piece = isObject(functionResponse) ? googleResult(functionResponse, '') : null;
    return piece?.text?.startsWith(MASKED) === true && piece.toolUseId ? [piece.toolUseId] : [];
  });
}

/** A response that the client wrote from its history (R6): it names no model, and nothing was counted for it. */
function isCopy(record: JsonObject): boolean {
  return (
    record.type === 'gemini' &&
    textOf(record.model) === null &&
    googleUsage(record.tokens, COUNTS) === null &&
    toolCalls(record).length === 0
  );
}

/** What tells a message from others, whatever its id is. */
function wordsIn({ content }: JsonObject): string {
  return wordsOf(googlePieces(content, '').filter(({ kind }) => kind === 'text')).trim();
}

type ChatMessage = Extract<ChatStep, { kind: 'message' }>;

/**
 * The steps of a chat from its records: a message that is written again replaces itself, `$rewindTo`, `$set` and `$patch`
 * change the history. Where results are masked, the client writes the whole history again under new ids: those are the
 * messages that were there (R6).
 */
class ChatHistory {
  readonly steps: ChatStep[] = [];
  readonly #known = new Map<string, ChatMessage>();
  /** Messages that were written again, by their new ids. */
  readonly #alias = new Map<string, string>();
  readonly #masked = new Set<string>();
  /** Messages that the conversation holds now, by id. */
  #live: string[] = [];
  /** While the history is written again: the messages that were found in it. */
  #copied: Set<string> | null = null;

  take(record: JsonObject): void {
    const rewindTo = textOf(record.$rewindTo);
    if (rewindTo !== null) this.#rewind(this.#resolve(rewindTo));
    else if (isObject(record.$set)) this.#set(objectsOf(record.$set.messages));
    else if (isObject(record.$patch)) this.#patch(record.$patch);
    else if (Array.isArray(record.messages))
      for (const each of record.messages.filter(isObject)) this.#add(each);
    else if (textOf(record.id) !== null) this.#add(record);
  }

  #resolve(id: string): string {
    return this.#alias.get(id) ?? id;
  }

  #add(record: JsonObject): void {
    const id = textOf(record.id) ?? `message-${this.steps.length + 1}`;
    const known = this.#known.get(this.#resolve(id));
    if (known !== undefined) {
      if (!this.#alias.has(id)) known.record = record;
      return;
    }
    if (!isSpoken(record) || this.#isWrittenAgain(id, record)) return;
    const step = { kind: 'message', id, record } as const;
    this.#known.set(id, step);
    this.#live.push(id);
    this.steps.push(step);
  }

  /** Whether a message is one of the history that is being written again. */
  #isWrittenAgain(id: string, record: JsonObject): boolean {
    if (isResults(record)) {
      this.#mask([record]);
      return true;
    }
    if (record.type === 'user') return this.#copied !== null && this.#link(id, record);
    if (!isCopy(record)) {
      this.#copied = null;
      return false;
    }
    if (this.#copied === null) {
      this.#copied = new Set();
      this.#takeBack();
    }
    this.#link(id, record);
    return true;
  }

  /** The history begins with its first prompt: what was taken for new ones since the latest response was written again. */
  #takeBack(): void {
    const first = this.#known.get(this.#live[0] ?? '');
    const said =
      this.steps.findLastIndex((step) => step.kind === 'message' && step.record.type !== 'user') + 1;
    const from = this.steps.findIndex(
      (step, i) =>
        i >= Math.max(1, said) && step.kind === 'message' && wordsIn(step.record) === wordsIn(first!.record),
    );
    if (first === undefined || from === -1) return;
    for (const step of this.steps.splice(from)) {
      if (step.kind !== 'message') continue;
      this.#known.delete(step.id);
      this.#live = this.#live.filter((id) => id !== step.id);
      this.#link(step.id, step.record);
    }
  }

  /** Finds the message that a new id stands for; false when there is none. */
  #link(id: string, record: JsonObject): boolean {
    const words = wordsIn(record);
    const found = this.#live.find((own) => {
      const known = this.#known.get(own)!;
      return !this.#copied?.has(own) && known.record.type === record.type && wordsIn(known.record) === words;
    });
    if (found === undefined) return false;
    this.#copied?.add(found);
    this.#alias.set(id, found);
    return true;
  }

  #mask(records: readonly JsonObject[]): void {
    const fresh = records.flatMap(maskedIn).filter((id) => !this.#masked.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) this.#masked.add(id);
    const last = this.steps.at(-1);
    if (last?.kind === 'masked') last.toolUseIds.push(...fresh);
    else this.steps.push({ kind: 'masked', toolUseIds: fresh });
  }

  #rewind(id: string): void {
    const at = this.#live.indexOf(id);
    this.#live = this.#live.slice(0, Math.max(0, at));
    this.steps.push({ kind: 'rewind', lastId: this.#live.at(-1) ?? null });
  }

  /** The history as a whole: masked contents leave the messages as they were sent first. */
  #set(messages: readonly JsonObject[]): void {
    this.#mask(messages);
    const spoken = messages.filter((record) => isSpoken(record) && !isResults(record));
    if (spoken.length === 0) return;
    this.#copied = new Set();
    for (const record of spoken) {
      const id = textOf(record.id);
      if (id !== null && !this.#known.has(this.#resolve(id))) this.#link(id, record);
    }
    this.#copied = null;
    const ids = spoken.flatMap(({ id }) => (typeof id === 'string' ? [this.#resolve(id)] : []));
    const added = spoken.filter(({ id }) => typeof id !== 'string' || !this.#known.has(this.#resolve(id)));
    if (spoken.length < this.#live.length) this.#keep(new Set(ids), added);
  }

  #patch({ orderIds, removeIds }: JsonObject): void {
    this.#copied = null;
    const gone = new Set(textsOf(removeIds));
    const order = Array.isArray(orderIds) ? textsOf(orderIds) : this.#live.filter((id) => !gone.has(id));
    this.#keep(new Set(order.map((id) => this.#resolve(id))), []);
  }

  /** A history that lost something somebody said is a new one. */
  #keep(ids: ReadonlySet<string>, added: readonly JsonObject[]): void {
    const keptIds = this.#live.filter((id) => ids.has(id));
    const isLost = (id: string): boolean => !ids.has(id) && wordsIn(this.#known.get(id)!.record) !== '';
    if (!this.#live.some(isLost)) return;
    this.#live = [...keptIds];
    this.steps.push({ kind: 'rewritten', added, keptIds });
  }
}

function toolCalls({ toolCalls: calls }: JsonObject): readonly JsonObject[] {
  return objectsOf(calls);
}

/** A record that holds the tools of the response before it and nothing of its own. */
function isContinued(record: JsonObject): boolean {
  return record.content === '' && toolCalls(record).length > 0 && googleUsage(record.tokens, COUNTS) === null;
}

function resultPieces(call: JsonObject, id: string): readonly Piece[] {
  const results = googleParts(call.result).flatMap((part): readonly Piece[] =>
    isObject(part) && isObject(part.functionResponse)
      ? [{ ...googleResult(part.functionResponse, id, call.args), toolUseId: id }]
      : googlePieces(part, id),
  );
  if (results.some(({ kind }) => kind === 'tool_result')) return results;
  const outcome = call.status === 'error' || call.status === 'cancelled' ? 'error' : 'success';
  const text = call.result == null ? null : wordsOf(results, '');
  return [toolResultPiece({ id, tool: textOf(call.name), text, outcome, args: call.args })];
}

class ChatReading {
  readonly draft: ThreadDraft;
  cutResults = 0;
  /** The last message of the draft that a message of the chat became. */
  readonly #last = new Map<string, string>();

  constructor(readonly id: string) {
    this.draft = new ThreadDraft(id);
  }

  read(steps: readonly ChatStep[]): void {
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i]!;
      if (step.kind === 'rewind') this.draft.rewind(null, this.#draftId(step.lastId));
      else if (step.kind === 'masked') this.draft.clear(null, step.toolUseIds);
      else if (step.kind === 'rewritten') this.#rewrite(step.added, step.keptIds);
      else if (step.record.type === 'user') this.#say(step.id, step.record);
      else {
        const parts = [step.record];
        for (
          let next = steps[i + 1];
          next?.kind === 'message' && isContinued(next.record);
          next = steps[i + 1]
        ) {
          parts.push(next.record);
          this.#last.set(next.id, `${step.id}-results`);
          i++;
        }
        this.#respond(step.id, parts);
      }
    }
  }

  #draftId(id: string | null): string | null {
    return id === null ? null : (this.#last.get(id) ?? id);
  }

  #say(id: string, record: JsonObject): void {
    const pieces = googlePieces(record.content, id);
    this.draft.say({ id, timeMs: timeOf(record.timestamp), origin: originOf(pieces, 'human'), pieces });
    this.#last.set(id, id);
  }

  #respond(id: string, records: readonly JsonObject[]): void {
    const [record] = records as readonly [JsonObject];
    const calls = records
      .flatMap(toolCalls)
      .map((call, i) => ({ call, id: textOf(call.id) ?? `${id}-tool-${i + 1}` }));
    const spoken = googlePieces(record.content, id).filter(({ kind }) => kind !== 'tool_use');
    const asked = calls.map(({ call, id: use }) =>
      toolCallPiece({ id: use, tool: textOf(call.name), args: call.args }),
    );
    this.draft.respond({
      id,
      model: textOf(record.model) ?? 'unknown',
      timeMs: timeOf(record.timestamp),
      pieces: [...spoken, ...asked],
      usage: googleUsage(record.tokens, COUNTS),
    });
    this.#last.set(id, `response-${id}`);
    const results = calls.flatMap(({ call, id: use }) => resultPieces(call, use));
    if (results.length === 0) return;
    for (const { text } of results) if (text !== null && text.length >= CUT_CHARS) this.cutResults++;
    const timeMs = latestOf(calls.map(({ call }) => timeOf(call.timestamp)));
    this.draft.say({ id: `${id}-results`, timeMs, origin: 'tool', pieces: results });
    this.#last.set(id, `${id}-results`);
  }

  #rewrite(added: readonly JsonObject[], keptIds: readonly string[]): void {
    const summary = textOf(wordsOf(added.flatMap(({ content }) => googlePieces(content, this.id))));
    const kept = keptIds.flatMap((id) => {
      const last = this.#draftId(id);
      return last === null || last === `response-${id}` || last === id
        ? [last ?? id]
        : [`response-${id}`, last];
    });
    this.draft.compact({ timeMs: null, trigger: 'auto', summary, keptIds: kept });
  }
}

function read({ id, records, warnings }: ReaderFile): Reading {
  const history = new ChatHistory();
  for (const record of records()) history.take(record);
  const reading = new ChatReading(id);
  reading.read(history.steps);
  warnings.add(
    'results-cut',
    'Gemini CLI cuts outputs of tools at 50 KiB in its record',
    'the prompts are sized by the recorded usage all the same',
    reading.cutResults,
  );
  return { threads: [reading.draft] };
}

/** Chats of Gemini CLI: one JSON document, or records one a line. */
export const geminiCliReader = defineReader({
  name: 'gemini-cli',
  label: 'Gemini CLI chat',
  carries: allBut('lifetimes', 'cache-writes', 'subagents', 'boundaries'),
  places: ['.gemini/tmp/*/chats/**/*.json', '.gemini/tmp/*/chats/**/*.jsonl'],
  detect: (head) => /"projectHash"\s*:/.test(head) && /"sessionId"\s*:/.test(head),
  read,
});
