import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import type { SessionMemoryState } from './state.js';

/** The edits of an extraction reach the file; what they cover is taken over, and the fork comes to its end. */
export function* landExtraction(
  state: SessionMemoryState,
  path: string,
  nowMs: number,
): Generator<Action, void, Outcome> {
  const { running } = state;
  if (running === null || running.endMs > nowMs) return;
  state.running = null;
  state.notes = running.notes;
  state.lastSummarisedMessageId = running.lastMessageId;
  yield { kind: 'write-file', by: LANDED, path, text: running.notes.text };
  yield* running.close(nowMs);
}

const LANDED: Asker = { layer: 'session-memory', reason: 'the extraction has finished' };
