import type { ApiError } from '../../cache/api-error.js';
import { asList, asObject, asText, type JsonObject } from '../json-value.js';
import type { PromptDraft } from '../prompt-draft.js';
import { openAiError } from './openai-error.js';
import { readParts, readResult } from './openai-request.js';

/** An item of a response or of its input. */
export type ResponseItem = JsonObject;

/** The item that asks for the conversation so far as one compaction item. */
export const COMPACTION_TRIGGER = 'compaction_trigger';

/** What the trigger says, in words by which every API's requests for a summary are known. */
const TRIGGER_WORDS = 'Create a summary of the conversation.';

function invalid(message: string): ApiError {
  return openAiError(400, message, null, 'input');
}

/** The items of an input; a text is a message of the user. Null for anything else. */
export function inputItems(input: unknown): readonly unknown[] | null {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : asList(input);
}

/** Replaces references by the items that were stored; null for one that nobody knows. */
export function storedItem(
  item: ResponseItem,
  stored: { get(id: string): ResponseItem | undefined },
): ResponseItem | null {
  const isReference = item.type === 'item_reference' || (item.type === undefined && item.role === undefined);
  const isBare = item.type === 'reasoning' && item.encrypted_content == null;
  if (!isReference && !isBare) return item;
  return stored.get(asText(item.id) ?? '') ?? (isReference ? null : item);
}

function reasoningText(item: ResponseItem): string {
  const parts = [...(asList(item.summary) ?? []), ...(asList(item.content) ?? [])];
  return asText(item.encrypted_content) ?? parts.map((part) => asText(asObject(part)?.text) ?? '').join('');
}

function readMessage(draft: PromptDraft, item: ResponseItem, param: string): ApiError | null {
  const { role, content } = item;
  if (role === 'user' || role === 'assistant') return readParts(draft, role, content, param);
  if (role === 'system' || role === 'developer') return readParts(draft, 'system', content, param);
  return invalid(
    `Invalid value: '${String(role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
  );
}

/** Reads one item; calls of tools and what they gave back are known by their names and call ids. */
export function readItem(draft: PromptDraft, item: ResponseItem, param: string): ApiError | null {
  const type = asText(item.type) ?? 'message';
  const callId = asText(item.call_id);
  if (type === 'message') return readMessage(draft, item, `${param}.content`);
  if (type === 'reasoning') draft.thinking(reasoningText(item));
  else if (type === COMPACTION_TRIGGER) draft.sign(TRIGGER_WORDS);
  else if (type === 'compaction' || type === 'compaction_summary')
    draft.text('user', asText(item.encrypted_content) ?? '');
  else if (callId !== null && type.endsWith('_call_output')) readResult(draft, callId, item.output);
  else if (callId !== null && type.endsWith('_call')) {
    const input = asText(item.arguments) ?? asText(item.input) ?? JSON.stringify(item.action ?? {});
    draft.call(callId, asText(item.name) ?? type.slice(0, -'_call'.length), input);
  } else draft.other('user', item);
  return null;
}

/** What is wrong with the calls and results of an input; null when nothing is. */
export function checkCalls(draft: PromptDraft): ApiError | null {
  const { calls, results } = draft.unpaired();
  if (results.length > 0)
    return invalid(`No tool call found for function call output with call_id ${results[0]}.`);
  return calls.length === 0 ? null : invalid(`No tool output found for function call ${calls[0]}.`);
}
