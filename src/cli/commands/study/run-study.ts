import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import type { PluginFile } from '../../../config/plugins/plugin.js';
import { activePlugins } from '../../../config/plugins/use-plugins.js';
import { formatCounted } from '../../../core/base/format.js';
import type { Job, JobResult } from '../../../study/job.js';
import { runJobs, workerEntry } from '../../../study/pool.js';
import { WorkerPool } from '../../../study/worker-pool.js';
import type { TranscriptInput } from '../../../transcripts/files/transcript-input.js';
import { type CliSession, note } from '../../session.js';
import { Interrupted } from '../../terminal/interrupt.js';
import { createProgress } from '../../terminal/progress.js';

/** How the runs of a study are carried out. */
export interface StudyRunOptions {
  readonly label: string;
  /** Undefined takes all cores. */
  readonly workers: number | undefined;
  /** Threads kept for several studies in a row. */
  readonly threads?: WorkerPool | null;
  readonly quiet: boolean;
  /** Hears of each result as it comes; what it throws ends the study. */
  onResult?(result: JobResult): void;
}

/** Wall time between two looks at the terminal while runs go on in this thread. */
const BREATH_MS = 20;

/** The files of the plug-ins that are registered. */
export function pluginFiles(): readonly PluginFile[] {
  return activePlugins().flatMap(({ file }) => file ?? []);
}

/** Threads for several studies in a row, which whoever opens them closes; null where everything runs in this thread. */
export function openThreads(workers: number | undefined): WorkerPool | null {
  const entry = workerEntry();
  const size = workers ?? availableParallelism();
  return entry === null || size === 0 ? null : new WorkerPool(entry, size, pluginFiles());
}

/** Runs jobs on all cores with a progress bar; results come ordered by index. Ctrl-C ends it, finished results were heard of. */
export async function runStudy(
  session: CliSession,
  jobs: readonly Job[],
  inputs: readonly TranscriptInput[],
  options: StudyRunOptions,
): Promise<readonly JobResult[]> {
  const { host } = session;
  const progress = createProgress(host, session.json || options.quiet ? 'silent' : 'shown', 'runs');
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  host.interrupt.addEventListener('abort', abort);
  if (host.interrupt.aborted) abort();
  let done = 0;
  let failure: unknown = null;
  let nextBreath = 0;
  progress.start(options.label, jobs.length);
  try {
    const results = await runJobs(jobs, inputs, {
      workers: options.workers ?? availableParallelism(),
      entry: workerEntry(),
      threads: options.threads ?? null,
      plugins: pluginFiles(),
      signal: stop.signal,
      onResult(result) {
        try {
          options.onResult?.(result);
        } catch (error) {
          failure ??= error;
          stop.abort();
        }
        progress.update(++done);
      },
      async pause() {
        if (host.now() < nextBreath) return;
        await setImmediate();
        nextBreath = host.now() + BREATH_MS;
      },
    });
    if (failure !== null) throw failure;
    if (host.interrupt.aborted) throw new Interrupted();
    return results;
  } finally {
    progress.clear();
    host.interrupt.removeEventListener('abort', abort);
  }
}

/** Says which runs failed and how to repeat each. */
export function noteFailures(
  session: CliSession,
  results: readonly JobResult[],
  commandOf: (index: number) => string,
): number {
  let failed = 0;
  for (const result of results) {
    if (result.ok) continue;
    failed++;
    note(session, `a run failed: error[${result.error.code}] ${result.error.message}`);
    if (result.error.hint !== null) note(session, `  hint: ${result.error.hint}`);
    note(session, `  repeat: ${commandOf(result.index)}`);
  }
  if (failed > 0)
    note(
      session,
      `${failed} of ${formatCounted(results.length, 'run')} failed; ${failed === results.length ? 'none is left' : 'the others are used'}`,
    );
  return failed;
}
