import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, printed, scenario, snapshot, TRACE, tempFolder } from '../../cli.js';
import { FAILING_TRACE, FAULTY_PLUGIN, faulty } from '../../robustness/faulty.js';

const VARIANTS = 'variants:\n  - { name: hour, cache: { ttl: 1h } }\n';

/** The trace with prompts that a cache takes. */
function larger(tokens: number): string {
  return TRACE.replace('"block_size":64', '"block_size":1024').replaceAll('"in":1000', `"in":${tokens}`);
}

describe('ccbench compare', () => {
  it('keeps variants that come out like the baseline, and says so', async () => {
    const text = scenario('tiny', 'variants:\n  - { name: twin, cache: { mode: on } }\n');
    const { stdout } = await cli(['compare', 'a.yaml', '--no-files'], {
      cwd: tempFolder({ 'a.yaml': text }),
    });
    expect(stdout).toMatch(/^twin /m);
    expect(stdout).toContain('the same as base in every metric: twin');
  });

  it('--json has a row per variant whose metrics equal the same run alone', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny', VARIANTS) });
    const { code, stdout, stderr } = await cli(['compare', 'a.yaml', '--json', '--no-files'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ baseline: 'base', skipped: [], failed: [], report: null });
    expect(result.variants.map(({ name }: { name: string }) => name)).toEqual(['base', 'hour']);
    const alone = JSON.parse((await cli(['run', 'a.yaml', '--json', '--no-files'], { cwd })).stdout);
    expect(result.variants[0].metrics).toEqual(alone.runs[0].metrics);
    expect(result.variants[1].metrics).toEqual(alone.runs[1].metrics);
    expect(result.variants[1].differences.costUsd).toMatchObject({
      pairs: 1,
      low: null,
      verdict: 'one-pair',
    });
    expect(result.transcripts).toHaveLength(1);
  });

  it('compares policies and settings over several recordings, with intervals', async () => {
    const files = { 'a.yaml': scenario('tiny') };
    const cwd = tempFolder(files);
    mkdirSync(join(cwd, 'logs/deep'), { recursive: true });
    for (const [i, name] of ['one', 'two', 'deep/three'].entries())
      writeFileSync(join(cwd, 'logs', `${name}.json`), larger(10_000 + i * 100));
    const argv = 'compare a.yaml --policy none --set cache.ttl=5m,1h --json --no-files'.split(' ');
    const { stdout } = await cli([...argv, '--transcripts', 'logs/**/*.json'], { cwd });
    const result = JSON.parse(stdout);
    expect(result.transcripts).toEqual(['logs/deep/three.json', 'logs/one.json', 'logs/two.json']);
    expect(result.variants.map(({ name }: { name: string }) => name)).toEqual([
      'cache.ttl=5m',
      'cache.ttl=1h',
    ]);
    expect(result.variants[1].differences.cacheHitRate).toMatchObject({ pairs: 3, verdict: 'better' });
    const again = JSON.parse((await cli([...argv, '--transcripts', 'logs/**/*.json'], { cwd })).stdout);
    expect(again).toEqual(result);
  });

  it('marks and measures nothing where the difference is noise, whichever variant is the baseline', async () => {
    // With short pauses an hour costs more, with long ones five minutes do.
    const paced = (seconds: number): string =>
      larger(10_000)
        .replace('"t":420', `"t":${20 + seconds}`)
        .replace('"t":4420', `"t":${20 + 2 * seconds}`);
    const cwd = tempFolder({
      'a.yaml': scenario('tiny'),
      'short.json': paced(60),
      'brief.json': paced(50),
      'long.json': paced(400),
      'late.json': paced(500),
    });
    const argv = ['compare', 'a.yaml', '--policy', 'none', '--metrics', 'costUsd', '--no-files'];
    for (const values of ['5m,1h', '1h,5m']) {
      const study = [...argv, '--set', `cache.ttl=${values}`, '--transcripts', '*.json'];
      const { best, variants } = JSON.parse((await cli([...study, '--json'], { cwd })).stdout);
      const { verdict, low, high, mean } = variants[1].differences.costUsd;
      expect({ verdict, best }).toEqual({ verdict: 'within-noise', best: { costUsd: null } });
      expect([low < 0, high > 0, mean !== 0]).toEqual([true, true, true]);
      const rows = (await cli(study, { cwd })).stdout
        .split('\n')
        .filter((line) => line.startsWith('cache.ttl='));
      expect(rows[0]).toMatch(/^cache\.ttl=\S+ +\$[\d.]+$/);
      expect(rows[1]).toMatch(/^cache\.ttl=\S+ +\$[\d.]+ \(within noise\)$/);
    }
  });

  it('is exit code 2 when every run failed', async () => {
    const cwd = tempFolder({
      'a.yaml': faulty(scenario('tiny')),
      'trace.json': FAILING_TRACE,
      'faulty.mjs': FAULTY_PLUGIN,
    });
    const argv = ['compare', 'a.yaml', '--set', 'model=null', '--set', 'cache.ttl=5m,1h', '--no-files'];
    const { code, stdout, stderr } = await cli([...argv, '--transcripts', 'trace.json'], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('no run of the comparison finished');
  });

  it('writes the report folder whole and prints one table', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny', VARIANTS) });
    const stdout = await printed(['compare', 'a.yaml', '--metrics', 'costUsd,apiCalls'], { cwd });
    expect(stdout).toContain('variant');
    expect(stdout).toMatch(/hour\s+\$\d/);
    expect(stdout).toContain('one transcript: differences have no interval');
    const names = Object.keys(snapshot(join(cwd, 'reports/tiny-compare')));
    for (const name of ['compare.csv', 'compare.json', 'compare.md', 'report.html'])
      expect(names).toContain(name);
    const csv = readFileSync(join(cwd, 'reports/tiny-compare/compare.csv'), 'utf8').split('\n');
    expect(csv[0]).toBe('variant,transcript,finished,compared,costUsd,apiCalls');
    expect(csv).toHaveLength(4);
    expect((await cli(['compare', 'a.yaml', '--metrics', 'costUsd,apiCalls'], { cwd })).code).toBe(0);
  });

  it('leaves broken transcripts out and says so', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny'), 'good.json': TRACE, 'bad.json': '{"requests": 7}' });
    const argv =
      'compare a.yaml --policy none --policy unbounded --transcripts *.json --json --no-files'.split(' ');
    const { code, stdout, stderr } = await cli(argv, { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain('bad.json');
    expect(stderr).toContain('1 of 2 files left out');
    const result = JSON.parse(stdout);
    expect(result.transcripts).toEqual(['good.json']);
    expect(result.skipped).toMatchObject([{ file: 'bad.json' }]);
  });

  it.each([
    [
      'a metric that does not exist',
      ['--metrics', 'costUSD'],
      'unknown metric "costUSD"',
      'did you mean "costUsd"',
    ],
    ['a glob without files', ['--transcripts', 'logs/*.jsonl'], 'no file matches logs/*.jsonl', 'in quotes'],
    ['a baseline nobody has', ['--baseline', 'hours'], 'unknown variant "hours"', 'did you mean "hour"'],
    [
      'a path that no policy has',
      ['--set', 'microcompact.timeBased.gapMinute=1,2'],
      'unknown setting',
      'did you mean',
    ],
    [
      'a policy that does not exist',
      ['--policy', 'none,nobody'],
      '--policy nobody: unknown policy "nobody"',
      'known',
    ],
  ])('refuses %s before anything runs', async (_what, argv, sentence, hint) => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny', VARIANTS) });
    const { code, stdout, stderr } = await cli(['compare', 'a.yaml', ...argv], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).toContain(hint);
    expect(Object.keys(snapshot(cwd))).toEqual(['a.yaml']);
  });
});
