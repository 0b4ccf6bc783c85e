import type { AnswerBlock } from '../answer.js';
import { namedEvent, pieces } from '../wire-api.js';

/** One server-sent event of the Messages API. */
interface MessageEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** What a streamed message is made of. */
interface StreamedMessage {
  /** The message as the plain answer has it. */
  readonly message: Readonly<Record<string, unknown>> & { readonly usage: Readonly<Record<string, unknown>> };
  readonly content: readonly AnswerBlock[];
  readonly stopReason: string;
  readonly stopSequence: string | null;
  readonly outputTokens: number;
}

function* blockEvents(block: AnswerBlock, index: number): Generator<MessageEvent> {
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
  }
  yield { type: 'content_block_stop', index };
}

/** The events of a message, in the API's order. */
export function messageEvents(streamed: StreamedMessage): readonly string[] {
  const { message: whole, content, stopReason, stopSequence, outputTokens } = streamed;
  const { context_management: edits, ...message } = whole;
  const events: MessageEvent[] = [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...message.usage, output_tokens: Math.min(1, outputTokens) },
      },
    },
    { type: 'ping' },
  ];
  for (const [index, block] of content.entries()) events.push(...blockEvents(block, index));
  events.push(
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: stopSequence },
      usage: { output_tokens: outputTokens },
      ...(edits === undefined ? {} : { context_management: edits }),
    },
    { type: 'message_stop' },
  );
  return events.map((event) => namedEvent(event.type, event));
}
