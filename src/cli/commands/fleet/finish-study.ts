import { setTimeout } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { CcbenchError } from '../../../core/base/errors.js';
import type { ResultStore } from '../../../study/results/result-store.js';
import { type CliSession, note } from '../../session.js';
import { breathe, Interrupted } from '../../terminal/interrupt.js';
import { createProgress } from '../../terminal/progress.js';
import {
  addBatches,
  type BatchKey,
  type FleetStudy,
  openQueue,
  publishStudy,
  takeFailed,
} from './fleet-queue.js';
import { connectRedis, type RedisOptions } from './redis-connection.js';

/** Wall time between two looks at the folder. */
const LOOK_MS = 500;

/** Looks between two checks that everything that is missing is in the queue. */
const LOOKS_PER_CHECK = 10;

/** The server of a fleet, and the queue on it. */
export interface Fleet {
  readonly client: Redis;
  readonly queue: Queue<BatchKey>;
}

/** Refuses a scenario that the other machines cannot read. */
export function checkShared(file: string): void {
  if (file !== '-') return;
  throw new CcbenchError('bad-usage', 'the workers cannot read the standard input of this command', {
    hint: 'write the scenario to a file that all machines see',
  });
}

/** Reaches the workers of a fleet for as long as something is done with them. */
export async function withFleet<T>(
  session: CliSession,
  options: RedisOptions,
  act: (fleet: Fleet) => Promise<T>,
): Promise<T> {
  const client = await connectRedis(session, options);
  const queue = await openQueue(client);
  try {
    return await act({ client, queue });
  } finally {
    await queue.close();
    client.disconnect();
  }
}

/** Hands what is missing of a study to the workers, and waits for it. */
export async function finishStudy(
  session: CliSession,
  { client, queue }: Fleet,
  results: ResultStore,
  study: FleetStudy,
  label: string,
): Promise<void> {
  const { interrupt } = session.host;
  const { id, partition } = results.study;
  const progress = createProgress(session.host, session.json ? 'silent' : 'shown', 'runs');
  try {
    await publishStudy(client, id, study);
    await takeFailed(queue, id);
    await addBatches(queue, id, results.missing());
    progress.start(label, partition.runs);
    for (let look = 1; ; look++) {
      await breathe(interrupt);
      results.look();
      if (results.missing().length === 0) break;
      if (look % LOOKS_PER_CHECK === 0) {
        const [reason] = await takeFailed(queue, id);
        if (reason !== undefined)
          throw new CcbenchError('bad-input', `no machine could do a batch: ${reason}`, {
            hint: 'mend it and type the same command again; what is finished is kept',
          });
        await addBatches(queue, id, results.missing());
        if (look === LOOKS_PER_CHECK && (await queue.getActiveCount()) === 0)
          note(session, 'no worker has taken a batch yet: `ccbench fleet worker --redis …` starts one');
      }
      const active = (await queue.getActive()).filter((job) => job?.data.study === id);
      const begun = active.reduce(
        (sum, job) => sum + (typeof job.progress === 'number' ? job.progress : 0),
        0,
      );
      progress.update(Math.min(partition.runs, results.finishedRuns() + begun));
      await setTimeout(LOOK_MS, undefined, { signal: interrupt }).catch(() => {});
    }
  } catch (error) {
    progress.clear();
    if (error instanceof Interrupted)
      note(session, 'the workers go on; the same command waits for them again');
    throw error;
  } finally {
    progress.clear();
  }
  await results.joinAll();
}
