import type { PluginFile } from '../config/plugins/plugin.js';
import { activePlugins } from '../config/plugins/use-plugins.js';
import { builtModule } from '../core/base/built.js';
import type { TranscriptInput } from '../transcripts/files/transcript-input.js';
import { type Job, type JobResult, jobParts, OpenTranscripts } from './job.js';
import { WorkerPool } from './worker-pool.js';

/** What worker threads begin with. */
export const WORKER_MODULE = 'study/worker-run';

/** Where jobs run. */
export interface RunnerOptions {
  /** Worker threads; 0 runs everything in this thread, none given takes all cores. */
  readonly workers?: number | undefined;
  /** The built script of a worker; null if there is none, and then everything runs in this thread. */
  readonly entry?: URL | null;
  /** Plug-ins that threads load; those that are registered where absent. */
  readonly plugins?: readonly PluginFile[];
}

/** How running jobs are watched. */
export interface JobWatch {
  /** Aborted when no more jobs are wanted; those that are finished stay finished. */
  readonly signal: AbortSignal;
  /** Gets each result as it comes; what it throws ends the run. */
  onResult(result: JobResult): void;
  /** Lets other things happen between two parts of a run in this thread. */
  pause(): Promise<void>;
}

function pluginFiles(): readonly PluginFile[] {
  return activePlugins().flatMap(({ file }) => file ?? []);
}

/** Runs jobs in this thread, or on worker threads that start with the first job and stay warm until they are closed. */
export class JobRunner {
  readonly #threads: WorkerPool | null;

  constructor({ workers, entry = builtModule(WORKER_MODULE), plugins = pluginFiles() }: RunnerOptions) {
    this.#threads = workers === 0 || entry === null ? null : new WorkerPool(entry, workers, plugins);
  }

  /**
   * Results are ordered by index whatever finished first, so the outcome is the same with any number of workers; a job that
   * fails is a result like any other.
   */
  async run(
    jobs: readonly Job[],
    inputs: readonly TranscriptInput[],
    { signal, onResult, pause }: JobWatch,
  ): Promise<readonly JobResult[]> {
    const results: JobResult[] = [];
    const failures: unknown[] = [];
    const stop = new AbortController();
    const watch = {
      signal: AbortSignal.any([signal, stop.signal]),
      pause,
      onResult(result: JobResult) {
        results.push(result);
        try {
          onResult(result);
        } catch (error) {
          failures.push(error);
          stop.abort();
        }
      },
    };
    const ordered = byTranscript(jobs);
    if (this.#threads === null) await runHere(ordered, inputs, watch);
    else await this.#threads.run(ordered, inputs, watch.signal, watch.onResult);
    if (failures.length > 0) throw failures[0];
    return results.sort((a, b) => a.index - b.index);
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await this.#threads?.close();
  }
}

/** Jobs on one transcript follow each other, so that it is opened once; transcripts come in the order of their first jobs. */
function byTranscript(jobs: readonly Job[]): readonly Job[] {
  const groups = new Map<string, Job[]>();
  for (const job of jobs) {
    const group = groups.get(job.transcript);
    if (group === undefined) groups.set(job.transcript, [job]);
    else group.push(job);
  }
  return [...groups.values()].flat();
}

async function runHere(
  jobs: readonly Job[],
  inputs: readonly TranscriptInput[],
  { signal, onResult, pause }: JobWatch,
): Promise<void> {
  const transcripts = new OpenTranscripts();
  for (const input of inputs) transcripts.add(input);
  for (const job of jobs) {
    await pause();
    if (signal.aborted) return;
    const parts = jobParts(job, transcripts);
    let step = parts.next();
    while (step.done !== true) {
      await pause();
      if (signal.aborted) return;
      step = parts.next();
    }
    onResult(step.value);
  }
}
