import { addTo } from '../../core/base/groups.js';
import type { Usage } from '../../core/model/usage.js';
import { allBut } from '../../core/run/capability.js';
import { type Counts, type PromptRule, promptRule, usageOf } from '../drafts/draft.js';
import { carriesKnownWrites, type Reading } from '../drafts/finish-recording.js';
import { type Piece, ThreadDraft } from '../drafts/thread-draft.js';
import {
  isObject,
  type JsonObject,
  jsonOf,
  numberOf,
  objectOf,
  objectsOf,
  textOf,
  textsOf,
  timeOf,
} from '../lines/narrow.js';
import { tokensOf } from '../lines/plausible.js';
import { anthropicPieces, textPieces, toolCallPiece, toolResultPiece, wordsOf } from './pieces.js';
import { defineReader, type ReaderFile } from './reader.js';

const CARRIES = allBut('lifetimes');

/** Counts per request, wherever a record holds them; a request is known by the id of its response. */
class Metrics {
  readonly counts = new Map<string, Counts>();
  readonly models = new Map<string, string>();
  readonly latencies = new Map<string, number>();
  #rule: PromptRule | null = null;

  /** Takes what a state or an event says. */
  take(record: JsonObject): void {
    const byUse = Object.values(objectOf(objectOf(record.stats).usage_to_metrics ?? record.usage_to_metrics));
    for (const metrics of [...byUse, record.metrics, record.llm_metrics])
      if (isObject(metrics)) this.#add(metrics);
  }

  #add(metrics: JsonObject): void {
    const named = textOf(metrics.model_name);
    for (const usage of objectsOf(metrics.token_usages)) {
      const id = textOf(usage.response_id);
      if (id === null) continue;
      this.#rule = null;
      this.counts.set(id, {
        prompt: tokensOf(usage.prompt_tokens),
        read: tokensOf(usage.cache_read_tokens),
        written: tokensOf(usage.cache_write_tokens),
        output: tokensOf(usage.completion_tokens),
      });
      const model = textOf(usage.model) ?? named;
      if (model !== null) this.models.set(id, model);
    }
    for (const each of objectsOf(metrics.response_latencies)) {
      const id = textOf(each.response_id);
      const seconds = numberOf(each.latency);
      if (id !== null && seconds !== null) this.latencies.set(id, seconds * 1_000);
    }
  }

  /** What was billed for a request; null if it is not known. */
  usage(id: string): Usage | null {
    this.#rule ??= promptRule([...this.counts.values()]);
    const counts = this.counts.get(id);
    return counts === undefined ? null : usageOf(counts, this.#rule);
  }
}

function textOfContent(content: unknown): string {
  return wordsOf(anthropicPieces(content ?? '', 'content'), '');
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

function responseId(event: JsonObject): string | null {
  return event.kind === 'Condensation' ? null : textOf(event.llm_response_id);
}

/** Goes through the events of a conversation. Events of one response are one call; a condensation is one beside it. */
class EventReading {
  readonly main: ThreadDraft;
  readonly summaries: ThreadDraft[] = [];
  /** Counted requests that have their place. */
  placed = 0;
  readonly #seen = new Set<string>();
  readonly #draftIds = new Map<string, string>();

  constructor(
    id: string,
    private readonly metrics: Metrics,
    private readonly named: string | null,
  ) {
    this.main = new ThreadDraft(id);
  }

  read(events: readonly JsonObject[]): void {
    const byResponse = new Map<string, JsonObject[]>();
    const fresh = events.filter((event) => this.#isFresh(event));
    for (const event of fresh) {
      const id = responseId(event);
      if (id !== null) addTo(byResponse, id, event);
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

  /** What the counts tell of a request. */
  #counted(id: string) {
    if (this.metrics.counts.has(id)) this.placed++;
    const model = this.metrics.models.get(id) ?? this.named ?? 'unknown';
    return { id, model, usage: this.metrics.usage(id) };
  }

  #respond(id: string, events: readonly JsonObject[], event: JsonObject): void {
    if (events[0] !== event) return;
    const timeMs = timeOf(event.timestamp);
    const latencyMs = this.metrics.latencies.get(id);
    const call = this.main.respond({
      ...this.#counted(id),
      sentMs: timeMs === null || latencyMs === undefined ? null : Math.round(timeMs - latencyMs),
      timeMs,
      pieces: events.flatMap(responsePieces),
    });
    for (const each of events) if (call !== null) this.#draftIds.set(textOf(each.id) ?? '', call.message.id);
  }

  #say(event: JsonObject, timeMs: number | null): void {
    const id = textOf(event.id);
    const use = textOf(event.tool_call_id);
    if (event.kind === 'MessageEvent') {
      const pieces = anthropicPieces(objectOf(event.llm_message).content ?? '', id ?? 'message');
      this.main.say({ id, timeMs, origin: event.source === 'user' ? 'human' : 'meta', pieces });
    } else if (use !== null) {
      const isError = event.kind === 'AgentErrorEvent' || objectOf(event.observation).is_error === true;
      const result = toolResultPiece({
        id: use,
        tool: textOf(event.tool_name),
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
    if (id !== null && this.metrics.counts.has(id)) {
      const thread = this.main.summaryThread(`${this.main.id}-${id}`, 'condensation', timeMs);
      thread.respond({ ...this.#counted(id), timeMs, pieces: textPieces(summary) });
      this.summaries.push(thread);
    }
    this.main.compact({ timeMs, trigger: 'auto', summary, keptIds: [...new Set(keptIds)] });
  }
}

function read({ id, records: readRecords, warnings }: ReaderFile): Reading {
  const records = readRecords();
  const metrics = new Metrics();
  const events: JsonObject[] = [];
  let agentVersion: string | null = null;
  for (const record of records) {
    metrics.take(record);
    agentVersion ??= textOf(record.sdk_version) ?? textOf(record.version);
    const held = objectsOf(record.events ?? record.history);
    for (const event of held) metrics.take(event);
    events.push(...(held.length > 0 ? held : textOf(record.kind) === null ? [] : [record]));
  }
  const reading = new EventReading(id, metrics, textOf(objectOf(objectOf(records[0]?.agent).llm).model));
  reading.read(events);
  warnings.add(
    'calls-without-event',
    'requests were counted that no event belongs to',
    'they are missing from the replay and from the totals',
    Math.max(0, metrics.counts.size - reading.placed),
  );
  const threads = [reading.main, ...reading.summaries];
  return { threads, carries: carriesKnownWrites(CARRIES, threads), agentVersion };
}

/** Conversations of OpenHands: the state with its counts, and the events; or events that carry the counts. */
export const openhandsReader = defineReader({
  name: 'openhands',
  label: 'OpenHands conversation',
  carries: CARRIES,
  places: ['.openhands/conversations/*/base_state.json'],
  detect: (head) =>
    /"(?:usage_to_metrics|token_usages)"\s*:/.test(head) ||
    /"kind"\s*:\s*"(?:ActionEvent|MessageEvent|SystemPromptEvent|ObservationEvent|ConversationStateUpdateEvent)"/.test(
      head,
    ),
  read,
});
