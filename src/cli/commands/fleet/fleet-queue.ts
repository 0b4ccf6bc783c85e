import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { CcbenchError, isGroup } from '../../../core/base/errors.js';
import { bounded, formatCount } from '../../../core/base/format.js';
import type { StudySpec } from '../../../study/grid-study.js';
import { WORKER_MODULE } from '../../../study/job-runner.js';
import type { ResultStore } from '../../../study/results/result-store.js';
import type { SessionChoice } from '../../files/chosen-sessions.js';
import { programVersion } from '../../program-version.js';
import { type CliSession, note } from '../../session.js';
import { Interrupted, yieldToEventLoop } from '../../terminal/interrupt.js';
import { createProgress } from '../../terminal/progress.js';
import { connectRedis, queuePackages, type RedisOptions } from './redis-connection.js';

/** What a worker gets of a study; paths are seen from the folder it works in. */
interface FleetStudy {
  readonly spec: StudySpec;
  readonly results: string;
}

/** Sessions that workers explain or validate, each a share of them. */
export interface FleetSessions {
  readonly command: 'why' | 'validate';
  readonly paths: readonly string[];
  readonly choice: SessionChoice;
  readonly shares: number;
  readonly results: string;
}

/** Work that workers do batch by batch. */
interface FleetWork {
  readonly id: string;
  readonly published: FleetStudy | FleetSessions;
  readonly label: string;
  /** What its progress counts. */
  readonly unit: 'runs' | 'shares';
  readonly total: number;
  /** The batches that are not finished yet. */
  missing(): readonly number[] | Promise<readonly number[]>;
  /** How many of `total` are finished, as `missing` found it last. */
  finished(): number;
}

/** All that is in the queue: which batch of which study, or which share of which sessions. */
export interface BatchKey {
  readonly study: string;
  readonly batch: number;
}

/** Longer than any real path or setting. */
const MOST_CHARS = 4_096;

