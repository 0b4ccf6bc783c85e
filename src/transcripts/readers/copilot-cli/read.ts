import type { Transcript } from '../../../core/model/transcript.js';
import { allBut } from '../../../core/run/capability.js';
import { createWarnings } from '../../../core/run/warning.js';
import { finishRecording } from '../../drafts/finish-recording.js';
import { type Piece, ThreadDraft } from '../../drafts/thread-draft.js';
import { parseRecords } from '../../lines/json-document.js';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../lines/narrow.js';
import { timeOf } from '../../lines/time-of.js';
import { litellmUsage, promptRule } from '../litellm-usage.js';
import type { ReadOptions, TranscriptReader } from '../reader.js';
import { toolCallPiece, toolResultPiece } from '../tool-pieces.js';

const CARRIES = allBut('usage', 'lifetimes', 'cache-writes', 'output-tokens');

/** Usage of a compaction's own request, the only one that stays on disk. */
function compactionUsage(used: JsonObject) {
  const counts = {
    prompt: numberOf(used.inputTokens) ?? numberOf(used.input),
    read: numberOf(used.cacheReadTokens) ?? numberOf(used.cachedInput),
    written: numberOf(used.cacheWriteTokens),
    output: numberOf(used.outputTokens) ?? numberOf(used.output),
  };
  return litellmUsage(counts, promptRule([counts]));
}

class EventsReading {
  readonly #threads = new Map<string, ThreadDraft>();
  readonly #summaries: ThreadDraft[] = [];
  readonly #tools = new Map<string, { readonly tool: string | null; readonly args: unknown }>();
  readonly #seen = new Set<string>();
  readonly #sentMs = new Map<string, number | null>();
  #model = 'unknown';
  #startedMs: number | null = null;
  version: string | null = null;

  constructor(readonly id: string) {
    this.#threads.set(id, new ThreadDraft(id));
  }

  get threads(): readonly ThreadDraft[] {
    return [...this.#threads.values(), ...this.#summaries];
  }

  take(event: JsonObject): void {
    const own = textOf(event.id);
    if (event.ephemeral === true || (own !== null && this.#seen.has(own))) return;
    if (own !== null) this.#seen.add(own);
    const data = objectOf(event.data);
    const timeMs = timeOf(event.timestamp);
    const thread = this.#threadOf(data);
    switch (event.type) {
      case 'session.start':
      case 'session.resume':
        this.version ??= textOf(data.copilotVersion);
        this.#model = textOf(data.selectedModel) ?? this.#model;
        break;
      case 'session.model_change':
        this.#model = textOf(data.newModel) ?? this.#model;
        break;
      case 'user.message':
        this.#say(thread, own, data, timeMs);
        break;
      case 'assistant.turn_start':
        this.#sentMs.set(thread.id, timeMs);
        break;
      case 'assistant.message':
        this.#respond(thread, own, data, timeMs);
        break;
      case 'tool.execution_complete':
        this.#result(thread, own, data, timeMs);
        break;
      case 'session.compaction_start':
        this.#startedMs = timeMs;
        break;
      case 'session.compaction_complete':
        this.#compact(thread, own, data, timeMs);
        break;
      case 'session.truncation':
        thread.compact({
          timeMs,
          trigger: 'auto',
          preTokens: numberOf(data.preTruncationTokensInMessages),
          postTokens: numberOf(data.postTruncationTokensInMessages),
          summary: null,
        });
    }
  }

  /** The conversation of an event: what a tool started is a subagent of its own. */
  #threadOf({ parentToolCallId }: JsonObject): ThreadDraft {
    const agent = textOf(parentToolCallId);
    const name = agent ?? this.id;
    const known = this.#threads.get(name);
    if (known !== undefined) return known;
    const thread = new ThreadDraft(name, this.id);
    this.#threads.set(name, thread);
    return thread;
  }

  #say(thread: ThreadDraft, id: string | null, data: JsonObject, timeMs: number | null): void {
    const text = textOf(data.transformedContent) ?? textOf(data.content);
    const images = listOf(data.attachments).filter(
      (item) => isObject(item) && textOf(item.mimeType)?.startsWith('image/') === true,
    );
    const pieces: readonly Piece[] = [
      ...(text === null ? [] : [{ kind: 'text', text } as const]),
      ...images.map((): Piece => ({ kind: 'image', text: null })),
    ];
    thread.say({ id, timeMs, origin: 'human', pieces });
  }

  #respond(thread: ThreadDraft, own: string | null, data: JsonObject, timeMs: number | null): void {
    const id = textOf(data.messageId) ?? own ?? `${thread.id}-${thread.calls + 1}`;
    const text = textOf(data.content);
    const calls = listOf(data.toolRequests).filter(isObject);
    const pieces: Piece[] = text === null ? [] : [{ kind: 'text', text }];
    calls.forEach((call, i) => {
      const use = textOf(call.toolCallId) ?? `${id}-tool-${i + 1}`;
      const tool = textOf(call.name);
      this.#tools.set(use, { tool, args: call.arguments });
      pieces.push(toolCallPiece({ id: use, tool, args: call.arguments }));
    });
    thread.respond({
      id,
      model: textOf(data.model) ?? this.#model,
      sentMs: this.#sentMs.get(thread.id) ?? null,
      timeMs,
      pieces,
      usage: null,
      stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
    });
    this.#sentMs.delete(thread.id);
  }

