import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, scenario, tempFolder } from './cli.js';
import { startCli } from './start.js';

const EXPECTS = 'expect:\n  - costUsd >= 0\n  - compactions == 7\n';
const QUIET = ['--quiet', '--no-charts', '--no-timings'];

describe('JUnit', () => {
  it('has a case for each expectation and each metric of the baseline', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('guard', EXPECTS) });
    await cli(['run', 'a.yaml', '--out', 'main', ...QUIET], { cwd });
    const path = join(cwd, 'main/guard/summary.json');
    const summary = JSON.parse(readFileSync(path, 'utf8'));
    summary.metrics.costUsd /= 2;
    writeFileSync(path, JSON.stringify(summary));
    const argv = ['run', 'a.yaml', '--baseline', 'main', '--no-files', '--junit', 'out/j.xml', ...QUIET];
    expect((await cli(argv, { cwd })).code).toBe(99);
    const xml = readFileSync(join(cwd, 'out/j.xml'), 'utf8');
    // One for the run itself, two expectations, four gated metrics; one expectation and the cost fail.
    expect(xml).toContain('<testsuites name="ccbench" tests="7" failures="2" errors="0" skipped="0">');
    expect(xml).toContain('name="expects costUsd &gt;= 0" file="a.yaml" line="6"/>');
    expect(xml).toContain('name="expects compactions == 7" file="a.yaml" line="7">');
    expect(xml).toContain('<failure type="regression" message="costUsd was ');
    expect(xml.match(/<failure /g)).toHaveLength(2);
    await cli(argv, { cwd });
    expect(readFileSync(join(cwd, 'out/j.xml'), 'utf8')).toBe(xml);
  });

  it('stays well-formed whatever a scenario is called', async () => {
    const cwd = tempFolder({ '<&>.yaml': scenario('guard') });
    await cli(['run', '<&>.yaml', '--no-files', '--junit', 'j.xml', ...QUIET], { cwd });
    expect(readFileSync(join(cwd, 'j.xml'), 'utf8')).toContain('file="&lt;&amp;&gt;.yaml"');
  });
});

describe('GitHub', () => {
  const ACTIONS = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: 'summary.md' };

  it('gets a summary and a mark on the line of what failed', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('guard', EXPECTS) });
    const { code, stderr } = await cli(['run', 'a.yaml', '--no-files', ...QUIET], { cwd, env: ACTIONS });
    expect(code).toBe(99);
    expect(stderr).toContain('::error file=a.yaml,line=7,title=guard::expects compactions == 7: ');
    const summary = readFileSync(join(cwd, 'summary.md'), 'utf8');
    expect(summary).toContain('| guard | $');
    expect(summary).toContain('❌ 1 of 3 failed');
    expect(summary).toContain('- **guard**: expects compactions == 7: ');
  });

  it('is told where a scenario is wrong, from the top of the workspace, and nothing of it is on stdout', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('guard', 'polcy: x\n') });
    const env = { ...ACTIONS, GITHUB_WORKSPACE: join(cwd, '..') };
    const { code, stdout, stderr } = await cli(['run', 'a.yaml', '--json'], { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^::error file=ccbench-test-[^,/]+\/a\.yaml,line=5,col=1,title=[a-z-]+::/m);
    expect(JSON.parse(stdout).error.place.line).toBe(5);
  });

  it('is told by --github anywhere, and nothing with --no-github or elsewhere', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('guard', EXPECTS) });
    const marks = async (argv: readonly string[], env: Record<string, string>) =>
      (await cli(['run', 'a.yaml', '--no-files', ...QUIET, ...argv], { cwd, env })).stderr.includes(
        '::error',
      );
    expect(await marks([], {})).toBe(false);
    expect(await marks(['--github'], {})).toBe(true);
    expect(await marks(['--no-github'], { GITHUB_ACTIONS: 'true' })).toBe(false);
  });
});

describe('standard input', () => {
  const run = async (argv: readonly string[], text: string, cwd: string) => {
    const { child, ended } = startCli(argv, cwd, { stdin: 'pipe' });
    child.stdin!.end(text);
    return ended;
  };

  it('is a scenario whose paths start from the current folder', async () => {
    const recording = readFileSync(new URL('../../fixtures/bugfix-20-turns.jsonl', import.meta.url));
    const cwd = tempFolder({ 'rec.jsonl': recording });
    const text = 'name: piped\ntranscript: { file: rec.jsonl }\nmodel: claude-sonnet-4-5\npolicy: none\n';
    const { code, stdout } = await run(['run', '-', '--json', '--no-files'], text, cwd);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).runs[0].name).toBe('piped');
    const broken = await run(['run', '-', '--no-files'], `${text}polcy: x\n`, cwd);
    expect(broken.code).toBe(2);
    expect(broken.stderr).toMatch(/^error\[[a-z-]+\] -:5:1: /);
  });

  it('is a recording, the same as from its file, and leaves nothing behind', async () => {
    const recording = readFileSync(new URL('../../fixtures/bugfix-20-turns.jsonl', import.meta.url), 'utf8');
    const cwd = tempFolder({ 'stdin.jsonl': recording });
    const piped = await run(['inspect', '-', '--json'], recording, cwd);
    expect(piped.stderr).toBe('');
    const named = await cli(['inspect', 'stdin.jsonl', '--json'], { cwd });
    expect(JSON.parse(piped.stdout)).toEqual(JSON.parse(named.stdout.replaceAll('stdin.jsonl', '-')));
  });
});

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
});

describe('completion', () => {
  /** What bash offers for a line. */
  async function offered(...words: readonly string[]): Promise<readonly string[]> {
    const cwd = tempFolder();
    const { stdout } = await cli(['completion', 'bash'], { cwd });
    writeFileSync(join(cwd, 'c.bash'), stdout);
    const list = ['ccbench', ...words].map((word) => `'${word}'`).join(' ');
    const script = `. ./c.bash; COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _ccbench; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const text = execFileSync('bash', ['-eu', '-c', script], { cwd, encoding: 'utf8' });
    return text.split('\n').filter((word) => word !== '');
  }

  it.skipIf(process.platform === 'win32')('offers commands, their options and words in bash', async () => {
    expect(await offered('comp')).toEqual(['compare', 'completion']);
    expect(await offered('policies', 's')).toEqual(['show']);
    expect(await offered('run', 'a.yaml', '--ju')).toEqual(['--junit']);
    expect(await offered('policies', 'show', '--max')).toEqual(['--max-output']);
    expect(await offered('tune', '--method', '')).toEqual(['random', 'halving']);
    expect(await offered('schema', 'p')).toEqual(['policy', 'provider']);
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
    expect(await offered('run', '')).toEqual([]);
    expect(await offered('run', '--out', '-')).toEqual([]);
    expect(await offered('--deb')).toEqual(['--debug']);
  });

  it.each(['zsh', 'fish', 'powershell'])('holds every command and option in %s', async (shell) => {
    const { stdout } = await cli(['completion', shell], { cwd: tempFolder() });
    for (const word of ['compare', 'policies show', 'halving', 'junit', 'max-output'])
      expect(stdout).toContain(word);
  });

  it('knows no other shell', async () => {
    const { code, stderr } = await cli(['completion', 'tcsh'], { cwd: tempFolder() });
    expect(code).toBe(2);
    expect(stderr).toContain('It must be bash, zsh, fish or powershell');
  });
});
