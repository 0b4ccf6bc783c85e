import type { Transcript } from '../../../core/model/transcript.js';
import { allBut } from '../../../core/run/capability.js';
import { createWarnings } from '../../../core/run/warning.js';
import { finishRecording } from '../../drafts/finish-recording.js';
import { carriesKnownWrites } from '../../drafts/known-writes.js';
import { type Piece, ThreadDraft } from '../../drafts/thread-draft.js';
import { parseDocument } from '../../lines/json-document.js';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../lines/narrow.js';
import { timeOf } from '../../lines/time-of.js';
import { anthropicPieces } from '../anthropic-pieces.js';
import { litellmUsage, type PromptCounts, promptRule } from '../litellm-usage.js';
import type { ReadOptions, TranscriptReader } from '../reader.js';
import { toolCallPiece, toolResultPiece } from '../tool-pieces.js';

const CARRIES = allBut('lifetimes', 'subagents', 'boundaries', 'latency');

function responseOf({ extra }: JsonObject): JsonObject {
  return objectOf(objectOf(extra).response);
}

/** The counts of a response, in the words of chat completions or of responses. */
function countsOf(message: JsonObject): PromptCounts {
  const usage = objectOf(responseOf(message).usage);
  const details = objectOf(usage.prompt_tokens_details ?? usage.input_tokens_details);
  return {
    prompt: numberOf(usage.prompt_tokens) ?? numberOf(usage.input_tokens),
    read: numberOf(details.cached_tokens) ?? numberOf(usage.cache_read_input_tokens),
    written: numberOf(usage.cache_creation_input_tokens) ?? numberOf(details.cache_creation_tokens),
    output: numberOf(usage.completion_tokens) ?? numberOf(usage.output_tokens),
  };
}

function callPieces(message: JsonObject, id: string): readonly Piece[] {
  const calls = listOf(message.tool_calls)
    .filter(isObject)
    .map((call, i) => {
      const { name, arguments: args } = objectOf(call.function);
      return toolCallPiece({ id: textOf(call.id) ?? `${id}-tool-${i + 1}`, tool: textOf(name), args });
    });
  return [...anthropicPieces(message.content ?? '', id), ...calls];
}

/** When a message was there: the client's clock, else that of the response. */
function timeOfMessage(message: JsonObject): number | null {
  return timeOf(objectOf(message.extra).timestamp) ?? timeOf(responseOf(message).created);
}

function read(bytes: Uint8Array, { id }: ReadOptions): Transcript {
  const warnings = createWarnings();
  const trajectory = objectOf(parseDocument(bytes, { name: id, warnings }));
  const info = objectOf(trajectory.info);
  const named = textOf(objectOf(objectOf(info.config).model).model_name);
  const messages = listOf(trajectory.messages).filter(isObject);
  const rule = promptRule(messages.map(countsOf));
  const draft = new ThreadDraft(id);
  messages.forEach((message, i) => {
    const timeMs = timeOfMessage(message);
    const own = `message-${i + 1}`;
    if (message.role === 'assistant') {
      const pieces = callPieces(message, own);
      draft.respond({
        id: textOf(responseOf(message).id) ?? own,
        model: textOf(responseOf(message).model) ?? named ?? 'unknown',
        timeMs,
        pieces,
        usage: litellmUsage(countsOf(message), rule),
        stopReason: pieces.some(({ kind }) => kind === 'tool_use') ? 'tool_use' : 'end_turn',
      });
    } else if (message.role === 'tool') {
      const text = anthropicPieces(message.content ?? '', own)
        .map((piece) => piece.text ?? '')
        .join('');
      const result = toolResultPiece({
        id: textOf(message.tool_call_id) ?? own,
        tool: null,
        text,
        outcome: 'success',
      });
      draft.say({ id: own, timeMs, origin: 'tool', pieces: [result] });
    } else if (message.role === 'user') {
      const origin = draft.calls === 0 ? 'human' : 'meta';
      draft.say({ id: own, timeMs, origin, pieces: anthropicPieces(message.content ?? '', own) });
    }
  });
  return finishRecording({
    id,
    source: 'mini-swe-agent',
    label: 'a mini-swe-agent trajectory',
    carries: carriesKnownWrites(CARRIES, [draft]),
    agentVersion: textOf(info.mini_version),
    threads: [draft],
    warnings,
  });
}

/** Trajectories of mini-swe-agent: messages with the provider's whole responses. */
export const miniSweAgentReader: TranscriptReader = {
  label: 'mini-swe-agent trajectory',
  carries: CARRIES,
  detect: (head) =>
    /"trajectory_format"\s*:\s*"mini-swe-agent/.test(head) ||
    (/"mini_version"\s*:/.test(head) && /"model_stats"\s*:/.test(head)),
  read,
};
