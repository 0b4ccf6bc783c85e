import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { inputOf } from '../../src/config/files/open-ref.js';
import { JobRunner } from '../../src/study/job-runner.js';

let folder = '';
let worker: URL;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ccbench-sessions-'));
  const outfile = join(folder, 'worker-run.mjs');
  await build({
    entryPoints: [resolve(import.meta.dirname, '../../src/study/worker-run.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
  });
  worker = pathToFileURL(outfile);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a week of work', () => {
  it('INV-13 ten sessions and 4,000 turns give the same numbers here and on two workers', async () => {
    const file = resolve(import.meta.dirname, '../../scenarios/week-of-work.yaml');
    const { runs } = compileScenario({ text: readFileSync(file, 'utf8'), file, set: [] }, builtinContext);
    const input = inputOf(runs[0]!.transcript, { cwd: '.' });
    const jobs = runs.slice(0, 2).map(({ plan }, index) => ({
      index,
      plan,
      transcript: input.key,
      metrics: ['dreamSkips.time', 'costByCause.carry', 'layers.auto-memory.costUsd'],
    }));
    const run = async (workers: number) => {
      const runner = new JobRunner({ workers, entry: worker });
      const { signal } = new AbortController();
      const results = await runner.run(jobs, [input], { signal, onResult: () => {}, pause: async () => {} });
      await runner.close();
      return results;
    };
    const here = await run(0);
    expect(here).toMatchObject([{ ok: true, metrics: { turns: 4_000 } }, { ok: true }]);
    expect(await run(2)).toEqual(here);
  });
});
