import type { Action, Asker, Outcome } from '../../model/action.js';
import type { SessionMemoryState } from './state.js';

/** Writes the notes of a finished extraction to their file and takes over what they cover. */
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
}

const LANDED: Asker = { layer: 'session-memory', reason: 'the extraction has finished' };
