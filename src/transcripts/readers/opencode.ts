import { totalTokens, type Usage } from '../../core/model/usage.js';
import { allBut } from '../../core/run/capability.js';
import { usageOf } from '../drafts/draft.js';
import { carriesKnownWrites, type Reading } from '../drafts/finish-recording.js';
import { type Piece, ThreadDraft } from '../drafts/thread-draft.js';
import {
  isObject,
  type JsonObject,
  latestOf,
  listOf,
  objectOf,
  objectsOf,
  textOf,
  timeOf,
} from '../lines/narrow.js';
import { tokensOf } from '../lines/plausible.js';
import { textPieces, toolCallPiece, toolResultPiece, wordsOf } from './pieces.js';
import { defineReader, type ReaderFile } from './reader.js';

const CARRIES = allBut('lifetimes');

/** One request of the model inside a message: what it wrote, what its tools gave back, what was billed. */
interface StepParts {
  readonly id: string;
  readonly pieces: readonly Piece[];
  readonly results: readonly Piece[];
  readonly usage: Usage | null;
  /** When the response was complete, and when the last tool was. */
  readonly endMs: number | null;
  readonly resultsMs: number | null;
}

/** Usage in the normal form: input stands apart from the cache. A total tells whether the output holds the reasoning. */
function opencodeUsage(tokens: unknown): Usage | null {
  const counts = objectOf(tokens);
  const cache = objectOf(counts.cache);
  const [prompt, output] = [tokensOf(counts.input), tokensOf(counts.output)];
  if (prompt === null || output === null) return null;
  const usage = usageOf(
    { prompt, read: tokensOf(cache.read), written: tokensOf(cache.write), output },
    'apart',
  );
  if (usage === null || tokensOf(counts.total) === totalTokens(usage)) return usage;
  return { ...usage, output: output + (tokensOf(counts.reasoning) ?? 0) };
}

function toolPieces(part: JsonObject, id: string): { readonly call: Piece; readonly result: Piece } {
  const state = objectOf(part.state);
  const tool = textOf(part.tool);
  const args = state.input;
  const images = listOf(state.attachments).filter((item) => isImage(objectOf(item).mime)).length;
  const text = textOf(state.output) ?? textOf(state.error) ?? (state.status === 'completed' ? '' : null);
  const outcome = state.status === 'completed' ? 'success' : 'error';
  return {
    call: toolCallPiece({ id, tool, args }),
    result: toolResultPiece({ id, tool, text, outcome, args, images }),
  };
}

function isImage(mime: unknown): boolean {
  return typeof mime === 'string' && mime.startsWith('image/');
}

/** The requests of an assistant's message: each `step-finish` ends one. What follows the last has no usage of its own. */
function stepsOf(messageId: string, parts: readonly JsonObject[]): readonly StepParts[] {
  const steps: StepParts[] = [];
  let pieces: Piece[] = [];
  let results: Piece[] = [];
  let ends: (number | null)[] = [];
  let toolEnds: (number | null)[] = [];
  const finish = (part: JsonObject | null): void => {
    const id = textOf(part?.id) ?? `${messageId}-${steps.length + 1}`;
    steps.push({
      id,
      pieces,
      results,
      usage: opencodeUsage(part?.tokens),
      endMs: latestOf(ends),
      resultsMs: latestOf(toolEnds),
    });
    [pieces, results, ends, toolEnds] = [[], [], [], []];
  };
  for (const part of parts) {
    const time = objectOf(part.time);
    if (part.type === 'text' && textOf(part.text) !== null) {
      pieces.push({ kind: 'text', text: String(part.text) });
      ends.push(timeOf(time.end));
    } else if (part.type === 'reasoning') {
      pieces.push({ kind: 'thinking', text: textOf(part.text) });
      ends.push(timeOf(time.end));
    } else if (part.type === 'tool') {
      const spent = objectOf(objectOf(part.state).time);
      const { call, result } = toolPieces(
        part,
        textOf(part.callID) ?? textOf(part.id) ?? `${messageId}-tool-${results.length}`,
      );
      pieces.push(call);
      results.push(result);
      ends.push(timeOf(spent.start));
      toolEnds.push(timeOf(spent.end));
    } else if (part.type === 'step-finish') finish(part);
  }
  if (pieces.length > 0) finish(null);
  return steps;
}

