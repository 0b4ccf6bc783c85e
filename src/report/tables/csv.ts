import { stringify } from 'csv-stringify/sync';
import { exactUsd } from '../../core/base/format.js';
import { KIND_ORDER, type SourceName } from '../../core/model/source-kind.js';
import type { RequestEntry } from '../../core/run/log-entries.js';
import type { LogEntry } from '../../core/run/run-log.js';

/** Name of the table beside the log. */
export const PROMPTS_FILE = 'prompts.csv';

const TOOL = 'tool ';

/** What fills the prompt of one request. */
export interface PromptRow {
  /** Number of the request in the log. */
  readonly n: number;
  readonly tokens: readonly number[];
}

/** The header of prompts.csv: a column for every kind of content, and for every tool. */
export function promptsHead(columns: readonly SourceName[]): string {
  const names = columns.map(({ kind, name }) => (name === null ? kind : `${TOOL}${name}`));
  return `${['n', ...names].join(',')}\n`;
}

/** The line of a request. */
export function promptLine({ n, tokens }: PromptRow): string {
  return `${n},${tokens.join(',')}\n`;
}

/** The columns that a header names; null if it is not one of ours. */
export function readPromptsHead(line: string): readonly SourceName[] | null {
  const [first, ...names] = line.split(',');
  if (first !== 'n' || names.length === 0) return null;
  const columns: SourceName[] = [];
  for (const name of names) {
    const kind = KIND_ORDER.find((each) => each === name);
    if (kind !== undefined) columns.push({ kind, name: null });
    else if (name.startsWith(TOOL)) columns.push({ kind: 'tool', name: name.slice(TOOL.length) });
    else return null;
  }
  return columns;
}

/** A line as it was written; null if it is damaged. */
export function readPromptLine(line: string): PromptRow | null {
  const [n, ...tokens] = line.split(',').map(Number);
  if (n === undefined || ![n, ...tokens].every(Number.isSafeInteger)) return null;
  return { n, tokens };
}

/** What a cell may hold; null is an empty cell. */
export type Cell = string | number | boolean | null;

/** Rows as CSV; texts that a spreadsheet would run as formulas are made inert. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return stringify(rows as Cell[][], {
    record_delimiter: 'unix',
    escape_formulas: true,
    cast: { boolean: (value) => (value ? 'true' : 'false') },
  });
}

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

/** The header of requests.csv, which has one line per answered request. */
export const REQUESTS_HEAD = csvLines([COLUMNS.map(([name]) => name)]);

/** The lines of some entries, without the header. */
export function requestLines(entries: Iterable<LogEntry>): string {
  const rows: Cell[][] = [];
  for (const entry of entries) {
    if (entry.type === 'request') rows.push(COLUMNS.map(([, read]) => read(entry)));
  }
  return csvLines(rows);
}
