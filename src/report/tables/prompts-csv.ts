import { KIND_ORDER, type SourceName } from '../../core/model/source-kind.js';

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

/** The columns that a header names; null where it is none of ours. */
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

/** A line as it was written; null where it is damaged. */
export function readPromptLine(line: string): PromptRow | null {
  const [n, ...tokens] = line.split(',').map(Number);
  if (n === undefined || ![n, ...tokens].every(Number.isSafeInteger)) return null;
  return { n, tokens };
}