/** The pieces of a message of the user; those of the client have another origin. */
function spokenPieces(parts: readonly JsonObject[]): {
  readonly pieces: readonly Piece[];
  readonly origin: 'human' | 'meta';
} {
  const used = parts.filter(({ ignored }) => ignored !== true);
  const pieces = used.flatMap((part): readonly Piece[] => {
    if (part.type === 'text') return textPieces(textOf(part.text));
    if (part.type !== 'file' || part.mime === 'text/plain' || part.mime === 'application/x-directory')
      return [];
    return [{ kind: isImage(part.mime) ? 'image' : 'document', text: null }];
  });
  const isTyped = used.some(({ type, synthetic }) => type === 'text' && synthetic !== true);
  return { pieces, origin: isTyped || pieces.length === 0 ? 'human' : 'meta' };
}

/** A compaction that was asked for and not done yet. */
interface Asked {
  readonly trigger: 'auto' | 'manual';
  /** The first message that stays, where the record says so. */
  readonly tailId: string | null;
}

/** Results that were emptied at a time. */
interface Pruning {
  readonly timeMs: number;
  readonly ids: string[];
}

/** Times at which results were emptied, in order; those of one sweep lie close together. */
function pruningsOf(messages: readonly JsonObject[]): Pruning[] {
  const SWEEP_MS = 1_000;
  const marks = messages
    .flatMap(({ parts }) => objectsOf(parts))
    .flatMap((part) => {
      const timeMs = timeOf(objectOf(objectOf(part.state).time).compacted);
      const id = textOf(part.callID) ?? textOf(part.id);
      return timeMs === null || id === null ? [] : [{ timeMs, id }];
    })
    .sort((a, b) => a.timeMs - b.timeMs);
  const prunings: Pruning[] = [];
  for (const { timeMs, id } of marks) {
    const last = prunings.at(-1);
    if (last !== undefined && timeMs - last.timeMs <= SWEEP_MS) last.ids.push(id);
    else prunings.push({ timeMs, ids: [id] });
  }
  return prunings;
}

/** Goes through the messages of one session. Summaries are requests of their own: each is a thread beside the conversation. */
class SessionReading {
  readonly main: ThreadDraft;
  readonly summaries: ThreadDraft[] = [];
  readonly #drafted: { readonly messageId: string; readonly ids: string[] }[] = [];
  #prunings: Pruning[] = [];
  #asked: Asked | null = null;

  constructor(id: string, parentId: string | null, label: string) {
    this.main = new ThreadDraft(id, parentId, label);
  }

  read(messages: readonly JsonObject[]): void {
    this.#prunings = pruningsOf(messages);
    for (const message of messages) {
      const info = objectOf(message.info);
      const time = objectOf(info.time);
      const createdMs = timeOf(time.created);
      this.#pruneBefore(createdMs);
      const id = textOf(info.id) ?? `message-${this.#drafted.length + 1}`;
      const ids: string[] = [];
      this.#drafted.push({ messageId: id, ids });
      if (info.role === 'user') this.#say(id, objectsOf(message.parts), createdMs, ids);
      else if (info.summary === true) this.#summarise(id, info, objectsOf(message.parts));
      else this.#respond(id, info, objectsOf(message.parts), ids);
    }
  }

