import type { LogEntry } from '../model/run-log.js';

/** One entry as a line of run.jsonl, without the line end. */
export function serialiseEntry(entry: LogEntry): string {
  return JSON.stringify(entry);
}
