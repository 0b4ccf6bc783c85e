import type { AnswerBlock } from '../answer.js';
import { namedEvent, pieces } from '../wire-api.js';

/** One server-sent event of the Messages API. */
interface MessageEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A summary that the API made itself. */
interface CompactionBlock {
  readonly type: 'compaction';
  readonly content: string | null;
  readonly encrypted_content: string | null;
}

type StreamedBlock = AnswerBlock | CompactionBlock;

/** A message as the plain answer has it. */
interface StreamedMessage {
  readonly content: readonly StreamedBlock[];
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly context_management?: unknown;
  readonly usage: Readonly<Record<string, unknown>> & { readonly output_tokens: number };
}

function* blockEvents(block: StreamedBlock, index: number): Generator<MessageEvent> {
  const delta = (value: object): MessageEvent => ({ type: 'content_block_delta', index, delta: value });
  const start = (value: object): MessageEvent => ({
    type: 'content_block_start',
    index,
    content_block: value,
  });
  switch (block.type) {
    case 'text':
      yield start({ type: 'text', text: '' });
      for (const text of pieces(block.text)) yield delta({ type: 'text_delta', text });
      break;
    case 'thinking':
      yield start({ type: 'thinking', thinking: '', signature: '' });
      for (const thinking of pieces(block.thinking)) yield delta({ type: 'thinking_delta', thinking });
      yield delta({ type: 'signature_delta', signature: block.signature });
      break;
    case 'tool_use':
      yield start({ type: 'tool_use', id: block.id, name: block.name, input: {} });
      for (const partial_json of pieces(JSON.stringify(block.input)))
        yield delta({ type: 'input_json_delta', partial_json });
      break;
    case 'compaction': {
      const { type: _type, ...rest } = block;
      yield start({ ...block, content: null, encrypted_content: null });
      yield delta({ type: 'compaction_delta', ...rest });
      break;
    }
  }
  yield { type: 'content_block_stop', index };
}

/** The events of a message, in the API's order. */
export function messageEvents(whole: StreamedMessage): readonly string[] {
  const { context_management: edits, content, stop_reason, stop_sequence, ...message } = whole;
  const { iterations, ...usage } = message.usage;
  const { output_tokens } = usage;
  const events: MessageEvent[] = [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: Math.min(1, output_tokens) },
      },
    },
    { type: 'ping' },
  ];
  for (const [index, block] of content.entries()) events.push(...blockEvents(block, index));
  events.push(
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence },
      usage: { output_tokens, ...(iterations === undefined ? {} : { iterations }) },
      ...(edits === undefined ? {} : { context_management: edits }),
    },
    { type: 'message_stop' },
  );
  return events.map((event) => namedEvent(event.type, event));
}
