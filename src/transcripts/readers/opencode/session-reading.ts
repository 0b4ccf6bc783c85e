import { ThreadDraft } from '../../drafts/thread-draft.js';
import { type JsonObject, objectOf, textOf } from '../../lines/narrow.js';
import { timeOf } from '../../lines/time-of.js';
import { opencodeUsage, partsOf, type StepParts, spokenPieces, stepsOf } from './parts.js';

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
    .flatMap(({ parts }) => partsOf(parts))
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
export class SessionReading {
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
      if (info.role === 'user') this.#say(id, partsOf(message.parts), createdMs, ids);
      else if (info.summary === true) this.#summarise(id, info, partsOf(message.parts));
      else this.#respond(id, info, partsOf(message.parts), ids);
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
        stopReason: step.stopReason,
      });
      sentMs = null;
      if (call === null) continue;
      ids.push(call.message.id);
      const results = {
        id: `${step.id}-results`,
        timeMs: step.resultsMs,
        origin: 'tool',
        pieces: step.results,
      } as const;
      const said = this.main.say(results);
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
    return [{ id, pieces: [], results: [], usage, stopReason: 'end_turn', endMs: null, resultsMs: null }];
  }

  #summarise(id: string, info: JsonObject, parts: readonly JsonObject[]): void {
    const asked = this.#asked ?? { trigger: 'auto', tailId: null };
    this.#asked = null;
    const time = objectOf(info.time);
    const sentMs = timeOf(time.created);
    const timeMs = timeOf(time.completed);
    const steps = this.#steps(id, info, parts);
    const thread = new ThreadDraft(`${this.main.id}-${id}`, this.main.id, 'compaction');
    thread.say({ timeMs: sentMs, origin: 'meta', pieces: [{ kind: 'text', text: null }] });
    for (const { id: callId, pieces, usage, stopReason } of steps)
      thread.respond({ id: callId, model: modelOf(info), sentMs, timeMs, pieces, usage, stopReason });
    if (thread.calls > 0) this.summaries.push(thread);
    const summary = steps
      .flatMap(({ pieces }) => pieces)
      .filter(({ kind }) => kind === 'text')
      .map(({ text }) => text ?? '')
      .join('\n');
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
