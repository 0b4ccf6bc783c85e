import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cli, printed, scenario, snapshot, tempFolder } from '../../cli.js';

const CHARTS = ['context-over-time', 'cost-by-cause', 'prompt-split'];
const FILES = ['events.csv', 'prompts.csv', 'report.html', 'requests.csv', 'run.jsonl', 'summary.json'];
const VARIANTS = 'variants:\n  - { name: hour, cache: { ttl: 1h } }\n';

afterEach(() => vi.useRealTimers());

describe('ccbench run', () => {
  it('writes the report, prints the table, and the digest is the SHA-256 of run.jsonl', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const { code, stdout, stderr } = await cli(['run', 'a.yaml'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(Object.keys(snapshot(join(cwd, 'reports')))).toEqual([
      'tiny',
      ...FILES.map((name) => `tiny/${name}`),
    ]);
    const log = readFileSync(join(cwd, 'reports/tiny/run.jsonl'));
    const digest = createHash('sha256').update(log).digest('hex');
    expect(stdout).toContain(digest);
    expect(JSON.parse(readFileSync(join(cwd, 'reports/tiny/summary.json'), 'utf8')).digest).toBe(digest);
  });

  it('--json prints one object with digest and metrics, and nothing else anywhere', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const { code, stdout, stderr } = await cli(['run', 'a.yaml', '--json', '--no-files'], {
      cwd,
      terminal: 'stderr',
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result = JSON.parse(stdout);
    expect(result.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(result.metrics.apiCalls).toBe(40);
    expect(result.runs).toHaveLength(1);
    expect(result.runs[0]).toMatchObject({
      name: 'tiny',
      variant: null,
      digest: result.digest,
      report: null,
    });
    expect(snapshot(cwd)).toEqual({ 'a.yaml': scenario('tiny') });
  });

  it('--json over several runs digests all of them and lists each', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('one', VARIANTS), 'b.yaml': scenario('two') });
    const { stdout } = await cli(['run', 'a.yaml', 'b.yaml', '--json'], { cwd });
    const { digest, metrics, runs } = JSON.parse(stdout);
    expect(runs.map((run: { name: string; variant: string | null }) => [run.name, run.variant])).toEqual([
      ['one', null],
      ['one/hour', 'hour'],
      ['two', null],
    ]);
    expect(metrics).toBeNull();
    const all = runs.map((run: { digest: string }) => run.digest).join('\n');
    expect(digest).toBe(createHash('sha256').update(all).digest('hex'));
    expect(Object.keys(snapshot(join(cwd, 'reports/one')))).toContain('hour/run.jsonl');
  });

  it('gives the same bytes again, in another folder and at another time (INV-13)', async () => {
    const first = tempFolder({ 'a.yaml': scenario('tiny', VARIANTS) });
    await cli(['run', 'a.yaml'], { cwd: first });
    const before = snapshot(join(first, 'reports'));
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2031-02-03T04:05:06Z') });
    const second = tempFolder({ 'b.yaml': scenario('tiny', VARIANTS) });
    await cli(['run', 'b.yaml', '--out', 'elsewhere'], { cwd: second });
    expect(snapshot(join(second, 'elsewhere'))).toEqual(before);
    expect(JSON.stringify(before)).not.toContain(first);
  });

  it('replays each transcript of a list into a folder of its own', async () => {
    const cwd = tempFolder({
      'a.yaml':
        'name: many\npolicy: none\ntranscripts:\n  - synthetic: { turns: 5, text: none }\n  - synthetic: { turns: 6, text: none }\n',
    });
    const stdout = await printed(['run', 'a.yaml', '--json'], { cwd });
    const folders = JSON.parse(stdout).runs.map((run: { report: string }) => run.report);
    expect(new Set(folders).size).toBe(2);
    for (const folder of folders) expect(Object.keys(snapshot(join(cwd, folder)))).toEqual(FILES);
  });

  it('--seed, --model, --policy and --set change every scenario', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const argv = 'run a.yaml --no-files --log out.jsonl --seed 9 --policy unbounded'.split(' ');
    await printed([...argv, '--model', 'claude-opus-4-5', '--set', 'cache.ttl=1h'], { cwd });
    const header = JSON.parse(readFileSync(join(cwd, 'out.jsonl'), 'utf8').split('\n')[0]!);
    expect(header).toMatchObject({
      seed: 9,
      policy: 'unbounded',
      plan: { model: 'claude-opus-4-5', cache: { ttl: '1h' } },
    });
  });

  it('--policy leaves out variants that name another policy, and says so', async () => {
    const variants =
      'variants:\n  - { name: hour, cache: { ttl: 1h } }\n  - { name: free, policy: unbounded }\n';
    const cwd = tempFolder({ 'a.yaml': scenario('tiny', variants) });
    const run = async (...argv: string[]) => cli(['run', 'a.yaml', '--no-files', '--json', ...argv], { cwd });
    const names = (stdout: string): string[] =>
      JSON.parse(stdout).runs.map(({ name }: { name: string }) => name);
    expect(names((await run()).stdout)).toEqual(['tiny', 'tiny/hour', 'tiny/free']);
    const { stdout, stderr } = await run('--policy', 'baselines/mask');
    expect(names(stdout)).toEqual(['tiny', 'tiny/hour']);
    expect(stderr).toContain('tiny: 1 run left out: their variant names another policy than baselines/mask');
  });

  it('says in one sentence how the run compares with the last report', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    expect((await cli(['run', 'a.yaml'], { cwd })).stdout).not.toContain('last report');
    expect((await cli(['run', 'a.yaml'], { cwd })).stdout).toContain('same result as in the last report');
    const costlier = await cli(['run', 'a.yaml', '--model', 'claude-opus-4-1'], { cwd });
    expect(costlier.stdout).toMatch(/the cost rose by [\d.,]+ % since the last report \(\$/);
  });

  it('--quiet prints nothing when all is well', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    expect(await cli(['run', 'a.yaml', '--quiet'], { cwd, terminal: 'stderr' })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  it('shows progress on stderr when it is a terminal, and wipes it', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const { stdout, stderr } = await cli(['run', 'a.yaml', '--no-files'], { cwd, terminal: 'stderr' });
    expect(stderr).toContain('tiny');
    expect(stderr.endsWith('\r\u001b[2K')).toBe(true);
    expect(stdout).not.toContain('\r');
  });

  it('--no-charts writes neither charts nor page, --svg adds SVG files and specifications, --png PNG files too', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    await cli(['run', 'a.yaml', '--no-charts'], { cwd });
    expect(Object.keys(snapshot(join(cwd, 'reports/tiny')))).toEqual([
      'events.csv',
      'prompts.csv',
      'requests.csv',
      'run.jsonl',
      'summary.json',
    ]);
    const charts = (...endings: string[]) =>
      CHARTS.flatMap((name) => endings.map((ending) => `charts/${name}.${ending}`));
    await cli(['run', 'a.yaml', '--svg'], { cwd });
    expect(Object.keys(snapshot(join(cwd, 'reports/tiny')))).toEqual([
      'charts',
      ...charts('svg', 'vl.json'),
      ...FILES,
    ]);
    await cli(['run', 'a.yaml', '--png'], { cwd });
    expect(Object.keys(snapshot(join(cwd, 'reports/tiny/charts')))).toEqual(
      charts('png', 'svg', 'vl.json').map((name) => name.replace('charts/', '')),
    );
    const png = readFileSync(join(cwd, 'reports/tiny/charts/prompt-split.png'));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
  });

  it('writes wall-clock timings beside the log where they are asked for', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const { stdout } = await cli(['run', 'a.yaml', '--timings'], { cwd });
    expect(stdout).toContain('turns/s');
    const timings = JSON.parse(readFileSync(join(cwd, 'reports/tiny/timings.json'), 'utf8'));
    expect(timings).toMatchObject({ turnsPerSecond: expect.any(Number), parts: expect.any(Array) });
    expect(readFileSync(join(cwd, 'reports/tiny/run.jsonl'), 'utf8')).not.toContain('PerSecond');
    const silent = await cli(['run', 'a.yaml'], { cwd });
    expect(silent.stdout).not.toContain('turns/s');
    expect(Object.keys(snapshot(join(cwd, 'reports/tiny')))).not.toContain('timings.json');
  });

  it('takes everything from the log and the table of prompts beside it', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    const ran = JSON.parse((await cli(['run', 'a.yaml', '--json'], { cwd })).stdout);
    const again = await cli(['report', 'reports/tiny/run.jsonl', '--json', '--out', 'again'], { cwd });
    expect(JSON.parse(again.stdout)).toMatchObject({
      digest: ran.digest,
      metrics: ran.metrics,
      complete: true,
    });
    const given = ['charts', 'run.jsonl', 'prompts.csv'];
    for (const name of FILES.filter((file) => !given.includes(file))) {
      expect(readFileSync(join(cwd, 'again', name), 'utf8')).toBe(
        readFileSync(join(cwd, 'reports/tiny', name), 'utf8'),
      );
    }
    expect((await cli(['report', 'reports/tiny/run.jsonl'], { cwd })).stdout).toContain(ran.digest);
  });
});
