import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, scenario, TRACE, tempFolder } from '../../cli.js';

describe('--watch', () => {
  it('runs again when a policy file of the scenario changes, shows a fault and goes on, and ends with 130', async () => {
    const policy = (tokens: number) => `name: mine\nclient: {}\nrules: []\n# ${tokens}\n`;
    const cwd = tempFolder({
      'a.yaml': scenario('watched').replace('policy: none', 'policy: ./mine.yaml'),
      'mine.yaml': policy(1),
    });
    const steps = [
      () => writeFileSync(join(cwd, 'mine.yaml'), policy(22)),
      () => writeFileSync(join(cwd, 'a.yaml'), 'name: [\n'),
      () => stop.abort(),
    ];
    const stop = new AbortController();
    const result = await cli(['run', 'a.yaml', '--watch', '--no-files', '--quiet'], {
      cwd,
      interrupt: stop.signal,
      onPrinted: (text) => {
        if (text.startsWith('watching ')) steps.shift()?.();
      },
    });
    expect(result.code).toBe(130);
    expect(result.stderr).toContain('watching 2 files; a change runs again, Ctrl-C ends');
    expect(result.stderr).toContain('\nmine.yaml changed\n');
    expect(result.stderr).toContain('\na.yaml changed\nerror[bad-scenario] a.yaml:');
    expect(result.stderr.match(/^watching /gm)).toHaveLength(3);
  });

  it.each([
    [['run', 'a.yaml', '--watch', '--json'], 'leave out one of the two'],
    [['compare', '-', '--watch'], 'write the scenario into a file and name it'],
  ])('%j is refused with a way out', async (argv, hint) => {
    const { code, stdout, stderr } = await cli(argv, { cwd: tempFolder({ 'a.yaml': scenario('a') }) });
    expect(code).toBe(2);
    expect(`${stdout}${stderr}`).toContain(hint);
  });

  it('looks at all that files name: in quotes, below the home folder, and the folder of a pattern', async () => {
    const cwd = tempFolder({
      'a.yaml':
        'name: a\ntranscripts: [{ file: "s 1.json" }, { file: \'~/s2.json\' }, { file: more/*.json }]\npolicy: none\n# ...\n',
      's 1.json': TRACE,
      's2.json': TRACE,
    });
    mkdirSync(join(cwd, 'more'));
    writeFileSync(join(cwd, 'more/s3.json'), TRACE);
    const stop = new AbortController();
    const { stderr } = await cli(['run', 'a.yaml', '--watch', '--no-files', '--quiet'], {
      cwd,
      env: { HOME: cwd },
      interrupt: stop.signal,
      onPrinted: (text) => text.startsWith('watching ') && stop.abort(),
    });
    // the scenario, two files and the folder of the third
    expect(stderr).toContain('watching 4 files; a change runs again, Ctrl-C ends');
    expect(stderr).not.toContain(' changed');
  });
});
