import type { Message } from '../../core/model/message.js';
import type { RecordedCall } from '../../core/model/transcript.js';

/** The recorded response as it is answered in this run. */
export function answeredMessage(
  call: RecordedCall,
  usage: NonNullable<Message['usage']>,
  at: number,
): Message {
  const { id, role, origin, blocks, attachedTo } = call.response;
  return { id, role, origin, blocks, at, responseId: call.id, usage, attachedTo };
}
