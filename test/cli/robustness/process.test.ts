import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { needFreshBuild } from '../../helpers/setup/built.js';
import { scenario, tempFolder } from '../cli.js';

const MAIN = resolve(import.meta.dirname, '../../../dist/cli/main.js');
const INTERRUPT = resolve(import.meta.dirname, '../../../dist/cli/terminal/interrupt.js');
const ORDINARY_USER = resolve(import.meta.dirname, 'ordinary-user.mjs');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(argv: readonly string[], cwd: string, env: Record<string, string> = {}, main = MAIN) {
  return startNode([main, ...argv], cwd, env);
}

/** Runs a program given as text. */
function program(text: string): Promise<Ended> {
  return startNode(['--input-type=module', '--eval', text], tempFolder(), {}).ended;
}

function startNode(args: readonly string[], cwd: string, env: Record<string, string>) {
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env } });
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (data) => (out[name] += String(data)));
  const ended = new Promise<Ended>((done) => child.on('close', (code) => done({ code, ...out })));
  return { child, ended };
}

/** What a run has written of its log so far. */
function writtenBytes(cwd: string): number {
  const names = readdirSync(cwd, { recursive: true }).map(String);
  const log = names.find((name) => name.endsWith('run.jsonl'));
  return log === undefined ? 0 : statSync(join(cwd, log)).size;
}

/** A program that is sent Ctrl-C the moment before work that cannot pause, and once more after it. */
const MOMENT_BEFORE = `
  import { yieldToEventLoop, listenForInterrupt, runInterruptible } from ${JSON.stringify(INTERRUPT)};
  const watchers = process.listenerCount('removeListener');
  const interrupt = listenForInterrupt();
  const off = process.off;
  process.off = function (name, listener) {
    if (name === 'SIGTERM') process.kill(process.pid, 'SIGINT');
    return off.call(process, name, listener);
  };
  const told = await runInterruptible(interrupt, () => 'the work is done').catch((error) => error.message);
  console.log(told, process.listenerCount('SIGINT'), process.listenerCount('removeListener') - watchers);
  process.kill(process.pid, 'SIGINT');
  await yieldToEventLoop(new AbortController().signal);
  await yieldToEventLoop(new AbortController().signal);
  console.log('not reached');
`;

/** The same between two pieces of such work. */
const MOMENT_BETWEEN = `
  import { yieldToEventLoop, listenForInterrupt, runInterruptible } from ${JSON.stringify(INTERRUPT)};
  const interrupt = listenForInterrupt();
  console.log(await runInterruptible(interrupt, () => 'the work is done'), process.listenerCount('SIGINT'));
  process.kill(process.pid, 'SIGINT');
  console.log(await runInterruptible(interrupt, () => 'more is done').catch((error) => error.message));
`;

beforeAll(needFreshBuild);

describe('the built command', () => {
  it('gives the same digest in another folder, time zone and locale', async () => {
    const digests: string[] = [];
    for (const env of [
      { TZ: 'UTC', LC_ALL: 'C' },
      { TZ: 'Asia/Kathmandu', LC_ALL: 'tr_TR.UTF-8' },
    ]) {
      const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
      const { code, stdout } = await start(['run', 'a.yaml', '--json', '--no-files'], cwd, env).ended;
      expect(code).toBe(0);
      digests.push(JSON.parse(stdout).digest);
    }
    expect(digests[1]).toBe(digests[0]);
  });

  it.each(['inspect', 'ttl', 'validate'])(
    'D8 %s: a folder that may not be read is bad input',
    async (command) => {
      const cwd = tempFolder();
      chmodSync(cwd, 0o755);
      mkdirSync(join(cwd, 'open'));
      mkdirSync(join(cwd, 'closed'), { mode: 0 });
      const { code, stderr } = await start([command, 'open', 'closed'], cwd, {}, ORDINARY_USER).ended;
      expect(code).toBe(2);
      expect(stderr).toContain('closed cannot be read: no permission');
      expect(stderr).not.toContain('    at ');
    },
  );

  it('ends a long replay on SIGINT with 130 and leaves nothing behind', async () => {
    const long = scenario('long')
      .replace('turns: 40', 'turns: 30000')
      .replace('policy: none', 'policy: unbounded');
    const cwd = tempFolder({ 'a.yaml': long });
    const { child, ended } = start(['run', 'a.yaml'], cwd);
    while (writtenBytes(cwd) === 0) await new Promise((done) => setTimeout(done, 20));
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain('interrupted');
    expect(readdirSync(cwd)).toEqual(['a.yaml']);
  });

  it('hears a Ctrl-C of the moment before work that cannot pause, and the next one', async () => {
    const { code, stdout, stderr } = await program(MOMENT_BEFORE);
    expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: 'interrupted 1 0\n', stderr: '' });
  });

  it('hears a Ctrl-C after work that could not pause', async () => {
    const { code, stdout, stderr } = await program(MOMENT_BETWEEN);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'the work is done 1\ninterrupted\n',
      stderr: '',
    });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'serves until %s, then prints totals and ends well',
    async (signal) => {
      const { child, ended } = start(['serve', '--port', '0', '--count-with', 'heuristic'], tempFolder());
      const url = await new Promise<string>((found) => {
        let printed = '';
        child.stdout.on('data', (data) => {
          printed += String(data);
          const seen = /listening at (\S+)/.exec(printed)?.[1];
          if (seen !== undefined) found(seen);
        });
      });
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      // an answer takes seconds: the signal comes in the middle of it
      const cut = fetch(`${url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': 'any', 'anthropic-version': '2026-10-21' },
        body: JSON.stringify({
          model: 'claude-sonnet-4-5',
          max_tokens: 9,
          messages: [{ role: 'user', content: 'hi' }],
        }),
      }).then((answer) => answer.text());
      await new Promise<void>((seen) => child.stdout.once('data', () => seen()));
      child.kill(signal);
      await expect(cut).rejects.toThrow();
      const { code, stdout, stderr } = await ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('1 call: 1 answered, 0 refused; 1 conversation');
    },
  );

  it('stays quiet when its reader goes away', async () => {
    const { child, ended } = start(['models', '--json'], tempFolder());
    child.stdout.destroy();
    expect((await ended).stderr).toBe('');
  });
});
