import type { BenchResult } from '../result.js';
import { roundLines } from '../rounds.js';

/** Rows of the published file, and what reading and validating them may take. */
const ALL_ROWS = 665_000;
const SECONDS = 60;
const MEMORY_LIMIT_MB = 400;
const MEGABYTE = 1_000_000;

/** What the suite is given by the process it runs in. */
interface RoundsOptions {
  readonly quick: boolean;
  readonly onProgress: (what: string) => void;
  /** Processor time in seconds and highest memory in bytes of a fresh process that validates a file of these lines; null where it cannot be measured. */
  readonly validated: (
    lines: Iterable<string>,
  ) => Promise<{ readonly seconds: number; readonly bytes: number } | null>;
}

/** `validate` over a file of TraceLab rows: time by the row, and memory. */
export async function roundsSuite(options: RoundsOptions): Promise<Partial<BenchResult>> {
  const rows = options.quick ? 500 : ALL_ROWS / 10;
  options.onProgress(`${rows} rows`);
  const found = await options.validated(roundLines(rows));
  if (found === null) return { notes: ['rounds: needs Linux and the built program'] };
  const { seconds, bytes } = found;
  const all = (seconds * ALL_ROWS) / rows;
  return {
    ratios: [
      {
        name: 'rounds',
        ratio: SECONDS / all,
        promised: 1,
        detail: `${SECONDS} s against ${all.toFixed(0)} s of processor time that validate takes for ${ALL_ROWS} rows, by ${rows} of them`,
      },
      {
        name: 'rounds-memory',
        ratio: MEMORY_LIMIT_MB / (bytes / MEGABYTE),
        promised: 1,
        detail: `${MEMORY_LIMIT_MB} MB against the ${(bytes / MEGABYTE).toFixed(0)} MB of a process that validates ${rows} rows`,
      },
    ],
  };
}
