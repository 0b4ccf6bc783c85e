import { parentPort } from 'node:worker_threads';
import { type Job, runJob, TranscriptShelf } from './job.js';
import type { TranscriptInput } from './transcript-input.js';

/** What a worker is sent: a job, and its transcript the first time it is used. */
export interface WorkerOrder {
  readonly job: Job;
  readonly input: TranscriptInput | null;
}

const shelf = new TranscriptShelf();
parentPort?.on('message', ({ job, input }: WorkerOrder) => {
  if (input !== null) shelf.add(input);
  parentPort?.postMessage(runJob(job, shelf));
});
