import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { sum } from '../../core/base/stats.js';
import type { PromptFills } from '../../core/model/source-kind.js';
import type { RequestEntry } from '../../core/run/run-log.js';
import {
  PROMPTS_FILE,
  type PromptRow,
  readPromptLine,
  readPromptsHead,
} from '../../report/tables/prompts-csv.js';
import { fileChunks } from '../../transcripts/files/disk-file.js';
import { splitLines } from '../../transcripts/lines/byte-lines.js';

/** What fills the prompts of a log, or why that is not known. */
export type KnownFills = { readonly fills: PromptFills<RequestEntry> } | { readonly noFills: string };

/** Takes what fills the prompts from the table beside a log while that is read. */
export interface FillReader {
  /** Takes the row of a request; requests come in the order of the log. */
  read(entry: RequestEntry): void;
  finish(): KnownFills;
}

function unknown(why: string): KnownFills {
  return { noFills: `What fills the context is not shown: ${why}.` };
}

const MISSING = unknown(
  `${PROMPTS_FILE}, which ccbench run writes into the report folder, is not beside the log`,
);
const FOREIGN = unknown(`${PROMPTS_FILE} beside the log is damaged or belongs to another run`);

function* linesOf(path: string): Generator<string, void, void> {
  const decoder = new TextDecoder();
  const chunks = fileChunks({ name: path, path, place: { file: path } });
  for (const { buffer, start, end } of splitLines(chunks, path))
    yield decoder.decode(buffer.subarray(start, end));
}

/** Opens the table beside a log; every row must add up to the prompt of its request. */
export function openFills(log: string, cwd: string): FillReader {
  const path = join(dirname(resolve(cwd, log)), PROMPTS_FILE);
  if (!existsSync(path)) return { read() {}, finish: () => MISSING };
  const lines = linesOf(path);
  const columns = readPromptsHead(lines.next().value ?? '');
  const of = new WeakMap<RequestEntry, readonly number[]>();
  let isDamaged = columns === null;
  const nextRow = (): PromptRow | null => {
    const line = lines.next();
    if (line.done === true || isDamaged) return null;
    const row = readPromptLine(line.value);
    isDamaged = row?.tokens.length !== columns?.length;
    return isDamaged ? null : row;
  };
  let row = nextRow();
  return {
    read(entry) {
      if (row?.n !== entry.n) {
        // Requests of layers have prompts of their own and no row; the others have one.
        isDamaged ||= entry.purpose === 'main' || entry.purpose === 'subagent';
        return;
      }
      if (sum(row.tokens) === entry.prompt) of.set(entry, row.tokens);
      else isDamaged = true;
      row = nextRow();
    },
    // Every row has its request: one that is left over belongs to another log.
    finish: () => (isDamaged || columns === null || row !== null ? FOREIGN : { fills: { columns, of } }),
  };
}
