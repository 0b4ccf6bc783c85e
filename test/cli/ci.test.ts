import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, scenario, tempFolder } from './cli.js';

const EXPECTS = 'expect:\n  - costUsd >= 0\n  - compactions == 7\n';
const QUIET = ['--quiet', '--no-charts'];

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
    // One for the run itself, two expectations, the cost and the lost calls; one expectation and the cost fail.
    expect(xml).toContain('<testsuites name="ccbench" tests="5" failures="2" errors="0" skipped="0">');
    expect(xml).toContain('name="expects costUsd &gt;= 0" file="a.yaml" line="6"/>');
    expect(xml).toContain('name="expects compactions == 7" file="a.yaml" line="7">');
    expect(xml).toContain('<failure type="regression" message="costUsd was ');
    expect(xml.match(/<failure /g)).toHaveLength(2);
    await cli(argv, { cwd });
    expect(readFileSync(join(cwd, 'out/j.xml'), 'utf8')).toBe(xml);
  });

  it('fails a run of which no call was answered, and passes one with a single call', async () => {
    const one =
      'name: one\ntranscript: { synthetic: { workload: bugfix, turns: 1, text: none } }\npolicy: none\n';
    const cwd = tempFolder({ 'a.yaml': one });
    const passes = async (...more: readonly string[]) => {
      await cli(['run', 'a.yaml', '--no-files', '--junit', 'j.xml', ...QUIET, ...more], { cwd });
      return !readFileSync(join(cwd, 'j.xml'), 'utf8').includes('<failure');
    };
    expect([await passes(), await passes('--set', 'window=8000')]).toEqual([true, false]);
  });

  it('stays well-formed whatever a scenario is called', async () => {
    const cwd = tempFolder({ '<&>.yaml': scenario('guard') });
    await cli(['run', '<&>.yaml', '--no-files', '--junit', 'j.xml', ...QUIET], { cwd });
    expect(readFileSync(join(cwd, 'j.xml'), 'utf8')).toContain('file="&lt;&amp;&gt;.yaml"');
  });
});

describe('a guard', () => {
  it('is on the cost, and on what is asked for besides: a cheaper run with a lower hit rate passes', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('guard') });
    await cli(['run', 'a.yaml', '--out', 'main', ...QUIET], { cwd });
    const path = join(cwd, 'main/guard/summary.json');
    const summary = JSON.parse(readFileSync(path, 'utf8'));
    summary.metrics.costUsd *= 2;
    summary.metrics.cacheHitRate = 1;
    writeFileSync(path, JSON.stringify(summary));
    const run = (...more: readonly string[]) =>
      cli(['run', 'a.yaml', '--baseline', 'main', '--no-files', ...QUIET, ...more], { cwd });
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
    const asked = await run('--guard', 'costUsd,cacheHitRate');
    expect(asked.code).toBe(98);
    expect(asked.stderr).toContain('regression in guard: cacheHitRate was 100.0% in the baseline');
    expect((await run('--guard', 'turns')).stderr).toContain('turns has no worse direction');
    const idle = await cli(['run', 'a.yaml', '--guard', 'costUsd', '--no-files'], { cwd });
    expect(idle.stderr).toContain('--guard has no effect without --baseline');
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

  it('names a file outside the workspace as it was named', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('guard', 'polcy: x\n') });
    const env = { ...ACTIONS, GITHUB_WORKSPACE: join(cwd, 'inside') };
    const { stderr } = await cli(['run', 'a.yaml', '--json'], { cwd, env });
    expect(stderr).toMatch(/^::error file=a\.yaml,line=5,/m);
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
