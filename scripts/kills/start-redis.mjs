import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedis, REDIS_COMMAND } from '../find-redis.mjs';

/** A port of this machine that nobody listens at. */
export function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.on('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** Starts a server of its own on a free port of this machine, with a password; `stop` ends it and removes what it wrote. */
export async function startRedis() {
  const program = findRedis(process.env);
  if (program === null) throw new Error(`the tests of the fleet need a Redis: type one of ${REDIS_COMMAND}`);
  const folder = mkdtempSync(join(tmpdir(), 'ccbench-redis-'));
  const port = await freePort();
  const args = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--requirepass',
    'secret',
  ];
  const child = spawn(program, args.map(String), { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', (code) => fail(new Error(`${program} ended with ${code}`)));
    child.stdout.on('data', (data) => {
      if (/eady to accept connections/.test(String(data))) done();
    });
  });
  return {
    url: `redis://:secret@127.0.0.1:${port}`,
    port,
    async stop() {
      const ended = new Promise((done) => child.once('close', done));
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
