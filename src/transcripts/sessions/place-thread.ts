import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import type { Step, Thread } from '../../core/model/transcript.js';

/** Where a thread goes among those of other sessions. */
export interface ThreadPlacement {
  readonly name: string;
  readonly offsetMs: number;
  /** Thread whose conversation it takes up. */
  readonly continues: string | null;
}

/** A thread as part of a session on the common clock; its names are its own, so that none appears twice. */
export function placeThread(thread: Thread, { name, offsetMs, continues }: ThreadPlacement): Thread {
  const own = (id: string): string => `${name}/${id}`;
  const block = (item: Block): Block =>
    item.toolUseId === null ? item : { ...item, toolUseId: own(item.toolUseId) };
  const message = (item: Message): Message => ({
    ...item,
    id: own(item.id),
    at: item.at + offsetMs,
    blocks: item.blocks.map(block),
    responseId: item.responseId === null ? null : own(item.responseId),
    attachedTo: item.attachedTo === null ? null : own(item.attachedTo),
  });
  const step = (item: Step): Step => {
    switch (item.kind) {
      case 'message':
        return { kind: 'message', message: message(item.message) };
      case 'event':
        return { kind: 'event', event: { ...item.event, at: item.event.at + offsetMs } };
      case 'call': {
        const { call } = item;
        return {
          kind: 'call',
          call: {
            ...call,
            id: own(call.id),
            startMs: call.startMs + offsetMs,
            endMs: call.endMs + offsetMs,
            response: message(call.response),
          },
        };
      }
    }
  };
  return {
    id: own(thread.id),
    parentId: thread.parentId === null ? null : own(thread.parentId),
    label: thread.label,
    prefix: thread.prefix,
    steps: thread.steps.map(step),
    session: name,
    ...(continues === null ? {} : { continues }),
    ...(thread.fork === undefined ? {} : { fork: { callId: own(thread.fork.callId) } }),
  };
}
