import { getOrMake } from '../../core/base/once.js';
import { allBut } from '../../core/run/capability.js';
import { promptRule, usageOf } from '../drafts/draft.js';
import type { Reading } from '../drafts/finish-recording.js';
import { type Piece, ThreadDraft } from '../drafts/thread-draft.js';
import {
  isObject,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  objectsOf,
  textOf,
  timeOf,
} from '../lines/narrow.js';
import { knownTokens, tokensOf } from '../lines/plausible.js';
import { textPieces, toolCallPiece, toolResultPiece } from './pieces.js';
import { defineReader, type ReaderFile } from './reader.js';

/** Usage of a compaction's own request, the only one that stays on disk. */
function compactionUsage(used: JsonObject) {
  const counts = {
    prompt: tokensOf(used.inputTokens) ?? tokensOf(used.input),
    read: tokensOf(used.cacheReadTokens) ?? tokensOf(used.cachedInput),
    written: tokensOf(used.cacheWriteTokens),
    output: tokensOf(used.outputTokens) ?? tokensOf(used.output),
  };
  return usageOf(counts, promptRule([counts]));
}

/** An event in its conversation. */
interface ThreadEvent {
  readonly thread: ThreadDraft;
  readonly id: string | null;
  readonly data: JsonObject;
  readonly timeMs: number | null;
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

  take(record: JsonObject): void {
    const id = textOf(record.id);
    if (record.ephemeral === true || (id !== null && this.#seen.has(id))) return;
    if (id !== null) this.#seen.add(id);
    const data = objectOf(record.data);
    const timeMs = timeOf(record.timestamp);
    const thread = this.#threadOf(data);
    const event = { thread, id, data, timeMs };
    switch (record.type) {
      case 'session.start':
      case 'session.resume':
        this.version ??= textOf(data.copilotVersion);
        this.#model = textOf(data.selectedModel) ?? this.#model;
        break;
      case 'session.model_change':
        this.#model = textOf(data.newModel) ?? this.#model;
        break;
      case 'user.message':
        this.#say(event);
        break;
      case 'assistant.turn_start':
        this.#sentMs.set(thread.id, timeMs);
        break;
      case 'assistant.message':
        this.#respond(event);
        break;
      case 'tool.execution_complete':
        this.#result(event);
        break;
      case 'session.compaction_start':
        this.#startedMs = timeMs;
        break;
      case 'session.compaction_complete':
        this.#compact(event);
        break;
      case 'session.truncation':
        thread.compact({
          timeMs,
          trigger: 'auto',
          preTokens: knownTokens(data.preTruncationTokensInMessages),
          postTokens: knownTokens(data.postTruncationTokensInMessages),
          summary: null,
        });
    }
  }

  /** The conversation of an event: what a tool started is a subagent of its own. */
  #threadOf({ parentToolCallId }: JsonObject): ThreadDraft {
    const name = textOf(parentToolCallId) ?? this.id;
    return getOrMake(this.#threads, name, () => new ThreadDraft(name, this.id));
  }

  #say({ thread, id, data, timeMs }: ThreadEvent): void {
    const images = listOf(data.attachments).filter(
      (item) => isObject(item) && textOf(item.mimeType)?.startsWith('image/') === true,
    );
    const pieces: readonly Piece[] = [
      ...textPieces(textOf(data.transformedContent) ?? textOf(data.content)),
      ...images.map((): Piece => ({ kind: 'image', text: null })),
    ];
    thread.say({ id, timeMs, origin: 'human', pieces });
  }

  #respond({ thread, id: own, data, timeMs }: ThreadEvent): void {
    const id = textOf(data.messageId) ?? own ?? `${thread.id}-${thread.calls + 1}`;
    const calls = objectsOf(data.toolRequests).map((call, i) => {
      const use = textOf(call.toolCallId) ?? `${id}-tool-${i + 1}`;
      const asked = { tool: textOf(call.name), args: call.arguments };
      this.#tools.set(use, asked);
      return toolCallPiece({ id: use, ...asked });
    });
    thread.respond({
      id,
      model: textOf(data.model) ?? this.#model,
      sentMs: this.#sentMs.get(thread.id) ?? null,
      timeMs,
      pieces: [...textPieces(textOf(data.content)), ...calls],
      usage: null,
    });
    this.#sentMs.delete(thread.id);
  }

  #result({ thread, id, data, timeMs }: ThreadEvent): void {
    const use = textOf(data.toolCallId);
    if (use === null) return;
    const { tool = null, args } = this.#tools.get(use) ?? {};
    const text = textOf(objectOf(data.result).content) ?? textOf(objectOf(data.error).message) ?? '';
    const outcome = data.success === false ? 'error' : 'success';
    const piece = toolResultPiece({ id: use, tool, text, outcome, args });
    thread.say({ id, timeMs, origin: 'tool', pieces: [piece] });
  }

  /** A compaction; its request is one beside the conversation. */
  #compact({ thread, id: own, data, timeMs }: ThreadEvent): void {
    const startedMs = this.#startedMs;
    this.#startedMs = null;
    const summary = textOf(data.summaryContent);
    const used = objectOf(data.compactionTokensUsed);
    const usage = compactionUsage(used);
    const spentMs = startedMs === null || timeMs === null ? null : timeMs - startedMs;
    if (usage !== null) {
      const id = own ?? `${thread.id}-compaction-${this.#summaries.length + 1}`;
      const beside = thread.summaryThread(id, 'compaction', startedMs ?? timeMs);
      const model = textOf(used.model) ?? this.#model;
      beside.respond({ id, model, sentMs: startedMs, timeMs, pieces: textPieces(summary), usage });
      this.#summaries.push(beside);
    }
    if (data.success === false) return;
    thread.compact({
      timeMs,
      trigger: data.trigger === 'manual' ? 'manual' : 'auto',
      preTokens: knownTokens(data.preCompactionTokens),
      postTokens: knownTokens(data.postCompactionTokens),
      durationMs: numberOf(used.duration) ?? spentMs,
      summary,
    });
  }
}

function read({ id, records, warnings }: ReaderFile): Reading {
  const reading = new EventsReading(id);
  for (const event of records()) reading.take(event);
  warnings.add(
    'usage-not-kept',
    'Copilot CLI keeps no usage of single requests on disk',
    'record with COPILOT_OTEL_FILE_EXPORTER_PATH and pass that file for usage and cost',
  );
  return { threads: reading.threads, agentVersion: reading.version };
}

/** Events of Copilot CLI: the conversation and its compactions, without usage. */
export const copilotCliReader = defineReader({
  name: 'copilot-cli',
  label: 'Copilot CLI session',
  carries: allBut('usage', 'lifetimes', 'cache-writes', 'output-tokens'),
  places: ['.copilot/session-state/*/events.jsonl'],
  detect: (head) =>
    /"type"\s*:\s*"(?:session\.(?:start|resume)|user\.message|assistant\.turn_start)"/.test(head) &&
    /"data"\s*:\s*\{/.test(head),
  read,
});
