import { timeOf } from '../../src/cli/commands/bench/measure.js';
import type { BenchResult, SuiteOptions } from '../../src/cli/commands/bench/result.js';
import { quantile } from '../../src/core/base/stats.js';
import type { Transcript } from '../../src/core/model/transcript.js';
import { usesOf } from '../../src/core/uses/find-uses.js';
import { readClaudeCodeFiles } from '../../src/transcripts/readers/claude-code/read.js';
import { memorySource } from '../../src/transcripts/readers/claude-code/recorded-text.js';
import { interleave, type Rounds } from '../measure.js';
import { peakMemory, recordToDisk } from '../recording-file.js';
import { recordingLines } from '../sessions/recording.js';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1_048_576;
const MEGABYTE = 1_000_000;
/** Memory that reading a recording of 100 MB may take, the process itself included. */
const MEMORY_LIMIT_MB = 120;

/** Untimed rounds read about 80 MB, after which the reader is compiled: the time measured is that of the compiled reader. */
const ROUNDS: Rounds = { untimed: 4, timed: 11 };
const QUICK_ROUNDS: Rounds = { untimed: 0, timed: 1 };

function* chunksOf(bytes: Buffer): Generator<Uint8Array, void, void> {
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) yield bytes.subarray(from, from + CHUNK_BYTES);
}

/** The limit: every line of the buffer through JSON.parse, nothing kept. */
function parseLines(bytes: Buffer): number {
  let count = 0;
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    JSON.parse(bytes.toString('utf8', start, end));
    count++;
    start = end + 1;
  }
  return count;
}

/** Reading a recording in chunks against JSON.parse over the same lines, and the memory that it takes. */
export async function ingestSuite(options: SuiteOptions): Promise<Partial<BenchResult>> {
  const size = (options.quick ? 2 : 24) * MEGABYTE;
  const bytes = Buffer.from([...recordingLines(size)].join(''));
  const source = memorySource(bytes);
  const rounds = options.quick ? QUICK_ROUNDS : ROUNDS;
  const read = (): Transcript =>
    readClaudeCodeFiles([{ name: 'recording', chunks: chunksOf(bytes), source }], { id: 'recording' });
  const [parse, ingest] = interleave([() => void parseLines(bytes), () => void read()], rounds);
  const transcript = read();
  // What was found is kept by the list of threads: a copy of it is looked through again.
  const find = (): void => void usesOf({ ...transcript, threads: [...transcript.threads] });
  const [limit, uses] = interleave([() => void parseLines(bytes), find], rounds);
  const rate = (ms: number): string => `${(bytes.length / MEGABYTE / (ms / 1_000)).toFixed(0)} MB/s`;
  options.onProgress('memory');
  const megabytes = options.quick ? 5 : 100;
  const peak = await peakMemory(recordingLines(megabytes * MEGABYTE));
  return {
    ratios: [
      {
        name: 'ingest',
        ratio: parse!.median / ingest!.median,
        promised: 0.75,
        detail: `${(bytes.length / MEGABYTE).toFixed(0)} MB: JSON.parse ${rate(parse!.median)}, ingestion ${rate(ingest!.median)}`,
      },
      {
        name: 'uses',
        ratio: limit!.median / uses!.median,
        promised: 0.2,
        detail: `what calls need of earlier content: ${rate(uses!.median)} of the file, against JSON.parse ${rate(limit!.median)}`,
      },
      ...(peak === null
        ? []
        : [
            {
              name: 'ingest-memory',
              ratio: MEMORY_LIMIT_MB / (peak / MEGABYTE),
              promised: 1,
              detail: `${MEMORY_LIMIT_MB} MB against the ${(peak / MEGABYTE).toFixed(0)} MB of a process that reads a file of ${megabytes} MB`,
            },
          ]),
    ],
  };
}

/** The first load of a recording, which compiles it, against the second, which finds it compiled. */
export function compiledCacheSuite(options: SuiteOptions): Partial<BenchResult> {
  const megabytes = options.quick ? 2 : 24;
  const recording = recordToDisk(recordingLines(megabytes * MEGABYTE));
  const first: number[] = [];
  const second: number[] = [];
  try {
    for (let round = 0; round < (options.quick ? 1 : 9); round++) {
      recording.forget();
      first.push(timeOf(() => recording.load()));
      second.push(timeOf(() => recording.load()));
    }
  } finally {
    recording.remove();
  }
  const [slow, fast] = [quantile(first, 0.5)!, quantile(second, 0.5)!];
  return {
    ratios: [
      {
        name: 'compiled-cache',
        ratio: slow / fast,
        promised: 5,
        detail: `${megabytes} MB to the first turn: ${slow.toFixed(0)} ms at first, ${fast.toFixed(0)} ms from then on`,
      },
    ],
  };
}
