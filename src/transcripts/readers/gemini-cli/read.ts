import type { Transcript } from '../../../core/model/transcript.js';
import type { Usage } from '../../../core/model/usage.js';
import { allBut } from '../../../core/run/capability.js';
import { createWarnings } from '../../../core/run/warning.js';
import { finishRecording } from '../../drafts/finish-recording.js';
import { type Piece, ThreadDraft } from '../../drafts/thread-draft.js';
import { parseRecords } from '../../lines/json-document.js';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../lines/narrow.js';
import { latestOf, timeOf } from '../../lines/time-of.js';
import { googleParts, googlePieces, googleResult } from '../google/parts.js';
import { googleUsage } from '../google/usage.js';
import type { ReadOptions, TranscriptReader } from '../reader.js';
import { toolCallPiece, toolResultPiece } from '../tool-pieces.js';
import { ChatHistory, type ChatStep } from './history.js';

const CARRIES = allBut('lifetimes', 'cache-writes', 'subagents', 'boundaries');

/** A tool's output is cut in the record from this size on (50 KiB). */
const CUT_CHARS = 51_200;

function usageOf({ tokens }: JsonObject): Usage | null {
  const counts = objectOf(tokens);
  return googleUsage({
    prompt: numberOf(counts.input),
    cached: numberOf(counts.cached),
    candidates: numberOf(counts.output),
    thoughts: numberOf(counts.thoughts),
    tool: numberOf(counts.tool),
    total: numberOf(counts.total),
  });
}

function toolCalls({ toolCalls: calls }: JsonObject): readonly JsonObject[] {
  return listOf(calls).filter(isObject);
}

/** A record that holds the tools of the response before it and nothing of its own. */
function isContinued(record: JsonObject): boolean {
  return record.content === '' && toolCalls(record).length > 0 && usageOf(record) === null;
}

function resultPieces(call: JsonObject, id: string): readonly Piece[] {
  const tool = textOf(call.name);
  const results = googleParts(call.result).flatMap((part): readonly Piece[] =>
    isObject(part) && isObject(part.functionResponse)
      ? [{ ...googleResult(part.functionResponse, id, call.args), toolUseId: id }]
      : googlePieces(part, id),
  );
  if (results.some(({ kind }) => kind === 'tool_result')) return results;
  const outcome = call.status === 'error' || call.status === 'cancelled' ? 'error' : 'success';
  const text = results.map((piece) => piece.text ?? '').join('');
  return [toolResultPiece({ id, tool, text: call.result == null ? null : text, outcome, args: call.args })];
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
    const origin = pieces.some(({ kind }) => kind === 'tool_result') ? 'tool' : 'human';
    this.draft.say({ id, timeMs: timeOf(record.timestamp), origin, pieces });
    this.#last.set(id, id);
  }

  #respond(id: string, records: readonly JsonObject[]): void {
    const [record] = records as readonly [JsonObject];
    const calls = records
      .flatMap(toolCalls)
      .map((call, i) => ({ call, id: textOf(call.id) ?? `${id}-tool-${i + 1}` }));
    const spoken = googlePieces(record.content, id).filter(({ kind }) => kind !== 'tool_use');
    const pieces = [
      ...spoken,
      ...calls.map(({ call, id: use }) =>
        toolCallPiece({ id: use, tool: textOf(call.name), args: call.args }),
      ),
    ];
    this.draft.respond({
      id,
      model: textOf(record.model) ?? 'unknown',
      timeMs: timeOf(record.timestamp),
      pieces,
      usage: usageOf(record),
      stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
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
    const text = added
      .flatMap(({ content }) => googlePieces(content, this.id))
      .map((piece) => piece.text ?? '')
      .join('\n');
    const kept = keptIds.flatMap((id) => {
      const last = this.#draftId(id);
      return last === null || last === `response-${id}` || last === id
        ? [last ?? id]
        : [`response-${id}`, last];
    });
    this.draft.compact({ timeMs: null, trigger: 'auto', summary: text === '' ? null : text, keptIds: kept });
  }
}

function read(bytes: Uint8Array, { id }: ReadOptions): Transcript {
  const warnings = createWarnings();
  const history = new ChatHistory();
  for (const record of parseRecords(bytes, { name: id, warnings })) history.take(record);
  const reading = new ChatReading(id);
  reading.read(history.steps);
  if (reading.cutResults > 0) {
    warnings.add(
      'results-cut',
      'Gemini CLI cuts outputs of tools at 50 KiB in its record',
      'the prompts are sized by the recorded usage all the same',
      reading.cutResults,
    );
  }
  return finishRecording({
    id,
    source: 'gemini-cli',
    label: 'a Gemini CLI chat',
    carries: CARRIES,
    agentVersion: null,
    threads: [reading.draft],
    warnings,
  });
}

/** Chats of Gemini CLI: one JSON document, or records one a line. */
export const geminiCliReader: TranscriptReader = {
  label: 'Gemini CLI chat',
  carries: CARRIES,
  places: ['.gemini/tmp/*/chats/**/*.json', '.gemini/tmp/*/chats/**/*.jsonl'],
  detect: (head) => /"projectHash"\s*:/.test(head) && /"sessionId"\s*:/.test(head),
  read,
};
