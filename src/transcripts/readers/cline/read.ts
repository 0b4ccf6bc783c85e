import type { Transcript } from '../../../core/model/transcript.js';
import { allBut, less } from '../../../core/run/capability.js';
import { createWarnings, type WarningList } from '../../../core/run/warning.js';
import { finishRecording } from '../../drafts/finish-recording.js';
import { carriesKnownWrites } from '../../drafts/known-writes.js';
import { type Piece, ThreadDraft } from '../../drafts/thread-draft.js';
import { parseDocument, parseRecords } from '../../lines/json-document.js';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../lines/narrow.js';
import { anthropicPieces } from '../anthropic-pieces.js';
import type { ReadOptions, TranscriptReader } from '../reader.js';
import { inputRule, type UiRequest, uiRequests, usageOf } from './requests.js';

const CARRIES = allBut('lifetimes', 'subagents', 'latency');

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
function documentBeside(name: string, { beside, id }: ReadOptions, warnings: WarningList): unknown {
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
  for (const use of listOf(objectOf(metadata).model_usage).filter(isObject)) {
    const from = numberOf(use.ts);
    if (model === null || (from !== null && timeMs !== null && from <= timeMs))
      model = textOf(use.model_id) ?? model;
  }
  return model;
}

class TaskReading {
  readonly draft: ThreadDraft;
  readonly #rule: 'apart' | 'inside';
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
      usage: usageOf(request.counts, this.#rule),
      stopReason: pieces.some(({ kind }) => kind === 'tool_use') ? 'tool_use' : 'end_turn',
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
    const isResult = pieces.some(({ kind }) => kind === 'tool_result');
    const origin = isResult ? 'tool' : asked.length > 0 ? 'human' : 'meta';
    const said = this.draft.say({ id, timeMs: sentMs, origin, pieces });
    if (said !== null) this.#ids.push([index, said.id]);
  }
}

function read(bytes: Uint8Array, options: ReadOptions): Transcript {
  const { id } = options;
  const warnings = createWarnings();
  const requests = uiRequests(parseRecords(bytes, { name: id, warnings }));
  const history = documentBeside('api_conversation_history.json', options, warnings);
  const turns = turnsOf(listOf(history).filter(isObject));
  const reading = new TaskReading(id, requests, documentBeside('task_metadata.json', options, warnings));
  const missing = requests.length - turns.length;
  if (missing > 0) {
    warnings.add(
      'content-missing',
      'requests have no message in api_conversation_history.json beside the task',
      'their prompts are sized by the recorded usage; keep the files of a task together',
      missing,
    );
  }
  requests.forEach((request, i) => {
    reading.take(request, i + 1, turns[i - Math.max(0, missing)] ?? null);
  });
  const carries = turns.length === 0 ? less(CARRIES, ['text', 'tools']) : CARRIES;
  return finishRecording({
    id,
    source: 'cline',
    label: 'a Cline or Roo task',
    carries: carriesKnownWrites(carries, [reading.draft]),
    agentVersion: null,
    threads: [reading.draft],
    warnings,
  });
}

/** Tasks of Cline and Roo: `ui_messages.json`, with the conversation beside it. */
export const clineReader: TranscriptReader = {
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
};
