import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { type Job, type JobResult, OpenTranscripts } from '../../src/study/job.js';
import { JobRunner } from '../../src/study/job-runner.js';
import { WorkerPool } from '../../src/study/worker-pool.js';
import {
  recordedInput,
  shareInput,
  syntheticInput,
  type TranscriptInput,
} from '../../src/transcripts/files/transcript-input.js';
import { assistant, jsonl, say, user } from '../helpers/session.js';

const SCENARIO = `name: pool
transcript: { synthetic: { workload: bugfix, turns: 30, text: none } }
policy: baselines/prune
`;

function jobsOver(batches: readonly number[]): { jobs: Job[]; inputs: TranscriptInput[] } {
  const inputs: TranscriptInput[] = [];
  const jobs = batches.map((batch, index) => {
    const set = [`rules.prune.when.piled=${batch}`, 'rules.prune.select.keep.tokens=500'];
    const { plan, transcript } = compileScenario({ text: SCENARIO, file: 'p', set }, builtinContext).runs[0]!;
    if (transcript.kind !== 'synthetic') throw new Error('not generated');
    const input = syntheticInput(transcript.spec);
    inputs.push(input);
    return { index, plan, transcript: input.key, metrics: ['layers.rules.saved'] };
  });
  return { jobs, inputs };
}

const RECORDED = recordedInput(
  'session',
  jsonl([user('u1', 0, 'hello'), assistant('a1', 2, 'm1', say('hi'), { model: 'claude-sonnet-4-5' })]),
  [],
);

let folder = '';
let worker: URL;
let broken: URL;
/** A worker that adds 1 to the first number of each transcript it is sent. */
let counting: URL;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ccbench-worker-'));
  const entry = resolve(import.meta.dirname, '../../src/study/worker-run.ts');
  const outfile = join(folder, 'worker-run.mjs');
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  worker = pathToFileURL(outfile);
  const dies = join(folder, 'dies.mjs');
  writeFileSync(
    dies,
    `import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ job }) => {
  if (job.index === 1) throw new Error('out of luck');
  parentPort.postMessage({ ok: true, index: job.index, metrics: {}, skipped: [] });
});`,
  );
  broken = pathToFileURL(dies);
  const counts = join(folder, 'counts.mjs');
  writeFileSync(
    counts,
    `import { parentPort, threadId } from 'node:worker_threads';
parentPort.on('message', ({ job, input }) => {
  const shared = input === null ? null : new Int32Array(input.compiled.buffer, 0, 1);
  if (shared !== null) Atomics.add(shared, 0, 1);
  parentPort.postMessage({ ok: true, index: job.index, metrics: { threadId }, skipped: [] });
});`,
  );
  counting = pathToFileURL(counts);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(
  { jobs, inputs }: { jobs: readonly Job[]; inputs: readonly TranscriptInput[] },
  workers: number,
  entry: URL | null,
  signal = new AbortController().signal,
  heard: (result: JobResult) => void = () => {},
): Promise<readonly JobResult[]> {
  const runner = new JobRunner({ workers, entry });
  const results = await runner.run(jobs, inputs, { signal, onResult: heard, pause: async () => {} });
  await runner.close();
  return results;
}

