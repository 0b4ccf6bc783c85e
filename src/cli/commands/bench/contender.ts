import { performance } from 'node:perf_hooks';
import type { Job } from '../../../study/job.js';
import { JobRunner } from '../../../study/job-runner.js';
import type { TranscriptInput } from '../../../transcripts/files/transcript-input.js';

/** What sweeps took on this many threads. */
export interface SweepTimes {
  /** Time of the first sweep: start of the threads, loading and compiling included. */
  readonly coldMs: number;
  /** Time until the first result of the first sweep. */
  readonly firstResultMs: number;
  /** The best time of a later sweep. */
  readonly warmMs: number;
  /** The least processor time of a later sweep, over all threads. */
  readonly busyMs: number;
}

/** Sweeps on threads of its own: the first one starts them, later ones find them warm. */
export class Contender implements SweepTimes {
  coldMs = 0;
  firstResultMs = 0;
  warmMs = Number.POSITIVE_INFINITY;
  busyMs = Number.POSITIVE_INFINITY;
  readonly #runner: JobRunner;

  constructor(workers: number) {
    this.#runner = new JobRunner({ workers, plugins: [] });
  }

  async sweep(jobs: readonly Job[], input: TranscriptInput): Promise<void> {
    const start = performance.now();
    const before = process.cpuUsage();
    let firstMs = 0;
    await this.#runner.run(jobs, [input], {
      signal: new AbortController().signal,
      onResult() {
        if (firstMs === 0) firstMs = performance.now() - start;
      },
      pause: () => Promise.resolve(),
    });
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    if (this.coldMs === 0) {
      this.coldMs = ms;
      this.firstResultMs = firstMs;
      return;
    }
    this.warmMs = Math.min(this.warmMs, ms);
    this.busyMs = Math.min(this.busyMs, (user + system) / 1_000);
  }

  async close(): Promise<void> {
    await this.#runner.close();
  }
}
