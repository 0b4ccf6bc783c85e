import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../../../../scripts/kills/start-redis.mjs';
import { cli, tempFolder } from '../../cli.js';

/** Four sessions: two are searched on, two are held out. */
const MANY = `name: many
transcripts:
  - synthetic: { workload: bugfix, turns: 12, text: none }
  - synthetic: { workload: bugfix, turns: 14, text: none }
  - synthetic: { workload: bugfix, turns: 16, text: none }
  - synthetic: { workload: bugfix, turns: 18, text: none }
policy: { use: baselines/prune, set: { rules.prune.select.keep.tokens: 1000, rules.prune.when.piled: 1000 } }
`;
const SEARCH = ['a.yaml', '--vary', 'rules.prune.when.piled=1000..9000', '--budget', '18', '--json'];
const GOAL = ['--minimise', 'costUsd', '--workers', '0'];

let redis: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  redis = await startRedis();
}, 60_000);
afterAll(() => redis?.stop());

describe('ccbench fleet tune', { timeout: 300_000 }, () => {
  const now = () => performance.now();

  async function onFleet(cwd: string, words: readonly string[]) {
    const env = { CCBENCH_REDIS: redis.url };
    const stop = new AbortController();
    const worker = () =>
      cli(['fleet', 'worker', '--workers', '0', '--json'], { cwd, env, now, interrupt: stop.signal });
    const [search, ...workers] = [
      cli(['fleet', 'tune', ...words], { cwd, env, now }).finally(() => stop.abort()),
      worker(),
      worker(),
    ];
    const result = await search;
    const done = (await Promise.all(workers)).map(({ stdout }) => JSON.parse(stdout).batches as number);
    return { ...result, batches: done.reduce((sum, batches) => sum + batches, 0) };
  }

  it('finds what a search on one machine finds; asked again, the workers have nothing to do', async () => {
    const cwd = tempFolder({ 'a.yaml': MANY });
    const words = [...SEARCH, ...GOAL, '--no-files'];
    const alone = await cli(['tune', ...words], { cwd, now });
    const many = await onFleet(cwd, [...words, '--results', 'out']);
    expect(many.stderr).toBe('');
    expect(JSON.parse(many.stdout)).toEqual(JSON.parse(alone.stdout));
    const { rungs, outOfSample } = JSON.parse(many.stdout);
    expect(rungs.length).toBeGreaterThan(1);
    expect(outOfSample.heldOut).toHaveLength(2);
    // A study for each step, and one for the unchanged scenario.
    expect(readdirSync(join(cwd, 'out', 'studies'))).toHaveLength(rungs.length + 1);
    expect(many.batches).toBeGreaterThan(0);
    const again = await onFleet(cwd, [...words, '--results', 'out']);
    expect(again.batches).toBe(0);
    expect(again.stdout).toBe(many.stdout);
  });

  it('writes the report of a search, and goes on after one that was stopped', async () => {
    const cwd = tempFolder({ 'a.yaml': MANY });
    const words = [...SEARCH, ...GOAL];
    const stop = new AbortController();
    const env = { CCBENCH_REDIS: redis.url };
    setTimeout(() => stop.abort(), 1_500);
    const stopped = await cli(['fleet', 'tune', ...words, '--results', 'out'], {
      cwd,
      env,
      now,
      interrupt: stop.signal,
    });
    expect(stopped.stderr).toContain('the workers continue');
    const { stdout, stderr } = await onFleet(cwd, [...words, '--results', 'out']);
    expect(stderr).toBe('');
    expect(readdirSync(join(cwd, 'reports', 'many-tune'))).toEqual(expect.arrayContaining(['tune.json']));
    expect(JSON.parse(stdout).best.settings).toHaveProperty(['rules.prune.when.piled']);
  });

  it('refuses what other machines cannot do', async () => {
    const cwd = tempFolder({ 'a.yaml': MANY });
    const ask = (file: string, vary: string) =>
      cli(
        [
          'fleet',
          'tune',
          file,
          '--vary',
          vary,
          '--results',
          'out',
          '--redis',
          redis.url,
          ...GOAL,
          '--no-files',
        ],
        { cwd, now },
      );
    expect((await ask('-', 'seed=1..9')).stderr).toContain('cannot read the standard input');
    const varied = await ask('a.yaml', 'transcripts.0.synthetic.turns=10,12');
    expect({ code: varied.code, said: varied.stderr }).toEqual({
      code: 2,
      said: expect.stringContaining('the same sessions at every setting'),
    });
    const nowhere = await cli(['fleet', 'tune', ...SEARCH, ...GOAL, '--results', 'out'], { cwd, now });
    expect(nowhere.stderr).toContain('CCBENCH_REDIS');
  });
});
