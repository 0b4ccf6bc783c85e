import { type Block, createBlock } from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';

const MISSING_RESULT = '[no result: the call was interrupted]';
const LEADING_MARKER = '[the conversation continues from here]';
const GO_ON = 'Continue from where you left off.';

function marker(id: string, blocks: readonly Block[], at: number): Message {
  return createMessage({ id, role: 'user', origin: 'marker', blocks, at });
}

function textMarker(id: string, text: string, at: number): Message {
  return marker(id, [createBlock({ kind: 'text', role: 'user', tokens: 9, text })], at);
}

/** Answers calls without a result (FLT-4); `index` is the message's place. */
export function missingResults(index: number, toolUseIds: readonly string[], at: number): Message {
  const blocks = toolUseIds.map((toolUseId) =>
    createBlock({ kind: 'tool_result', role: 'user', tokens: 12, text: MISSING_RESULT, toolUseId }),
  );
  return marker(`repair-${index}`, blocks, at);
}

/** Stands in front of a conversation that begins with the assistant, or that holds nothing (FLT-4). */
export function leadingMarker(index: number, at: number): Message {
  return textMarker(`lead-${index}`, LEADING_MARKER, at);
}

/** What a client says where nothing else stands between two responses (FLT-4). */
export function goOn(index: number, at: number): Message {
  return textMarker(`go-on-${index}`, GO_ON, at);
}
