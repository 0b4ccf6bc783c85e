import type { LogEntry } from '../../core/run/run-log.js';

/** Entries as lines of run.jsonl. */
export function logLines(entries: Iterable<LogEntry>): string {
  let lines = '';
  for (const entry of entries) lines += `${JSON.stringify(entry)}\n`;
  return lines;
}
