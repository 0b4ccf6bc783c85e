import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, scenario, snapshot, TRACE, tempFolder } from './cli.js';
import { startCli } from './start.js';

const VARIANTS =
  'variants:\n  - { name: a, policy: unbounded }\n  - { name: b, policy: baselines/truncate }\n';

/** A process number that nobody has: that of a process which has ended. */
function endedPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

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

describe('names of folders', () => {
  it.each([
    ['...jsonl'],
    ['.jsonl'],
    ['....jsonl'],
    ['a\\b.jsonl'],
    ['report.html.jsonl'],
    ['Summary.json.jsonl'],
  ])('D7 a transcript called %s is reported below its scenario', async (name) => {
    const cwd = tempFolder({
      [name]: TRACE,
      'x.jsonl': TRACE,
      'a.yaml': `name: dots\ntranscript: { file: [${JSON.stringify(name)}, x.jsonl] }\npolicy: none\n`,
    });
    const { code } = await cli(['run', 'a.yaml', '--no-charts'], { cwd });
    expect(code).toBe(0);
    expect(readdirSync(join(cwd, 'reports'))).toEqual(['dots']);
    const folders = readdirSync(join(cwd, 'reports/dots'));
    expect(folders).toHaveLength(2);
    for (const folder of folders) {
      expect(readdirSync(join(cwd, 'reports/dots', folder))).toContain('summary.json');
      expect(['report.html', 'summary.json']).not.toContain(folder.toLowerCase());
    }
  });
});

describe('a report is replaced at once', () => {
  it('D9 what killed runs left is removed by the next run, what is being made stays', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tidy') });
    const reports = join(cwd, 'reports');
    await cli(['run', 'a.yaml', '--no-charts'], { cwd });
    const before = snapshot(join(reports, 'tidy'));
    const gone = endedPid();
    for (const name of [`.tidy.${gone}.new`, `.tidy.${gone}.old`, `.other.${gone}.new`]) {
      mkdirSync(join(reports, name));
      writeFileSync(join(reports, name, 'run.jsonl'), 'half');
    }
    mkdirSync(join(reports, `.tidy.${process.ppid}.new`));
    await cli(['run', 'a.yaml', '--no-charts', '--log', 'out.jsonl'], { cwd });
    expect(readdirSync(reports).sort()).toEqual([`.tidy.${process.ppid}.new`, 'tidy']);
    const after = snapshot(join(reports, 'tidy'));
    expect(after['run.jsonl']).toBe(before['run.jsonl']);
  });

  it('D9 a report that was moved aside when the run was killed is put back', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('aside'), 'b.yaml': scenario('other') });
    const reports = join(cwd, 'reports');
    await cli(['run', 'a.yaml', '--no-charts'], { cwd });
    const before = snapshot(join(reports, 'aside'));
    renameSync(join(reports, 'aside'), join(reports, `.aside.${endedPid()}.old`));
    await cli(['run', 'b.yaml', '--no-charts'], { cwd });
    expect(readdirSync(reports).sort()).toEqual(['aside', 'other']);
    expect(snapshot(join(reports, 'aside'))).toEqual(before);
  });

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