  #result(thread: ThreadDraft, id: string | null, data: JsonObject, timeMs: number | null): void {
    const use = textOf(data.toolCallId);
    if (use === null) return;
    const call = this.#tools.get(use);
    const text = textOf(objectOf(data.result).content) ?? textOf(objectOf(data.error).message) ?? '';
    const outcome = data.success === false ? 'error' : 'success';
    const piece = toolResultPiece({ id: use, tool: call?.tool ?? null, text, outcome, args: call?.args });
    thread.say({ id, timeMs, origin: 'tool', pieces: [piece] });
  }

  #compact(thread: ThreadDraft, own: string | null, data: JsonObject, timeMs: number | null): void {
    const startedMs = this.#startedMs;
    this.#startedMs = null;
    const summary = textOf(data.summaryContent);
    const used = objectOf(data.compactionTokensUsed);
    const usage = compactionUsage(used);
    const spentMs = startedMs === null || timeMs === null ? null : timeMs - startedMs;
    if (usage !== null)
      this.#summarise(thread, { own, model: textOf(used.model), startedMs, timeMs, summary, usage });
    if (data.success === false) return;
    thread.compact({
      timeMs,
      trigger: data.trigger === 'manual' ? 'manual' : 'auto',
      preTokens: numberOf(data.preCompactionTokens),
      postTokens: numberOf(data.postCompactionTokens),
      durationMs: numberOf(used.duration) ?? spentMs,
      summary,
    });
  }

  /** The request of a compaction is one beside the conversation. */
  #summarise(
    thread: ThreadDraft,
    done: {
      readonly own: string | null;
      readonly model: string | null;
      readonly startedMs: number | null;
      readonly timeMs: number | null;
      readonly summary: string | null;
      readonly usage: ReturnType<typeof compactionUsage>;
    },
  ): void {
    const { own, model, startedMs, timeMs, summary, usage } = done;
    const id = own ?? `${thread.id}-compaction-${this.#summaries.length + 1}`;
    const beside = new ThreadDraft(id, thread.id, 'compaction');
    beside.say({ timeMs: startedMs ?? timeMs, origin: 'meta', pieces: [{ kind: 'text', text: null }] });
    const pieces: readonly Piece[] = summary === null ? [] : [{ kind: 'text', text: summary }];
    beside.respond({ id, model: model ?? this.#model, sentMs: startedMs, timeMs, pieces, usage });
    this.#summaries.push(beside);
  }
}

function read(bytes: Uint8Array, { id }: ReadOptions): Transcript {
  const warnings = createWarnings();
  const reading = new EventsReading(id);
  for (const event of parseRecords(bytes, { name: id, warnings })) reading.take(event);
  warnings.add(
    'usage-not-kept',
    'Copilot CLI keeps no usage of single requests on disk',
    'record with COPILOT_OTEL_FILE_EXPORTER_PATH and pass that file for usage and cost',
  );
  return finishRecording({
    id,
    source: 'copilot-cli',
    label: 'a Copilot CLI session',
    carries: CARRIES,
    agentVersion: reading.version,
    threads: reading.threads,
    warnings,
  });
}

/** Events of Copilot CLI: the conversation and its compactions, without usage. */
export const copilotCliReader: TranscriptReader = {
  label: 'Copilot CLI session',
  carries: CARRIES,
  places: ['.copilot/session-state/*/events.jsonl'],
  detect: (head) =>
    /"type"\s*:\s*"(?:session\.(?:start|resume)|user\.message|assistant\.turn_start)"/.test(head) &&
    /"data"\s*:\s*\{/.test(head),
  read,
};