describe('JobRunner', () => {
  it('gives the same results in this thread, on one worker and on several', async () => {
    const study = jobsOver([100, 5_000, 20_000, 700, 3_000]);
    const here = await run(study, 0, null);
    expect(here.map(({ index, ok }) => [index, ok])).toEqual([0, 1, 2, 3, 4].map((i) => [i, true]));
    expect(await run(study, 1, worker)).toEqual(here);
    expect(await run(study, 3, worker)).toEqual(here);
    const saved = here.map((result) => (result.ok ? result.metrics['layers.rules.saved'] : null));
    expect(new Set(saved).size).toBeGreaterThan(1);
  });

  it('sends recordings to workers, too', async () => {
    const { jobs } = jobsOver([100]);
    const job = { ...jobs[0]!, transcript: RECORDED.key };
    const study = { jobs: [job], inputs: [RECORDED] };
    const [here] = await run(study, 0, null);
    expect(here).toMatchObject({ ok: true, metrics: { apiCalls: 1 } });
    expect(await run(study, 2, worker)).toEqual([here]);
  });

  it('hands all workers the same bytes of a compiled transcript, not copies', async () => {
    const { jobs, inputs } = jobsOver([1, 2, 3, 4, 5, 6]);
    const shared = shareInput(inputs[0]!);
    if (shared.kind !== 'shared') throw new Error('not shared');
    expect(shared.compiled.buffer).toBeInstanceOf(SharedArrayBuffer);
    const first = new Int32Array(shared.compiled.buffer, 0, 1);
    const before = first[0]!;
    await run({ jobs, inputs: [shared] }, 2, counting);
    expect(first[0]! - before).toBe(2);
  });

  it('keeps threads and what they were sent for the next jobs, until the pool is closed', async () => {
    const { jobs, inputs } = jobsOver([1, 2, 3]);
    const shared = shareInput(inputs[0]!);
    if (shared.kind !== 'shared') throw new Error('not shared');
    const first = new Int32Array(shared.compiled.buffer, 0, 1);
    const before = first[0]!;
    const runner = new JobRunner({ workers: 1, entry: counting });
    const { signal } = new AbortController();
    const watch = { signal, onResult: () => {}, pause: async () => {} };
    const once = await runner.run(jobs, [shared], watch);
    const again = await runner.run(jobs, [shared], watch);
    expect(again).toEqual(once);
    expect(first[0]! - before).toBe(1);
    await runner.close();
    const [later] = await runner.run(jobs, [shared], watch);
    expect(later).not.toEqual(once[0]);
    await runner.close();
  });

  it('ends at once without a job, and begins none after a stop', async () => {
    const { jobs, inputs } = jobsOver([100]);
    const threads = new WorkerPool(worker, 2, []);
    const found: JobResult[] = [];
    await threads.run([], inputs, new AbortController().signal, (result) => found.push(result));
    await threads.run(jobs, inputs, AbortSignal.abort(), (result) => found.push(result));
    expect(found).toEqual([]);
    await threads.close();
  });

  it('goes on with kept threads after a stop', async () => {
    const study = jobsOver([100, 200, 300, 400]);
    const here = await run(study, 0, null);
    const runner = new JobRunner({ workers: 2, entry: worker });
    const stop = new AbortController();
    const pause = async () => {};
    const { signal } = stop;
    const onResult = () => stop.abort();
    expect(await runner.run(study.jobs, study.inputs, { signal, onResult, pause })).toHaveLength(1);
    const watch = { signal: new AbortController().signal, onResult: () => {}, pause };
    expect(await runner.run(study.jobs, study.inputs, watch)).toEqual(here);
    await runner.close();
  });

  it('gives jobs that a dying worker had at hand to the next one', async () => {
    const results = await run(jobsOver([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), 1, broken);
    expect(results.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(results.filter(({ ok }) => !ok).map(({ index }) => index)).toEqual([1]);
  });

  it('reports what fails and goes on with the others', async () => {
    const { jobs, inputs } = jobsOver([100, 200, 300]);
    const bad = { ...jobs[1]!, plan: { ...jobs[1]!.plan, provider: 'no-such-provider' } };
    const study = { jobs: [jobs[0]!, bad, jobs[2]!], inputs };
    const expected = [{ ok: true }, { ok: false, index: 1, error: { code: 'unknown-name' } }, { ok: true }];
    expect(await run(study, 0, null)).toMatchObject(expected);
    expect(await run(study, 2, worker)).toMatchObject(expected);
  });

  it('starts another worker when one dies, and says which job it had', async () => {
    const results = await run(jobsOver([1, 2, 3, 4]), 1, broken);
    expect(results.map((result) => (result.ok ? 'ok' : result.error.message))).toEqual([
      'ok',
      'out of luck',
      'ok',
      'ok',
    ]);
  });

  it.each([0, 2])('stops when it is told to and keeps what is finished (%i workers)', async (workers) => {
    const stop = new AbortController();
    const heard: number[] = [];
    const batches = Array.from({ length: 40 }, (_, i) => i + 1);
    const results = await run(
      jobsOver(batches),
      workers,
      workers === 0 ? null : worker,
      stop.signal,
      (result) => {
        heard.push(result.index);
        if (heard.length === 3) stop.abort();
      },
    );
    expect(results.map(({ index }) => index)).toEqual([...heard].sort((a, b) => a - b));
    expect(results.length).toBeLessThan(40);
  });
});

it('the open transcripts are those that were added last, and no more than are wanted', () => {
  const open = new OpenTranscripts();
  const recorded = (id: string) => recordedInput(id, RECORDED.bytes, []);
  const [first, second] = [recorded('first'), recorded('second')];
  for (const input of [first, second, first]) open.add(input);
  open.keep(1);
  expect(open.get(first.key).threads).toHaveLength(1);
  expect(() => open.get(second.key)).toThrow('no transcript has the key');
});
