import { allBut } from '../../core/run/capability.js';
import { type Counts, promptRule, usageOf } from '../drafts/draft.js';
import { carriesKnownWrites, type Reading } from '../drafts/finish-recording.js';
import { type Piece, ThreadDraft } from '../drafts/thread-draft.js';
import { parseDocument } from '../lines/json-lines.js';
import { type JsonObject, objectOf, objectsOf, textOf, timeOf } from '../lines/narrow.js';
import { tokensOf } from '../lines/plausible.js';
import { anthropicPieces, toolCallPiece, toolResultPiece, wordsOf } from './pieces.js';
import { defineReader, type ReaderFile } from './reader.js';

const CARRIES = allBut('lifetimes', 'subagents', 'boundaries', 'latency');

function responseOf({ extra }: JsonObject): JsonObject {
  return objectOf(objectOf(extra).response);
}

/** The counts of a response, in the words of chat completions or of responses. */
function countsOf(message: JsonObject): Counts {
  const usage = objectOf(responseOf(message).usage);
  const details = objectOf(usage.prompt_tokens_details ?? usage.input_tokens_details);
  return {
    prompt: tokensOf(usage.prompt_tokens) ?? tokensOf(usage.input_tokens),
    read: tokensOf(details.cached_tokens) ?? tokensOf(usage.cache_read_input_tokens),
    written: tokensOf(usage.cache_creation_input_tokens) ?? tokensOf(details.cache_creation_tokens),
    output: tokensOf(usage.completion_tokens) ?? tokensOf(usage.output_tokens),
  };
}

function callPieces(message: JsonObject, id: string): readonly Piece[] {
  return objectsOf(message.tool_calls).map((call, i) => {
    const { name, arguments: args } = objectOf(call.function);
    return toolCallPiece({ id: textOf(call.id) ?? `${id}-tool-${i + 1}`, tool: textOf(name), args });
  });
}

/** When a message was there: the client's clock, else that of the response. */
function timeOfMessage(message: JsonObject): number | null {
  return timeOf(objectOf(message.extra).timestamp) ?? timeOf(responseOf(message).created);
}

function read(file: ReaderFile): Reading {
  const trajectory = objectOf(parseDocument(file.bytes, file));
  const info = objectOf(trajectory.info);
  const named = textOf(objectOf(objectOf(info.config).model).model_name);
  const messages = objectsOf(trajectory.messages);
  const rule = promptRule(messages.map(countsOf));
  const draft = new ThreadDraft(file.id);
  messages.forEach((message, i) => {
    const timeMs = timeOfMessage(message);
    const id = `message-${i + 1}`;
    const pieces = anthropicPieces(message.content ?? '', id);
    if (message.role === 'assistant')
      draft.respond({
        id: textOf(responseOf(message).id) ?? id,
        model: textOf(responseOf(message).model) ?? named ?? 'unknown',
        timeMs,
        pieces: [...pieces, ...callPieces(message, id)],
        usage: usageOf(countsOf(message), rule),
      });
    else if (message.role === 'tool') {
      const use = textOf(message.tool_call_id) ?? id;
      const result = toolResultPiece({ id: use, tool: null, text: wordsOf(pieces, ''), outcome: 'success' });
      draft.say({ id, timeMs, origin: 'tool', pieces: [result] });
    } else if (message.role === 'user')
      draft.say({ id, timeMs, origin: draft.calls === 0 ? 'human' : 'meta', pieces });
  });
  const threads = [draft];
  return { threads, carries: carriesKnownWrites(CARRIES, threads), agentVersion: textOf(info.mini_version) };
}

/** Trajectories of mini-swe-agent: messages with the provider's whole responses. */
export const miniSweAgentReader = defineReader({
  name: 'mini-swe-agent',
  label: 'mini-swe-agent trajectory',
  carries: CARRIES,
  detect: (head) =>
    /"trajectory_format"\s*:\s*"mini-swe-agent/.test(head) ||
    (/"mini_version"\s*:/.test(head) && /"model_stats"\s*:/.test(head)),
  read,
});
