import { parentPort, workerData } from 'node:worker_threads';
import { findPlugin, loadPlugin } from '../config/plugins/load-plugin.js';
import type { PluginFile } from '../config/plugins/plugin.js';
import { registerPlugin } from '../config/plugins/register-plugin.js';
import { CcbenchError } from '../core/base/errors.js';
import type { TranscriptInput } from '../transcripts/files/transcript-input.js';
import { type Job, type JobError, jobError, KNOWN_TRANSCRIPTS, OpenTranscripts, runJob } from './job.js';

/** What a worker is sent: a job, and its transcript the first time it is used. */
export interface WorkerOrder {
  readonly job: Job;
  readonly input: TranscriptInput | null;
}

/** What a worker is started with. */
export interface WorkerSetup {
  readonly plugins: readonly PluginFile[];
}

/** Loads plug-ins; their policies come with the plans. Gives the reason why not. */
async function loadPlugins(plugins: readonly PluginFile[]): Promise<JobError | null> {
  try {
    for (const file of plugins) {
      const place = { file: file.path };
      if (findPlugin(file.path, file.path, place).sha256 !== file.sha256)
        throw new CcbenchError('bad-plugin', `plug-in ${file.path} was changed while the study ran`);
      registerPlugin(await loadPlugin(file, file.path, place), () => []);
    }
    return null;
  } catch (error) {
    return jobError(error);
  }
}

const loading = loadPlugins((workerData as WorkerSetup | null)?.plugins ?? []);
const transcripts = new OpenTranscripts();
parentPort?.on('message', async ({ job, input }: WorkerOrder) => {
  const failure = await loading;
  if (input !== null) {
    transcripts.add(input);
    transcripts.keep(2 * KNOWN_TRANSCRIPTS);
  }
  parentPort?.postMessage(
    failure === null ? runJob(job, transcripts) : { ok: false, index: job.index, error: failure },
  );
});
