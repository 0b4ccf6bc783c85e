import type { AnswerBlock } from '../answer.js';
import { asList, asObject, asText, type JsonObject } from '../api-request.js';
import type { PromptDraft } from '../prompt-draft.js';
import { namedEvent, pieces } from '../wire-api.js';
import { readParts, readResult, refuse } from './openai-request.js';

/** What decides how blocks become items. */
export interface ItemSettings {
  /** Kinds of the tools by their names. */
  readonly toolTypes: ReadonlyMap<string, string>;
  /** What is said becomes one compaction item. */
  readonly isCompaction: boolean;
}

function callItem(
  id: string,
  block: AnswerBlock & { readonly type: 'tool_use' },
  type: string | undefined,
): ResponseItem {
  const { name, input } = block;
  const call = { call_id: block.id, status: 'completed' };
  switch (type) {
    case 'custom':
      return {
        type: 'custom_tool_call',
        id: `ctc_${id}`,
        ...call,
        name,
        input: asText(input.input) ?? JSON.stringify(input),
      };
    case 'local_shell':
      return {
        type: 'local_shell_call',
        id: `lsh_${id}`,
        ...call,
        action: { type: 'exec', env: {}, ...input },
      };
    default:
      return { type: 'function_call', id: `fc_${id}`, ...call, name, arguments: JSON.stringify(input) };
  }
}

function itemOf(block: AnswerBlock, id: string, { toolTypes, isCompaction }: ItemSettings): ResponseItem {
  switch (block.type) {
    case 'text': {
      if (isCompaction) return { type: 'compaction', id: `cmp_${id}`, encrypted_content: block.text };
      const part = { type: 'output_text', text: block.text, annotations: [], logprobs: [] };
      return { type: 'message', id: `msg_${id}`, status: 'completed', role: 'assistant', content: [part] };
    }
    case 'thinking': {
      const summary = [{ type: 'summary_text', text: block.thinking }];
      return { type: 'reasoning', id: `rs_${id}`, summary, encrypted_content: block.thinking };
    }
    case 'tool_use':
      return callItem(id, block, toolTypes.get(block.name));
  }
}

/** The items of an answer with everything in them, as they are stored. */
export function outputItems(
  blocks: readonly AnswerBlock[],
  answerId: string,
  settings: ItemSettings,
): readonly ResponseItem[] {
  return blocks.map((block, i) => itemOf(block, `${answerId}_${i}`, settings));
}

/** The events of one item: it begins empty, is filled, and is told once more as a whole. */
function* itemEvents(item: ResponseItem, output_index: number): Generator<JsonObject> {
  const at = { item_id: item.id, output_index };
  const added = (empty: object): JsonObject => ({
    type: 'response.output_item.added',
    output_index,
    item: { ...item, ...(item.status === undefined ? {} : { status: 'in_progress' }), ...empty },
  });
  function* filled(name: string, field: string, text: string, place: object): Generator<JsonObject> {
    for (const delta of pieces(text)) yield { type: `response.${name}.delta`, ...at, ...place, delta };
    yield { type: `response.${name}.done`, ...at, ...place, [field]: text };
  }
  switch (item.type) {
    case 'message': {
      yield added({ content: [] });
      const place = { content_index: 0 };
      const part = asList(item.content)![0] as JsonObject;
      yield { type: 'response.content_part.added', ...at, ...place, part: { ...part, text: '' } };
      yield* filled('output_text', 'text', asText(part.text)!, { ...place, logprobs: [] });
      yield { type: 'response.content_part.done', ...at, ...place, part };
      break;
    }
    case 'reasoning':
      yield added({ summary: [] });
      for (const [summary_index, value] of asList(item.summary)!.entries()) {
        const part = value as JsonObject;
        yield {
          type: 'response.reasoning_summary_part.added',
          ...at,
          summary_index,
          part: { ...part, text: '' },
        };
        yield* filled('reasoning_summary_text', 'text', asText(part.text)!, { summary_index });
        yield { type: 'response.reasoning_summary_part.done', ...at, summary_index, part };
      }
      break;
    case 'function_call':
      yield added({ arguments: '' });
      yield* filled('function_call_arguments', 'arguments', asText(item.arguments)!, {});
      break;
    case 'custom_tool_call':
      yield added({ input: '' });
      yield* filled('custom_tool_call_input', 'input', asText(item.input)!, {});
      break;
    default:
      yield added({});
  }
  yield { type: 'response.output_item.done', output_index, item };
}

/** The events of a response, numbered in the API's order. */
export function responseEvents(
  response: JsonObject & { readonly output: readonly ResponseItem[]; readonly status: string },
): readonly string[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null, incomplete_details: null };
  const events: JsonObject[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
  ];
  for (const [index, item] of response.output.entries()) events.push(...itemEvents(item, index));
  events.push({ type: `response.${response.status}`, response });
  return events.map((event, sequence_number) =>
    namedEvent(asText(event.type)!, { ...event, sequence_number }),
  );
}

/** An item of a response or of its input. */
export type ResponseItem = JsonObject;

/** The item that asks for the conversation so far as one compaction item. */
export const COMPACTION_TRIGGER = 'compaction_trigger';

/** What the trigger says, in words by which every API's requests for a summary are known. */
const TRIGGER_WORDS = 'Create a summary of the conversation.';

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

function readMessage(draft: PromptDraft, item: ResponseItem, param: string): void {
  const { role, content } = item;
  if (role === 'user' || role === 'assistant') readParts(draft, role, content, param);
  else if (role === 'system' || role === 'developer') readParts(draft, 'system', content, param);
  else {
    const message = `Invalid value: '${String(role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`;
    refuse(message, null, 'input');
  }
}

/** Reads one item; calls of tools and what they gave back are known by their names and call ids. */
export function readItem(draft: PromptDraft, item: ResponseItem, param: string): void {
  const type = asText(item.type) ?? 'message';
  const callId = asText(item.call_id);
  if (type === 'message') readMessage(draft, item, `${param}.content`);
  else if (type === 'reasoning') draft.thinking(reasoningText(item));
  else if (type === COMPACTION_TRIGGER) draft.sign(TRIGGER_WORDS);
  else if (type === 'compaction' || type === 'compaction_summary')
    draft.text('user', asText(item.encrypted_content) ?? '');
  else if (callId !== null && type.endsWith('_call_output')) readResult(draft, callId, item.output);
  else if (callId !== null && type.endsWith('_call')) {
    const input = asText(item.arguments) ?? asText(item.input) ?? JSON.stringify(item.action ?? {});
    draft.call(callId, asText(item.name) ?? type.slice(0, -'_call'.length), input);
  } else draft.other('user', item);
}

/** Refuses an input with calls and results that do not belong together. */
export function checkCalls(draft: PromptDraft): void {
  const { calls, results } = draft.unpaired();
  if (results.length > 0)
    refuse(`No tool call found for function call output with call_id ${results[0]}.`, null, 'input');
  if (calls.length > 0) refuse(`No tool output found for function call ${calls[0]}.`, null, 'input');
}
