import { quantile } from '../../../../core/base/stats.js';
import { timeOf } from '../measure.js';
import { recordingLines } from '../recording.js';
import type { BenchResult } from '../result.js';

/** A recording on disk with its compiled form. */
export interface CachedRecording {
  /** Forgets the compiled form. */
  forget(): void;
  /** Loads the recording up to its first turn, keeping or using the compiled form. */
  load(): void;
  remove(): void;
}

/** What the suite is given by the process it runs in. */
export interface CompiledCacheOptions {
  readonly quick: boolean;
  /** Writes a recording to disk. */
  readonly record: (lines: Iterable<string>) => CachedRecording;
}

const MEGABYTE = 1_000_000;

/** The first load of a recording, which compiles it, against the second, which finds it compiled. */
export function compiledCacheSuite(options: CompiledCacheOptions): Partial<BenchResult> {
  const megabytes = options.quick ? 2 : 24;
  const recording = options.record(recordingLines(megabytes * MEGABYTE));
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
