import { appendFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startRedis } from '../../../../scripts/kills/start-redis.mjs';
import { shownUrl } from '../../../../src/cli/commands/fleet/redis-connection.js';
import { assistant, jsonl, say, usage, user } from '../../../helpers/session.js';
import { cli, printed, snapshot, tempFolder } from '../../cli.js';
import { PRUNE, VARY } from '../columns/finished-study.js';

const WORDS = ['a.yaml', ...VARY, '--json'];

let redis: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  redis = await startRedis();
}, 60_000);
afterAll(() => redis?.stop());

describe('ccbench fleet', { timeout: 300_000 }, () => {
  it('workers make the bytes of a sweep on one machine; asked again, nothing is left to do', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    await cli(['sweep', ...WORDS, '--results', 'one', '--workers', '0'], { cwd });
    const env = { CCBENCH_REDIS: redis.url };
    const now = () => performance.now();
    const stop = new AbortController();
    const worker = () =>
      cli(['fleet', 'worker', '--workers', '0', '--json'], { cwd, env, now, interrupt: stop.signal });
    const [run, ...workers] = [
      cli(['fleet', 'run', ...WORDS, '--results', 'many'], { cwd, env, now }).finally(() => stop.abort()),
      worker(),
      worker(),
    ];
    const result = await run;
    expect(result.stderr).toBe('');
    expect(JSON.parse(result.stdout)).toMatchObject({ runs: 70, finished: 70, failed: 0, ran: 70 });
    expect(snapshot(join(cwd, 'many'))).toEqual(snapshot(join(cwd, 'one')));
    const done = (await Promise.all(workers)).map(({ stdout }) => JSON.parse(stdout).batches);
    expect(done[0] + done[1]).toBe(24);
    const again = await cli(['fleet', 'run', ...WORDS, '--results', 'many'], { cwd, env: {} });
    expect(JSON.parse(again.stdout).ran).toBe(0);
  });

  it('leaves no study where no server is reached, and what was there as it was', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const ask = (results: string) =>
      cli(['fleet', 'run', ...WORDS, '--results', results, '--redis', 'redis://127.0.0.1:1'], { cwd });
    expect((await ask('out/deep')).code).toBe(2);
    expect(readdirSync(cwd)).toEqual(['a.yaml']);
    await cli(['sweep', 'a.yaml', '--vary', 'cache.ttl=5m,1h', '--results', 'out', '--workers', '0'], {
      cwd,
    });
    const before = snapshot(join(cwd, 'out'));
    expect((await ask('out')).code).toBe(2);
    expect(snapshot(join(cwd, 'out'))).toEqual(before);
  });

  it('holds nothing but keys in the queue', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const stop = new AbortController();
    const run = cli(['fleet', 'run', ...WORDS, '--results', 'out', '--redis', redis.url], {
      cwd,
      interrupt: stop.signal,
      now: () => performance.now(),
    });
    const { Redis } = createRequire(import.meta.url)('ioredis');
    const client = new Redis(redis.url);
    try {
      await vi.waitFor(
        async () => expect(await client.keys('ccbench:batches-*:*-0')).toHaveLength(1),
        60_000,
      );
      const [key] = await client.keys('ccbench:batches-*:*-0');
      const data = JSON.parse(await client.hget(key, 'data'));
      expect(data).toEqual({ study: expect.stringMatching(/^[0-9a-f]{16}$/), batch: 0 });
      stop.abort();
      const { code, stderr } = await run;
      expect(code).toBe(130);
      expect(stderr).toContain('the workers continue; the same command waits for them again\n');
    } finally {
      stop.abort();
      await run;
      await client.flushall();
      client.disconnect();
    }
  });

  it('a worker whose files differ refuses, and whoever asked hears why', async () => {
    const asker = tempFolder({ 'a.yaml': PRUNE });
    const other = tempFolder({ 'a.yaml': PRUNE.replace('turns: 5', 'turns: 6') });
    const stop = new AbortController();
    const now = () => performance.now();
    const worker = cli(['fleet', 'worker', '--redis', redis.url, '--workers', '0', '--json'], {
      cwd: other,
      now,
      interrupt: stop.signal,
    });
    const run = await cli(['fleet', 'run', ...WORDS, '--results', 'out', '--redis', redis.url], {
      cwd: asker,
      now,
    });
    stop.abort();
    await worker;
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('differ from those of the command that queued the work');
    expect(readdirSync(other)).toEqual(['a.yaml']);
  });

  it('workers make the shares of sessions that --shard makes; only what is lost or has changed is made again', async () => {
    const calls = (i: number, of: number) =>
      Array.from({ length: of }, (_, n) => [
        user(`u${i}-${n}`, n * 60, 'a question', n === 0 ? {} : { parentUuid: `a${i}-${n - 1}` }),
        assistant(
          `a${i}-${n}`,
          n * 60 + 1,
          `call${i}-${n}`,
          say('an answer'),
          { model: 'claude-sonnet-4-5', usage: usage(10, n === 0 ? 0 : 5_000, 5_000, 20) },
          { parentUuid: `u${i}-${n}` },
        ),
      ]).flat();
    const cwd = tempFolder(
      Object.fromEntries([0, 1, 2, 3, 4].map((i) => [`s${i}.jsonl`, jsonl(calls(i, 3))])),
    );
    const env = { CCBENCH_REDIS: redis.url };
    const now = () => performance.now();
    const stop = new AbortController();
    const worker = () => cli(['fleet', 'worker', '--json'], { cwd, env, now, interrupt: stop.signal });
    const workers = [worker(), worker()];
    const ask = async (command: string, results: string) => {
      const words = ['fleet', command, 's*.jsonl', '--shares', '3', '--results', results, '--json'];
      const stdout = await printed(words, { cwd, env, now });
      return JSON.parse(stdout);
    };
    try {
      for (const command of ['why', 'validate']) {
        const alone = `${command}-alone`;
        for (const shard of ['1/3', '2/3', '3/3'])
          await cli([command, 's*.jsonl', '--results', alone, '--shard', shard], { cwd });
        expect(await ask(command, command)).toEqual({ command, shares: 3, ran: 3, results: command });
        expect(snapshot(join(cwd, command))).toEqual(snapshot(join(cwd, alone)));
        expect((await ask(command, command)).ran).toBe(0);
      }
      expect((await ask('why', 'elsewhere')).ran).toBe(3);
      expect(snapshot(join(cwd, 'elsewhere'))).toEqual(snapshot(join(cwd, 'why-alone')));
      rmSync(join(cwd, 'why/requests-2-of-3.parquet'));
      expect((await ask('why', 'why')).ran).toBe(1);
      expect(snapshot(join(cwd, 'why'))).toEqual(snapshot(join(cwd, 'why-alone')));
      appendFileSync(join(cwd, 's0.jsonl'), jsonl(calls(0, 4).slice(-2)));
      expect((await ask('why', 'why')).ran).toBe(3);
      expect(snapshot(join(cwd, 'why'))).not.toEqual(snapshot(join(cwd, 'why-alone')));
    } finally {
      stop.abort();
      await Promise.all(workers);
    }
  });

  it('a worker that sees other sessions refuses its share, and nobody is asked to read a pipe', async () => {
    const line = jsonl([user('u', 0, 'a question')]);
    const asker = tempFolder({ 's.jsonl': line });
    const other = tempFolder({ 's.jsonl': new Uint8Array([...line, 10]) });
    const env = { CCBENCH_REDIS: redis.url };
    const now = () => performance.now();
    const stop = new AbortController();
    const worker = cli(['fleet', 'worker', '--json'], { cwd: other, env, now, interrupt: stop.signal });
    const run = await cli(['fleet', 'why', 's.jsonl', '--results', 'out'], { cwd: asker, env, now });
    stop.abort();
    await worker;
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('the sessions differ from those of the command that queued the work');
    const piped = await cli(['fleet', 'why', '-', '--results', 'out'], { cwd: asker, env });
    expect([piped.code, piped.stderr]).toEqual([
      2,
      expect.stringContaining('cannot read the standard input'),
    ]);
  });

  it('a worker says what it did, ends when it has nothing to do, and is told of what the server has lost', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const env = { CCBENCH_REDIS: redis.url };
    const now = () => performance.now();
    const worker = ['fleet', 'worker', '--workers', '0', '--idle', '1'];
    const small = ['a.yaml', '--vary', 'cache.ttl=5m,1h', '--results', 'small'];
    const [run, done] = await Promise.all([
      cli(['fleet', 'run', ...small], { cwd, env, now, terminal: 'stderr' }),
      cli([...worker, '--results', 'small'], { cwd, env, now }),
    ]);
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('of 2 runs');
    expect(run.stderr).not.toContain('finished already');
    expect(run.stdout).toMatch(/^tiny-sweep: 2 of 2 runs in 1 part, /);
    const batches = done.stderr.match(/^batch \d+ of study [0-9a-f]{16} is done$/gm)!.length;
    expect(done.code).toBe(0);
    expect(done.stdout).toBe('');
    expect(done.stderr).toMatch(/^waiting for batches; /);
    expect(done.stderr).toContain(`\n${batches} batch${batches === 1 ? '' : 'es'} done\n`);
    const again = await cli(['fleet', 'run', ...small], { cwd, env: {} });
    expect(again.stderr).toBe('2 of 2 runs are finished already\n');
  });

  it('a batch of a study that the server does not know fails, and says so', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const { Redis } = createRequire(import.meta.url)('ioredis');
    const client = new Redis(redis.url);
    const stop = new AbortController();
    const now = () => performance.now();
    const options = { cwd, now, interrupt: stop.signal };
    const run = cli(['fleet', 'run', ...WORDS, '--results', 'out', '--redis', redis.url], options);
    try {
      await vi.waitFor(
        async () => expect(await client.keys('ccbench:batches-*:*-0')).toHaveLength(1),
        60_000,
      );
      const studies = (await client.keys('ccbench:*')).filter((key: string) => !key.includes(':batches-'));
      expect(studies).not.toEqual([]);
      await client.del(...studies);
      const worker = ['fleet', 'worker', '--redis', redis.url, '--workers', '0', '--idle', '1'];
      const { stderr } = await cli(worker, { cwd, now });
      expect(stderr).toMatch(/^a batch failed: the server does not know the study [0-9a-f]{16}$/m);
      expect(stderr).toContain('\n0 batches done\n');
    } finally {
      stop.abort();
      await run;
      await client.flushall();
      client.disconnect();
    }
  });

  it('says what is wrong with the server, and never its password', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const ask = (...args: string[]) => cli(['fleet', 'worker', '--idle', '1', ...args], { cwd });
    expect((await ask()).stderr).toContain('CCBENCH_REDIS');
    expect((await ask('--redis', 'http://x')).stderr).toContain('not a redis:// address');
    const wrong = await ask('--redis', redis.url.replace('secret', 'hunter2'));
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/127\.0\.0\.1:\d+ cannot be used: .*(?:WRONGPASS|invalid)/);
    expect(wrong.stderr).not.toContain('hunter2');
    expect((await ask('--redis', 'redis://127.0.0.1:1')).stderr).toContain('ECONNREFUSED');
    expect((await ask('--redis', redis.url, '--redis-ca', 'a.yaml')).stderr).toContain('rediss://');
    expect(shownUrl('rediss://me:secret@host:1/0')).toBe('rediss://host:1/0');
  });
});
