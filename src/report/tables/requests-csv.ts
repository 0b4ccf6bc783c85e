import { exactUsd } from '../../core/base/format.js';
import type { LogEntry, RequestEntry } from '../../core/run/run-log.js';
import { type Cell, csvLines } from './csv.js';

const COLUMNS: readonly (readonly [string, (entry: RequestEntry) => Cell])[] = [
  ['n', (e) => e.n],
  ['timeMs', (e) => e.t],
  ['thread', (e) => e.thread],
  ['turn', (e) => e.turn],
  ['purpose', (e) => e.purpose],
  ['model', (e) => e.model],
  ['promptTokens', (e) => e.prompt],
  ['cacheReadTokens', (e) => e.read],
  ['cacheWrite5mTokens', (e) => e.write5m],
  ['cacheWrite1hTokens', (e) => e.write1h],
  ['uncachedTokens', (e) => e.input],
  ['outputTokens', (e) => e.output],
  ['estimatedTokens', (e) => e.estimatedTokens],
  ['uncompactedTokens', (e) => e.uncompactedTokens ?? null],
  ['newTokens', (e) => e.newTokens],
  ['rewrittenTokens', (e) => e.rewritten],
  ['rewriteCause', (e) => e.cause],
  ['latencyMs', (e) => e.latencyMs],
  ['readUsd', (e) => exactUsd(e.readCost)],
  ['writeUsd', (e) => exactUsd(e.writeCost)],
  ['inputUsd', (e) => exactUsd(e.inputCost)],
  ['outputUsd', (e) => exactUsd(e.outputCost)],
  ['costUsd', (e) => exactUsd(e.cost)],
  ['rewriteUsd', (e) => exactUsd(e.rewriteCost)],
];

/** requests.csv: one line per answered request. */
export function requestsCsv(entries: Iterable<LogEntry>): string {
  const header = csvLines([COLUMNS.map(([name]) => name)]);
  return `${header}${requestLines(entries)}`;
}

/** The lines of some entries, without the header. */
export function requestLines(entries: Iterable<LogEntry>): string {
  const rows: Cell[][] = [];
  for (const entry of entries) {
    if (entry.type === 'request') rows.push(COLUMNS.map(([, read]) => read(entry)));
  }
  return csvLines(rows);
}
