import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, scenario, tempFolder } from '../cli.js';
import { startCli } from '../start.js';

const VARIANTS =
  'variants:\n  - { name: a, policy: unbounded }\n  - { name: b, policy: baselines/truncate }\n';

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((done) => setTimeout(done, 10));
}

describe('output that cannot be read or written', () => {
  it('D4 a reader that goes away takes neither the report nor the failed expectation with it', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('piped', `expect: ["costUsd < 0"]\n${VARIANTS}`) });
    const { child, ended } = startCli(['run', 'a.yaml'], cwd);
    child.stdout!.once('data', () => child.stdout!.destroy());
    expect((await ended).code).toBe(99);
    expect(existsSync(join(cwd, 'reports/piped/b/report.html'))).toBe(true);
    expect(readdirSync(join(cwd, 'reports'))).toEqual(['piped']);
  });

  it.runIf(existsSync('/dev/full'))('D8 a full disk behind stdout is one line and exit 2', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('full') });
    const full = openSync('/dev/full', 'w');
    const { code, stderr } = await startCli(['run', 'a.yaml'], cwd, { stdout: full }).ended;
    closeSync(full);
    expect(code).toBe(2);
    expect(stderr).toBe('error[output-unwritable] the output cannot be written: the disk is full\n');
    expect(existsSync(join(cwd, 'reports/full/summary.json'))).toBe(true);
  });
});

describe.runIf(existsSync('/proc/self'))('a place in which no folder can be made', () => {
  const ended = async (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const cwd = tempFolder({ 'a.yaml': scenario('nowhere') });
    const started = startCli(argv, cwd, { env });
    const stop = setTimeout(() => started.child.kill('SIGKILL'), 20_000);
    const { code, stderr } = await started.ended;
    clearTimeout(stop);
    return { code, stderr };
  };

  it('keeps nothing as the folder of the cache, and ends no command', async () => {
    const recording = resolve('fixtures/bugfix-20-turns.jsonl');
    const why = await ended(['why', recording, '--no-files'], { CCBENCH_CACHE: '/proc/ccbench' });
    expect(why.code).toBe(0);
  });

  it.each([
    ['run', 'a.yaml', '--out'],
    ['sweep', 'a.yaml', '--vary', 'seed=1,2', '--results'],
  ])('is named by %s', async (...argv) => {
    const { code, stderr } = await ended([...argv, '/proc/ccbench']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot be written.*: no folder can be created there/);
  });
});

describe('a report is replaced at once', () => {
  it('D9 a kill in the middle of the switch leaves a whole report', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('switched') });
    const target = join(cwd, 'reports/switched');
    await cli(['run', 'a.yaml', '--no-charts'], { cwd });
    writeFileSync(join(target, 'summary.json'), '{}');
    // a file system on which moving takes its time
    const tools = tempFolder({
      mv: '#!/bin/sh\n[ "$1" = --exchange ] && exit 1\necho x >> "$MOVES"\nsleep 1\nexec /bin/mv "$@"\n',
    });
    chmodSync(join(tools, 'mv'), 0o755);
    const moves = join(cwd, 'moves');
    const env = { PATH: `${tools}:${process.env.PATH}`, MOVES: moves };
    const { child, ended } = startCli(['run', 'a.yaml', '--no-charts'], cwd, { env });
    await until(() => existsSync(moves) && readFileSync(moves, 'utf8').length >= 4);
    expect(existsSync(target)).toBe(false);
    child.kill('SIGKILL');
    expect((await ended).signal).toBe('SIGKILL');
    await until(() => existsSync(target));
    expect(JSON.parse(readFileSync(join(target, 'summary.json'), 'utf8')).name).toBe('switched');
    await cli(['run', 'a.yaml', '--no-charts'], { cwd });
    expect(readdirSync(join(cwd, 'reports'))).toEqual(['switched']);
  });
});