/** A value of a setting that names a place of the machine: absolute, in the home folder, or further up. */
const OUTSIDE = /(?:^|[=[\]{}(),:"'\s])(?:\/|~|\\|[A-Za-z]:[\\/]|\.\.(?:[\\/]|$))/;

/** Characters that make a path a pattern. */
const PATTERN = /[*?[{]/;

/** Whatever can write to the server can publish a study: its paths must lie in one folder, and its texts have an end. */
export function checkStudy(value: unknown, cwd: string, root: string): FleetStudy {
  const { spec, results } = isGroup(value) ? value : {};
  if (!isGroup(spec) || !isText(spec.file) || !isText(results)) throw refused('it is none');
  const { vary, set, transcripts = [], metrics = '' } = spec;
  if (
    ![vary, set, transcripts].every((list) => Array.isArray(list) && list.every(isText)) ||
    !isText(metrics)
  )
    throw refused('it is none');
  checkTexts(value);
  for (const path of [spec.file, results, ...(transcripts as readonly string[])])
    checkInside(path, cwd, root);
  for (const setting of [...(vary as readonly string[]), ...(set as readonly string[])])
    if (OUTSIDE.test(setting)) throw refused(`the setting ${setting} names a path outside its folder`);
  return value as unknown as FleetStudy;
}

/** Checks published sessions as {@link checkStudy} checks a study; null if it is not one of sessions. */
export function checkSessions(value: unknown, cwd: string, root: string): FleetSessions | null {
  if (!isGroup(value) || value.command === undefined) return null;
  const { command, paths, choice, shares, results } = value;
  const isWhole =
    (command === 'why' || command === 'validate') &&
    Array.isArray(paths) &&
    paths.every(isText) &&
    isChoice(choice) &&
    isShareCount(shares) &&
    isText(results);
  if (!isWhole) throw refused('it is none');
  checkTexts(value);
  for (const path of [results, ...paths]) checkInside(path, cwd, root);
  return value as unknown as FleetSessions;
}

function isChoice(value: unknown): value is SessionChoice {
  if (!isGroup(value)) return false;
  const { since, project, agent, last, ...rest } = value;
  return (
    Object.keys(rest).length === 0 &&
    [since, project, agent].every((text) => text === undefined || isText(text)) &&
    (last === undefined || (typeof last === 'number' && Number.isSafeInteger(last) && last > 0))
  );
}

/** As many as `--shares` takes. */
const MOST_SHARES = 100_000;

function isShareCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MOST_SHARES;
}

/** A study as the server has it. @internal */
export function studyIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused('it is not JSON');
  }
}

/** What a job of the queue names: another batch than one of a study would be written as rows that no study has. */
export function checkKey(data: unknown): BatchKey {
  const { study, batch } = isGroup(data) ? data : {};
  if (isText(study) && typeof batch === 'number' && Number.isSafeInteger(batch) && batch >= 0)
    return { study, batch };
  throw new CcbenchError('bad-input', 'a job on the server is refused: it names no batch of a study', {
    hint: 'only `ccbench fleet` puts jobs there; check who else uses the server',
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function checkTexts(value: unknown): void {
  for (const text of textsIn(value))
    if (text.length > MOST_CHARS)
      throw refused(`"${bounded(text, 50)}" has more than ${formatCount(MOST_CHARS)} characters`);
}

function* textsIn(value: unknown): Generator<string, void, void> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      yield name;
      yield* textsIn(inner);
    }
}

function checkInside(path: string, cwd: string, root: string): void {
  const start = path.split(/[\\/]/).findIndex((part) => PATTERN.test(part));
  const fixed =
    start < 0 ? path : path.split(/[\\/]/).slice(0, start).join('/') || (path.startsWith('/') ? '/' : '.');
  const below = relative(realPath(resolve(cwd, root)), realPath(resolve(cwd, fixed)));
  if (
    below.split(/[\\/]/)[0] === '..' ||
    isAbsolute(below) ||
    path.split(/[\\/]/).includes('..', Math.max(0, start)) ||
    path.startsWith('~') // the home folder, wherever that is
  )
    throw refused(`${path} lies outside ${root === cwd ? 'the folder of this worker' : root}`);
}

/** A path without links, as far as it exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  return above === path ? path : resolve(realPath(above), relative(above, path));
}

function refused(why: string): CcbenchError {
  return new CcbenchError('bad-input', `a study on the server is refused: ${why}`, {
    hint: 'start the worker with --root <folder> to let studies use another folder, or with --results for their results alone',
  });
}

/** Everything of ccbench on the server has names that begin so. */
export const PREFIX = 'ccbench';

/** How long a study is known to the server after it was asked for last. */
const KNOWN_SECONDS = 30 * 86_400;

/** Tries of a batch before it is given up: another machine may have what this one lacks. */
const TRIES = 5;

/** Jobs that are handed over in one message. */
const AT_ONCE = 500;

/** The queue of a build: machines with another one do not even see it. */
export function queueName(): string {
  return `batches-${programVersion(WORKER_MODULE).replace(/[^\w.]/g, '-')}`;
}

function studyKey(id: string): string {
  return `${PREFIX}:study:${id}`;
}

function doneKey(id: string): string {
  return `${PREFIX}:done:${id}`;
}

/** Where the studies of a fleet are published. */
export type StudyServer = Pick<Redis, 'get' | 'sadd' | 'expire'>;

/** Records that a share of sessions is finished: its file does not show of which sessions it is. */
export async function shareDone(client: StudyServer, { study, batch }: BatchKey): Promise<void> {
  await client.sadd(doneKey(study), batch);
  await client.expire(doneKey(study), KNOWN_SECONDS);
}

/** The shares of sessions that workers have finished. */
export async function sharesDone(client: Redis, id: string): Promise<ReadonlySet<number>> {
  return new Set((await client.smembers(doneKey(id))).map(Number));
}

/** What was published on the server as a study, unchecked; null for nothing. */
export async function fetchStudy(client: StudyServer, id: string): Promise<unknown> {
  const text = await client.get(studyKey(id));
  return text === null ? null : studyIn(text);
}

/** Opens the queue of this build. */
async function openQueue(client: Redis): Promise<Queue<BatchKey>> {
  const { bullmq } = await queuePackages();
  const queue = new bullmq.Queue<BatchKey>(queueName(), { connection: client, prefix: PREFIX });
  queue.on('error', () => {}); // the connection reports it
  return queue;
}

/** Hands batches over; one that is waiting or at work already is not there twice. */
async function addBatches(queue: Queue<BatchKey>, study: string, batches: readonly number[]): Promise<void> {
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
async function takeFailed(queue: Queue<BatchKey>, study: string): Promise<readonly string[]> {
  const failed = (await queue.getFailed()).filter((job) => job?.data.study === study);
  for (const job of failed) await job.remove();
  return failed.map(({ failedReason }) => failedReason);
}

/** Wall time between two looks at the folder. */
const LOOK_MS = 500;

/** Looks between two checks that everything that is missing is in the queue. */
const LOOKS_PER_CHECK = 10;

/** The server of a fleet, and the queue on it. */
interface Fleet {
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
  fleet: Fleet,
  results: ResultStore,
  published: FleetStudy,
  label: string,
): Promise<void> {
  const { id, partition } = results.study;
  await finishWork(session, fleet, {
    id,
    published,
    label,
    unit: 'runs',
    total: partition.runs,
    missing() {
      results.look();
      return results.missing();
    },
    finished: () => results.finishedRuns(),
  });
  await results.joinAll();
}

/** Hands what is missing of some work to the workers, and waits for it. */
export async function finishWork(
  session: CliSession,
  { client, queue }: Fleet,
  { id, published, label, unit, total, missing, finished }: FleetWork,
): Promise<void> {
  const { interrupt } = session.host;
  const progress = createProgress(session, unit);
  try {
    await client.set(studyKey(id), JSON.stringify(published), 'EX', KNOWN_SECONDS);
    await takeFailed(queue, id);
    await addBatches(queue, id, await missing());
    progress.start(label, total);
    for (let look = 1; ; look++) {
      await yieldToEventLoop(interrupt);
      const left = await missing();
      if (left.length === 0) break;
      if (look % LOOKS_PER_CHECK === 0) {
        const [reason] = await takeFailed(queue, id);
        if (reason !== undefined)
          throw new CcbenchError('bad-input', `no machine could run a batch: ${reason}`, {
            hint: 'fix it and repeat the command; finished runs are kept',
          });
        await addBatches(queue, id, left);
        if (look === LOOKS_PER_CHECK && (await queue.getActiveCount()) === 0)
          note(session, 'no worker has taken a batch yet: `ccbench fleet worker --redis …` starts one');
      }
      const active = (await queue.getActive()).filter((job) => job?.data.study === id);
      const begun = active.reduce(
        (sum, job) => sum + (typeof job.progress === 'number' ? job.progress : 0),
        0,
      );
      progress.update(Math.min(total, finished() + begun));
      await setTimeout(LOOK_MS, undefined, { signal: interrupt }).catch(() => {});
    }
  } catch (error) {
    progress.clear();
    if (error instanceof Interrupted)
      note(session, 'the workers continue; the same command waits for them again');
    throw error;
  } finally {
    progress.clear();
  }
}
