import { createFiles, type Files } from '../../../src/core/base/files.js';
import type { SessionEnding, Transcript } from '../../../src/core/model/transcript.js';
import type { Action, LayerReport, Outcome } from '../../../src/core/run/action.js';
import type { LayerEntry } from '../../../src/core/run/log-entries.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { mergeSessions } from '../../../src/transcripts/sessions/merge-sessions.js';
import type { Conversation } from '../generators/conversation.js';
import { ofType } from '../plan.js';

/** A session of a test: starts after this many hours, or takes up an earlier one. */
export interface TestSession {
  readonly name: string;
  readonly talk: Conversation;
  readonly afterHours?: number;
  readonly resumes?: string;
  readonly ending?: SessionEnding;
}

/** Sessions on one clock. */
export function sessionsOf(sessions: readonly TestSession[]): Transcript {
  return mergeSessions(
    sessions.map(({ name, talk, afterHours, resumes, ending }) => ({
      name,
      transcript: talk.transcript(),
      start: { afterMs: (afterHours ?? 0) * 3_600_000 },
      resumes: resumes ?? null,
      ending: ending ?? 'clean',
      place: null,
    })),
  );
}

/** What a layer did, in order. */
export function actionsOf(entries: readonly LogEntry[], layer: LayerEntry['layer']): readonly LayerEntry[] {
  return ofType(entries, 'layer').filter((entry) => entry.layer === layer);
}

/** Carries out the file actions of a coroutine at a time and returns its result with its reports. */
export function carryOut<T>(
  actions: Generator<Action, T, Outcome>,
  files: Files,
  nowMs: number,
): { readonly result: T; readonly reports: readonly LayerReport[] } {
  const reports: LayerReport[] = [];
  let step = actions.next();
  while (step.done !== true) {
    applyToFiles(step.value, files, nowMs);
    if (step.value.kind === 'report') reports.push(step.value.entry);
    step = actions.next({ kind: 'done' });
  }
  return { result: step.value, reports };
}

/** Carries out one file action. */
export function applyToFiles(action: Action, files: Files, nowMs: number): void {
  if (action.kind === 'write-file') files.write(action.path, action.text, nowMs);
  else if (action.kind === 'remove-file') files.remove(action.path);
  else if (action.kind === 'set-mtime') files.setMtime(action.path, action.mtimeMs);
}

/** Files with texts, all from the same time. */
export function filesWith(texts: Readonly<Record<string, string>>, mtimeMs = 0): Files {
  const files = createFiles();
  for (const [path, text] of Object.entries(texts)) files.write(path, text, mtimeMs);
  return files;
}
