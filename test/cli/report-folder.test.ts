import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lineOf } from '../../src/cli/commands/run/judge-runs.js';
import { cli, printed, scenario, snapshot, TRACE, tempFolder } from './cli.js';

/** A scenario of three turns, and a folder where its report goes with the given files in it. */
function folderWith(...files: readonly string[]): string {
  const folder = tempFolder();
  writeFileSync(
    join(folder, 'a.yaml'),
    'name: a\ntranscript: { synthetic: { workload: bugfix, turns: 3, text: none } }\npolicy: none\n',
  );
  for (const file of files) {
    const path = join(folder, 'out', 'a', file);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, 'old');
  }
  return folder;
}

/** A process number that nobody has: that of a process which has ended. */
function endedPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

const run = (folder: string) => cli(['run', 'a.yaml', '--out', 'out'], { cwd: folder });

describe('the folder of a report', () => {
  it.each([
    ['files of a report', ['report.html', 'summary.json']],
    ['folders of runs with such files', ['old/report.html', 'old/deep/run.jsonl']],
  ])('is replaced where it holds %s', async (_, files) => {
    const folder = folderWith(...files);
    expect((await run(folder)).code).toBe(0);
    expect(readFileSync(join(folder, 'out/a/report.html'), 'utf8')).not.toBe('old');
    expect(existsSync(join(folder, 'out/a/old'))).toBe(false);
  });

  it.each([['thesis.txt'], ['old/thesis.txt'], ['old/deep/thesis.txt'], ['old/deep/er/report.html']])(
    'is left alone where it holds %s',
    async (file) => {
      const folder = folderWith('report.html', file);
      const { code, stderr } = await run(folder);
      expect(code).toBe(2);
      expect(stderr).toContain(file.split('/').at(-1) === 'report.html' ? 'er' : file);
      expect(readFileSync(join(folder, 'out/a', file), 'utf8')).toBe('old');
    },
  );
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
    await printed(['run', 'a.yaml', '--no-charts'], { cwd });
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
});

describe('the line of an expectation', () => {
  it('counts from one, and is unknown where it is written in another way', () => {
    const text = 'name: a\nexpect:\n  - costUsd < 1\n  - turns == 3\n';
    expect([lineOf(text, 'costUsd < 1'), lineOf(text, 'turns == 3'), lineOf(text, 'turns==3')]).toEqual([
      3,
      4,
      null,
    ]);
    expect(lineOf('turns == 3', 'turns == 3')).toBe(1);
  });
});
