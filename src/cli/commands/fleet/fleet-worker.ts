import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Job, Worker } from 'bullmq';
import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { CcbenchError, isGroup } from '../../../core/base/errors.js';
import { bounded, formatCount, formatCounted } from '../../../core/base/format.js';
import { getOrMake } from '../../../core/base/once.js';
import type { GridStudy } from '../../../study/grid-study.js';
import { JobRunner } from '../../../study/job-runner.js';
import { ResultStore } from '../../../study/results/result-store.js';
import { runBatches } from '../../../study/run-batches.js';
import type { CommandOptions } from '../../commands.generated.js';
import { withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, EXIT, type ExitCode, note, printJson } from '../../session.js';
import { Interrupted } from '../../terminal/interrupt.js';
import { openStudy as openColumns } from '../columns/column-sweep.js';
import { runJobs } from '../study/run-rows.js';
import {
  type BatchKey,
  checkKey,
  checkSessions,
  checkStudy,
  fetchStudy,
  PREFIX,
  queueName,
  type StudyServer,
  shareDone,
} from './fleet-queue.js';
import { connectRedis, queuePackages } from './redis-connection.js';

type FleetWorkerOptions = CommandOptions['fleet worker'];

/** Does a batch of a study that this machine has open, or a share of sessions that it has found. */
type BatchMaker = (key: BatchKey, job: QueuedJob) => Promise<void>;

/** A batch goes to another worker as often as workers die at it. */
const ANY_NUMBER = 1_000_000;

/** Wall time between two messages on how far a batch is. */
const REPORT_MS = 1_000;

const LOOK_MS = 250;

/** Characters of an id of a study that are shown. */
const SHOWN_ID = 100;

/** `ccbench fleet worker`: does batches of any study of this version until it is stopped. It may be killed at any time. */
export async function fleetWorkerCommand(
  session: CliSession,
  options: FleetWorkerOptions,
): Promise<ExitCode> {
  return withPlugins(session, [], options, (plugins) => fleetWorker(session, options, plugins));
}

async function fleetWorker(
  session: CliSession,
  options: FleetWorkerOptions,
  opened: OpenPlugins,
): Promise<ExitCode> {
  const { host } = session;
  const client = await connectRedis(session, options);
  const { bullmq } = await queuePackages();
  const runner = new JobRunner(options);
  const doJob = batchMaker(session, client, options, opened, runner);
  let done = 0;
  let busySince: number | null = null;
  let idleSince = host.now();
  const work = async (job: Job<BatchKey>): Promise<void> => {
    busySince = host.now();
    try {
      const { study: id, batch } = await doJob(job);
      done++;
      if (!session.json) note(session, `batch ${batch} of study ${bounded(id, SHOWN_ID)} is done`);
    } catch (error) {
      if (error instanceof Interrupted) await new Promise(() => {}); // the batch stays taken until its lease ends
      if (!session.json)
        note(session, bounded(`a batch failed: ${error instanceof Error ? error.message : error}`, 2_000));
      throw error;
    } finally {
      busySince = null;
      idleSince = host.now();
    }
  };
  const worker: Worker<BatchKey> = new bullmq.Worker<BatchKey>(queueName(), work, {
    connection: client,
    prefix: PREFIX,
    lockDuration: options.lease * 1_000,
    stalledInterval: Math.max(500, options.lease * 500),
    maxStalledCount: ANY_NUMBER,
    drainDelay: 1,
  });
  worker.on('error', () => {}); // the connection reports it
  note(session, 'waiting for batches; Ctrl-C stops it, and killing it is safe');
  try {
    while (!host.interrupt.aborted) {
      await setTimeout(LOOK_MS, undefined, { signal: host.interrupt }).catch(() => {});
      const isIdle =
        busySince === null && host.now() - idleSince > (options.idle ?? Number.POSITIVE_INFINITY) * 1_000;
      if (isIdle) break;
    }
    const isStopped = host.interrupt.aborted;
    await worker.close(isStopped);
    if (session.json) printJson(session, { batches: done });
    else note(session, `${formatCounted(done, 'batch', 'batches')} done`);
    return isStopped ? EXIT.interrupted : EXIT.fine;
  } finally {
    await runner.close();
    client.disconnect();
  }
}

/** What the worker needs of a job: anybody may have put it into the queue. */
type QueuedJob = Pick<Job<unknown>, 'data' | 'updateProgress'>;

/** Makes the batches that jobs name, and keeps their studies open; gives what each job named. */
export function batchMaker(
  session: CliSession,
  client: StudyServer,
  options: FleetWorkerOptions,
  opened: OpenPlugins,
  runner: JobRunner,
): (job: QueuedJob) => Promise<BatchKey> {
  const studies = new Map<string, Promise<BatchMaker>>();
  return async (job) => {
    const key = checkKey(job.data);
    const published = await fetchStudy(client, key.study);
    // The same study may be asked for again with another results folder.
    const name = JSON.stringify([key.study, published]);
    const pending = getOrMake(studies, name, () =>
      openStudy(session, client, key.study, published, options, opened, runner),
    );
    pending.catch(() => studies.delete(name));
    await (await pending)(key, job);
    return key;
  };
}

/** Opens the study that a batch belongs to; one that looks different from here is refused. */
async function openStudy(
  session: CliSession,
  client: StudyServer,
  id: string,
  published: unknown,
  options: FleetWorkerOptions,
  opened: OpenPlugins,
  runner: JobRunner,
): Promise<BatchMaker> {
  const { cwd } = session.host;
  if (published === null)
    throw new CcbenchError('bad-input', `the server does not know the study ${bounded(id, SHOWN_ID)}`);
  const { results } = options;
  const named =
    results === undefined || !isGroup(published) ? published : { ...published, results: options.root ?? cwd };
  const sessions = checkSessions(named, cwd, options.root ?? cwd);
  if (sessions !== null) {
    const { doShare, sessionsId } = await import('./fleet-sessions.js');
    const work = { ...sessions, results: results ?? sessions.results };
    return async (key) => {
      // Before each share: sessions may continue.
      if ((await sessionsId(session, sessions)) !== id) throw differs('the sessions');
      await doShare(session, work, key.batch);
      await shareDone(client, key);
    };
  }
  const known = checkStudy(named, cwd, options.root ?? cwd);
  const study = await openColumns(session, known.spec, opened);
  if (study.record.id !== id) throw differs(`${known.spec.file} or its sessions`);
  const store = new ResultStore(resolve(cwd, results ?? known.results), study.record);
  store.announce();
  return ({ batch }, job) => doBatch(session, study, store, batch, job, runner);
}

function differs(what: string): CcbenchError {
  return new CcbenchError('bad-input', `${what} differ from those of the command that queued the work`, {
    hint: 'start the worker in a folder with the same files',
  });
}

async function doBatch(
  session: CliSession,
  study: GridStudy,
  store: ResultStore,
  batch: number,
  job: QueuedJob,
  runner: JobRunner,
): Promise<void> {
  const { batches } = study.record.partition;
  if (batch >= batches)
    throw new CcbenchError('bad-input', `the study has no batch ${batch}: it has ${formatCount(batches)}`);
  store.look();
  if (store.isDone(batch)) return;
  let ran = 0;
  let nextReport = session.host.now() + REPORT_MS;
  await runBatches(study, store, [batch], runJobs(session, runner), () => {
    ran++;
    if (session.host.now() < nextReport) return;
    nextReport = session.host.now() + REPORT_MS;
    job.updateProgress(ran).catch(() => {});
  });
}
