import type { LogEntry } from '../model/run-log.js';

/** One entry as a line of run.jsonl, without the line end. */
export function serialiseEntry(entry: LogEntry): string {
  return JSON.stringify(entry);
}

/** A whole log as the text of run.jsonl. */
export function serialiseLog(entries: Iterable<LogEntry>): string {
  let text = '';
  for (const entry of entries) text += `${serialiseEntry(entry)}\n`;
  return text;
}
