import type { StoredFile } from '../../../core/base/files.js';
import { entryOf } from '../../../core/base/once.js';
import { type Notes, notesFromText } from '../../../core/model/notes.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import type { ParamValues } from '../../../core/run/params.js';
import { layerParams, param } from '../support/param-reader.js';

/** Parameters of session memory (SES). */
export const SESSION_MEMORY_PARAMS = layerParams('session-memory');

/** Limits of the notes themselves (SES-4). */
export interface NotesLimits {
  readonly sectionTokens: number;
  readonly totalTokens: number;
}

/** How much of the conversation a compaction from notes keeps (SES-6). */
export interface KeepLimits {
  readonly minTokens: number;
  readonly minMessages: number;
  readonly maxTokens: number;
}

/** The limits of the notes, from the parameters. */
export function notesLimits(params: ParamValues): NotesLimits {
  return {
    sectionTokens: param.number(params, 'sessionMemory.sectionTokens'),
    totalTokens: param.number(params, 'sessionMemory.totalTokens'),
  };
}

/** The limits of the kept tail, from the parameters. */
export function keepLimits(params: ParamValues): KeepLimits {
  return {
    minTokens: param.number(params, 'sessionMemory.keepMinTokens'),
    minMessages: param.number(params, 'sessionMemory.keepMinMessages'),
    maxTokens: param.number(params, 'sessionMemory.keepMaxTokens'),
  };
}

/** An extraction that was started; its notes are there once its time has come. */
export interface Extraction {
  readonly startMs: number;
  readonly endMs: number;
  readonly notes: Notes;
  readonly lastMessageId: string;
  /** The short request with the results of the edits, sent when they are in the file (SES-3). */
  close(nowMs: number): Generator<Action, void, Outcome>;
}

/** What the extraction and the compaction from notes know together about one thread. */
export interface SessionMemoryState {
  /** The notes that are on disk; null before the first, and after a restart of the process. */
  notes: Notes | null;
  /** Latest message the notes cover; null when unknown. */
  lastSummarisedMessageId: string | null;
  /** At most one at a time (SES-3). */
  running: Extraction | null;
  /** Compactions made from notes, for the ids of their messages. */
  compactions: number;
}

/** The state of a thread, shared by its layers. */
export function sessionMemoryState(shared: Map<string, unknown>): SessionMemoryState {
  return entryOf(shared, 'session-memory', () => ({
    notes: null,
    lastSummarisedMessageId: null,
    running: null,
    compactions: 0,
  }));
}

/** The notes of a file: those in the state when the file holds them, else as far as its text tells. */
export function notesOnDisk(state: SessionMemoryState, file: StoredFile): Notes {
  const { notes } = state;
  if (notes === null) return notesFromText(file.text);
  if (file.content === notes.text) return notes;
  return file.chars === notes.text.chars && file.text === notes.text.read()
    ? notes
    : notesFromText(file.text);
}

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
