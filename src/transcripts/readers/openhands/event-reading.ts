import { type Piece, ThreadDraft } from '../../drafts/thread-draft.js';
import { type JsonObject, jsonOf, objectOf, textOf, textsOf } from '../../lines/narrow.js';
import { timeOf } from '../../lines/time-of.js';
import { anthropicPieces } from '../anthropic-pieces.js';
import { toolCallPiece, toolResultPiece } from '../tool-pieces.js';
import type { Metrics } from './metrics.js';

function textOfContent(content: unknown): string {
  return anthropicPieces(content ?? '', 'content')
    .map(({ text }) => text ?? '')
    .join('');
}

/** What a tool gave back, as the model reads it. */
function observed({ observation, error }: JsonObject): string {
  const given = objectOf(observation);
  const text = textOfContent(given.content) || textOfContent(given.output);
  return text || textOf(error) || (observation === undefined ? '' : jsonOf(observation));
}

function responsePieces(event: JsonObject): readonly Piece[] {
  const id = textOf(event.id) ?? 'event';
  const reasoning = textOf(event.reasoning_content);
  const thinking: readonly Piece[] = reasoning === null ? [] : [{ kind: 'thinking', text: reasoning }];
  if (event.kind !== 'ActionEvent') {
    return [...thinking, ...anthropicPieces(objectOf(event.llm_message).content ?? '', id)];
  }
  const call = objectOf(event.tool_call);
  const use = toolCallPiece({
    id: textOf(event.tool_call_id) ?? textOf(call.id) ?? id,
    tool: textOf(event.tool_name) ?? textOf(call.name),
    args: call.arguments ?? objectOf(call.function).arguments ?? event.action,
  });
  return [...thinking, ...anthropicPieces(event.thought ?? '', id), use];
}

/** Goes through the events of a conversation. Events of one response are one call; a condensation is one beside it. */
export class EventReading {
  readonly main: ThreadDraft;
  readonly summaries: ThreadDraft[] = [];
  /** Counted requests that have their place. */
  placed = 0;
  readonly #metrics: Metrics;
  readonly #named: string | null;
  readonly #seen = new Set<string>();
  readonly #draftIds = new Map<string, string>();

  constructor(id: string, metrics: Metrics, named: string | null) {
    this.main = new ThreadDraft(id);
    this.#metrics = metrics;
    this.#named = named;
  }

  read(events: readonly JsonObject[]): void {
    const byResponse = new Map<string, JsonObject[]>();
    const fresh = events.filter((event) => this.#isFresh(event));
    for (const event of fresh) {
      const id = responseId(event);
      if (id !== null) byResponse.set(id, [...(byResponse.get(id) ?? []), event]);
    }
    for (const event of fresh) {
      const timeMs = timeOf(event.timestamp);
      const id = responseId(event);
      if (event.kind === 'Condensation') this.#condense(event, timeMs);
      else if (id !== null) this.#respond(id, byResponse.get(id)!, event);
      else this.#say(event, timeMs);
    }
  }

  #isFresh({ id }: JsonObject): boolean {
    if (typeof id !== 'string') return true;
    if (this.#seen.has(id)) return false;
    this.#seen.add(id);
    return true;
  }

  #respond(id: string, events: readonly JsonObject[], event: JsonObject): void {
    if (events[0] !== event) return;
    const timeMs = timeOf(event.timestamp);
    const latencyMs = this.#metrics.latencyMs(id);
    const pieces = events.flatMap(responsePieces);
    const call = this.main.respond({
      id,
      model: this.#metrics.model(id) ?? this.#named ?? 'unknown',
      sentMs: timeMs === null || latencyMs === null ? null : Math.round(timeMs - latencyMs),
      timeMs,
      pieces,
      usage: this.#metrics.usage(id),
      stopReason: pieces.some(({ kind }) => kind === 'tool_use') ? 'tool_use' : 'end_turn',
    });
    if (this.#metrics.has(id)) this.placed++;
    for (const each of events) if (call !== null) this.#draftIds.set(String(each.id), call.message.id);
  }

  #say(event: JsonObject, timeMs: number | null): void {
    const id = textOf(event.id);
    const use = textOf(event.tool_call_id);
    if (event.kind === 'MessageEvent') {
      const pieces = anthropicPieces(objectOf(event.llm_message).content ?? '', id ?? 'message');
      this.main.say({ id, timeMs, origin: event.source === 'user' ? 'human' : 'meta', pieces });
    } else if (use !== null) {
      const tool = textOf(event.tool_name);
      const given = objectOf(event.observation);
      const isError = event.kind === 'AgentErrorEvent' || given.is_error === true;
      const result = toolResultPiece({
        id: use,
        tool,
        text: observed(event),
        outcome: isError ? 'error' : 'success',
      });
      this.main.say({ id, timeMs, origin: 'tool', pieces: [result] });
    } else return;
    if (id !== null) this.#draftIds.set(id, id);
  }

  #condense(event: JsonObject, timeMs: number | null): void {
    const forgotten = new Set(textsOf(event.forgotten_event_ids));
    const keptIds = [...this.#draftIds].filter(([id]) => !forgotten.has(id)).map(([, id]) => id);
    const summary = textOf(event.summary);
    const id = textOf(event.llm_response_id);
    if (id !== null && this.#metrics.has(id)) {
      const thread = new ThreadDraft(`${this.main.id}-${id}`, this.main.id, 'condensation');
      thread.say({ timeMs, origin: 'meta', pieces: [{ kind: 'text', text: null }] });
      const pieces: readonly Piece[] = summary === null ? [] : [{ kind: 'text', text: summary }];
      const model = this.#metrics.model(id) ?? this.#named ?? 'unknown';
      thread.respond({ id, model, timeMs, pieces, usage: this.#metrics.usage(id) });
      this.summaries.push(thread);
      this.placed++;
    }
    this.main.compact({ timeMs, trigger: 'auto', summary, keptIds: [...new Set(keptIds)] });
  }
}

function responseId(event: JsonObject): string | null {
  return event.kind === 'Condensation' ? null : textOf(event.llm_response_id);
}
