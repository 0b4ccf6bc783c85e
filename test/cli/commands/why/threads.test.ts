import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { needFreshBuild } from '../../../helpers/setup/built.js';
import { cli, tempFolder } from '../../cli.js';

const ROOT = resolve(import.meta.dirname, '../../../..');
const FIXTURE = readFileSync(join(ROOT, 'fixtures/bugfix-20-turns.jsonl'), 'utf8').trimEnd();
/** A line that makes sessions large enough for threads. */
const PADDING = JSON.stringify({ type: 'system', pad: 'x'.repeat(2_500_000) });

it('threads give the answer of one thread, and say what is wrong with a file', {
  timeout: 120_000,
}, async () => {
  needFreshBuild();
  const cwd = tempFolder();
  mkdirSync(join(cwd, 'logs'));
  for (const i of [1, 2, 3]) {
    const own = FIXTURE.replaceAll('"id":"msg', `"id":"msg-${i}`);
    writeFileSync(join(cwd, 'logs', `s${i}.jsonl`), `${own}\n${PADDING}\n`);
  }
  writeFileSync(join(cwd, 'logs', 'broken.jsonl'), `{"type":"user","sessionId":"s"\n${PADDING}\n`);
  const argv = ['why', 'logs', '--verbose', '--json', '--no-files'];
  const built = (kept: string) => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [join(ROOT, 'dist/cli/main.js'), ...argv],
      {
        cwd,
        encoding: 'utf8',
        env: { ...process.env, CCBENCH_CACHE: join(cwd, kept), HOME: cwd },
      },
    );
    return { code: status, stdout, stderr };
  };
  const alone = await cli(argv, { cwd, env: { CCBENCH_CACHE: join(cwd, 'alone'), HOME: cwd } });
  expect(alone.code).toBe(0);
  expect(built('threads')).toEqual(alone);
  expect(built('threads')).toEqual(alone);
});
