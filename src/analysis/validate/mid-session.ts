import type { Thread } from '../../core/model/transcript.js';
import { EARLIER_HISTORY } from '../../transcripts/drafts/opening.js';

/** True when more came before the first request of a thread than system, tools and the messages at hand (K13). */
export function startsMidSession(thread: Thread): boolean {
  const first = thread.steps[0];
  return first?.kind === 'message' && first.message.blocks[0]?.facts.attachment === EARLIER_HISTORY;
}
