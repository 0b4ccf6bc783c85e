import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lineOf } from '../../src/cli/ci/verdict.js';
import { cli, tempFolder } from './cli.js';

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
