import { foldsOf, readFold } from '../../agent/layers/collapse/fold.js';
import type { Message } from '../../core/model/message.js';
import type { LoopThread } from './loop-thread.js';

/**
 * The conversation with the fold that holds a message taken apart again from its file; as it stands where none does. Who goes
 * back into a folded prompt finds it as it was.
 */
export function unfolded(run: LoopThread, messageId: string | null): readonly Message[] {
  const { messages } = run.context;
  const folds = foldsOf(run.shared);
  const path = messageId === null ? null : folds.pathOf(messageId);
  const file = path === null ? null : run.env.files.read(path);
  if (path === null || file === null) return messages;
  const originals = new Map(readFold(file.text).map((message) => [message.id, message]));
  folds.remove(path);
  run.env.sink.write({
    type: 'notice',
    t: run.now,
    thread: run.thread.id,
    what: 'unfold',
    message: 'the user went back into a folded prompt: it is read back from its file',
    details: { path, messages: originals.size },
  });
  return messages.map((message) => originals.get(message.id) ?? message);
}
