import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { StudySpec } from '../../../study/grid-study.js';
import { programVersion } from '../columns/program-version.js';
import { queuePackages } from './redis-connection.js';

/** Everything of ccbench on the server has names that begin so. */
export const PREFIX = 'ccbench';

/** All that is in the queue: which batch of which study. */
export interface BatchKey {
  readonly study: string;
  readonly batch: number;
}

/** What a machine is told of a study; paths are seen from the folder it works in. */
export interface FleetStudy {
  readonly spec: StudySpec;
  readonly results: string;
}

/** How long a study is known to the server after it was asked for last. */
const KNOWN_SECONDS = 30 * 86_400;

/** Tries of a batch before it is given up: another machine may have what this one lacks. */
const TRIES = 5;

/** Jobs that are handed over in one message. */
const AT_ONCE = 500;

/** The queue of a build: machines with another one do not even see it. */
export function queueName(): string {
  return `batches-${programVersion().replace(/[^\w.]/g, '-')}`;
}

function studyKey(id: string): string {
  return `${PREFIX}:study:${id}`;
}

/** Tells the server of a study. */
export async function publishStudy(client: Redis, id: string, study: FleetStudy): Promise<void> {
  await client.set(studyKey(id), JSON.stringify(study), 'EX', KNOWN_SECONDS);
}

/** A study that the server was told of; null for none. */
export async function fetchStudy(client: Redis, id: string): Promise<FleetStudy | null> {
  const text = await client.get(studyKey(id));
  return text === null ? null : (JSON.parse(text) as FleetStudy);
}

/** Opens the queue of this build. */
export async function openQueue(client: Redis): Promise<Queue<BatchKey>> {
  const { bullmq } = await queuePackages();
  const queue = new bullmq.Queue<BatchKey>(queueName(), { connection: client, prefix: PREFIX });
  queue.on('error', () => {}); // the connection tells
  return queue;
}

/** Hands batches over; one that is waiting or at work already is not there twice. */
export async function addBatches(
  queue: Queue<BatchKey>,
  study: string,
  batches: readonly number[],
): Promise<void> {
  for (let from = 0; from < batches.length; from += AT_ONCE) {
    await queue.addBulk(
      batches.slice(from, from + AT_ONCE).map((batch) => ({
        name: 'batch',
        data: { study, batch },
        opts: {
          jobId: `${study}-${batch}`,
          attempts: TRIES,
          backoff: { type: 'fixed', delay: 1_000 },
          removeOnComplete: true,
        },
      })),
    );
  }
}

/** Takes out what was given up in a study, so that it can be tried again; gives the reasons. */
export async function takeFailed(queue: Queue<BatchKey>, study: string): Promise<readonly string[]> {
  const failed = (await queue.getFailed()).filter((job) => job?.data.study === study);
  for (const job of failed) await job.remove();
  return failed.map(({ failedReason }) => failedReason);
}