  #pruneBefore(timeMs: number | null): void {
    while (timeMs !== null && this.#prunings.length > 0 && this.#prunings[0]!.timeMs <= timeMs) {
      const { timeMs: at, ids } = this.#prunings.shift()!;
      this.main.clear(at, ids);
    }
  }

  #say(id: string, parts: readonly JsonObject[], timeMs: number | null, ids: string[]): void {
    const compaction = parts.find(({ type }) => type === 'compaction');
    if (compaction !== undefined) {
      const trigger = compaction.auto === false ? 'manual' : 'auto';
      this.#asked = { trigger, tailId: textOf(compaction.tail_start_id) };
      return;
    }
    const said = this.main.say({ id, timeMs, ...spokenPieces(parts) });
    if (said !== null) ids.push(said.id);
  }

  #respond(messageId: string, info: JsonObject, parts: readonly JsonObject[], ids: string[]): void {
    const time = objectOf(info.time);
    let sentMs = timeOf(time.created);
    for (const step of this.#steps(messageId, info, parts)) {
      const call = this.main.respond({
        id: step.id,
        model: modelOf(info),
        sentMs,
        timeMs: step.endMs ?? timeOf(time.completed),
        pieces: step.pieces,
        usage: step.usage,
      });
      sentMs = null;
      if (call === null) continue;
      ids.push(call.message.id);
      const { resultsMs: timeMs, results: pieces } = step;
      const said = this.main.say({ id: `${step.id}-results`, timeMs, origin: 'tool', pieces });
      if (said !== null) ids.push(said.id);
    }
  }

  /** The requests of a message; one without steps was a single request, or failed before it was billed. */
  #steps(id: string, info: JsonObject, parts: readonly JsonObject[]): readonly StepParts[] {
    const steps = stepsOf(id, parts);
    if (steps.some(({ usage }) => usage !== null)) return steps;
    const usage = opencodeUsage(info.tokens);
    const last = steps.at(-1);
    if (last !== undefined) return [...steps.slice(0, -1), { ...last, usage }];
    if (usage === null) return [];
    return [{ id, pieces: [], results: [], usage, endMs: null, resultsMs: null }];
  }

  #summarise(id: string, info: JsonObject, parts: readonly JsonObject[]): void {
    const asked = this.#asked ?? { trigger: 'auto', tailId: null };
    this.#asked = null;
    const time = objectOf(info.time);
    const sentMs = timeOf(time.created);
    const timeMs = timeOf(time.completed);
    const steps = this.#steps(id, info, parts);
    const thread = this.main.summaryThread(`${this.main.id}-${id}`, 'compaction', sentMs);
    for (const { id: callId, pieces, usage } of steps)
      thread.respond({ id: callId, model: modelOf(info), sentMs, timeMs, pieces, usage });
    if (thread.calls > 0) this.summaries.push(thread);
    const summary = wordsOf(steps.flatMap(({ pieces }) => pieces).filter(({ kind }) => kind === 'text'));
    if (summary === '') return;
    this.main.compact({
      timeMs,
      trigger: asked.trigger,
      durationMs: sentMs === null || timeMs === null ? null : timeMs - sentMs,
      summary,
      keptIds: this.#tail(asked.tailId),
    });
  }

  #tail(tailId: string | null): readonly string[] {
    const from = tailId === null ? -1 : this.#drafted.findIndex(({ messageId }) => messageId === tailId);
    return from === -1 ? [] : this.#drafted.slice(from).flatMap(({ ids }) => ids);
  }
}

function modelOf(info: JsonObject): string {
  return textOf(info.modelID) ?? textOf(objectOf(info.model).modelID) ?? 'unknown';
}

/** A message as exports wrap it; one that stands alone has its parts inside, or none. */
function wrapped(record: JsonObject): JsonObject {
  return isObject(record.info) ? record : { info: record, parts: record.parts ?? [] };
}

/** The sessions of a file: exports with their messages, or messages alone. */
function sessionsOf(records: readonly JsonObject[]): readonly JsonObject[] {
  const exports = records.filter(({ messages }) => Array.isArray(messages));
  if (exports.length > 0) return exports;
  return [
    { info: {}, messages: records.filter((record) => textOf(objectOf(wrapped(record).info).role) !== null) },
  ];
}

function read({ id, records }: ReaderFile): Reading {
  const sessions = sessionsOf(records());
  const names = new Map(
    sessions.map(({ info }, i) => [textOf(objectOf(info).id), i === 0 ? id : null] as const),
  );
  const readings = sessions.map(({ info, messages }, i) => {
    const { id: own, parentID, title } = objectOf(info);
    const parent = textOf(parentID);
    const name = i === 0 ? id : (textOf(own) ?? `${id}-${i + 1}`);
    const parentId = parent === null || !names.has(parent) ? null : (names.get(parent) ?? parent);
    const reading = new SessionReading(name, parentId, textOf(title) ?? name);
    reading.read(objectsOf(messages).map(wrapped));
    return reading;
  });
  const threads = readings.flatMap(({ main, summaries }) => [main, ...summaries]);
  return {
    threads,
    carries: carriesKnownWrites(CARRIES, threads),
    agentVersion: textOf(objectOf(sessions[0]?.info).version),
  };
}

/** Sessions of opencode as `opencode export` writes them; a database and a storage folder are brought into that form. */
export const opencodeReader = defineReader({
  name: 'opencode',
  label: 'opencode session',
  carries: CARRIES,
  places: ['.local/share/opencode/opencode*.db', '.local/share/opencode/storage/session/*/ses_*.json'],
  detect: (head) => /"(?:id|sessionID)"\s*:\s*"ses_/.test(head),
  read,
});
