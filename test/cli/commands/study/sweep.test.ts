import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Deed, linesOf } from '../../../helpers/situations/read-and-name.js';
import { cli, printed, scenario, snapshot, tempFolder } from '../../cli.js';
import { FAILING_TRACE, FAULTY_PLUGIN, faulty } from '../../robustness/faulty.js';

const PRUNE = scenario('tiny').replace('policy: none', 'policy: baselines/prune');
const VARY = '--vary rules.prune.when.piled=2000,4000,8000 --set rules.prune.select.keep.tokens=1000'.split(
  ' ',
);
const RESULTS = 'reports/tiny-sweep/sweep.jsonl';

function lines(cwd: string): readonly string[] {
  return readFileSync(join(cwd, RESULTS), 'utf8').trimEnd().split('\n');
}

describe('ccbench sweep', () => {
  it('a point equals the same run alone', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const stdout = await printed(['sweep', 'a.yaml', ...VARY, '--json', '--no-files'], { cwd });
    const { points, best } = JSON.parse(stdout);
    expect(points).toHaveLength(3);
    for (const { settings, metrics } of points) {
      const set = [...VARY.slice(2), '--set', `rules.prune.when.piled=${settings['rules.prune.when.piled']}`];
      const alone = JSON.parse(
        (await cli(['run', 'a.yaml', ...set, '--json', '--no-files'], { cwd })).stdout,
      );
      expect(metrics).toEqual(alone.metrics);
    }
    const cheapest = Math.min(
      ...points.map((point: { metrics: { costUsd: number } }) => point.metrics.costUsd),
    );
    expect(best.value).toBe(cheapest);
    expect(best.command).toMatch(/^ccbench run a\.yaml --set .*piled=\d+$/);
  });

  it('makes a grid of several settings and fractions of the window', async () => {
    const cwd = tempFolder({
      'a.yaml': scenario('tiny').replace('policy: none', 'policy: baselines/truncate'),
    });
    const vary = ['--vary', 'window.explicit=0.5w,1w', '--vary', 'cache.ttl=5m,1h'];
    const { stdout } = await cli(['sweep', 'a.yaml', ...vary, '--json', '--no-files'], { cwd });
    const points = JSON.parse(stdout).points.map((point: { settings: object }) => point.settings);
    expect(points).toEqual([
      { 'window.explicit': '100000', 'cache.ttl': '5m' },
      { 'window.explicit': '100000', 'cache.ttl': '1h' },
      { 'window.explicit': '200000', 'cache.ttl': '5m' },
      { 'window.explicit': '200000', 'cache.ttl': '1h' },
    ]);
  });

  it('repeats no finished point when it is started again', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const first = JSON.parse((await cli(['sweep', 'a.yaml', ...VARY, '--json'], { cwd })).stdout);
    expect(first.ran).toBe(3);
    // The version, three points, and the unchanged scenario, which the page sets them beside.
    expect(lines(cwd)).toHaveLength(5);
    const more = VARY.map((word) => word.replace('8000', '8000,16000'));
    const second = await cli(['sweep', 'a.yaml', ...more, '--json'], { cwd });
    expect(second.stderr).toContain('3 of 4 runs are finished already');
    const result = JSON.parse(second.stdout);
    expect(result.ran).toBe(1);
    expect(result.points.slice(0, 3)).toEqual(first.points);
    expect(lines(cwd)).toHaveLength(6);
  });

  it('runs the unchanged scenario once, where it is one of the points', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    await cli(['sweep', 'a.yaml', ...VARY, '--set', 'rules.prune.when.piled=4000', '--json'], { cwd });
    expect(lines(cwd)).toHaveLength(4);
  });

  it('runs again what lacks a metric that is wanted now', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    await cli(['sweep', 'a.yaml', ...VARY, '--metrics', 'costUsd', '--json'], { cwd });
    const wanted = ['--metrics', 'costUsd,layers.rules.saved', '--json'];
    const resumed = JSON.parse((await cli(['sweep', 'a.yaml', ...VARY, ...wanted], { cwd })).stdout);
    const fresh = JSON.parse(
      (await cli(['sweep', 'a.yaml', ...VARY, ...wanted, '--no-files'], { cwd })).stdout,
    );
    expect(resumed.points).toEqual(fresh.points);
    for (const { metrics } of resumed.points) expect(metrics['layers.rules.saved']).toBeGreaterThan(0);
    expect(resumed.ran).toBe(3);
  });

  it('runs again what another plan or seed makes different', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    await cli(['sweep', 'a.yaml', ...VARY, '--json'], { cwd });
    const { stdout } = await cli(['sweep', 'a.yaml', ...VARY, '--set', 'seed=9', '--json'], { cwd });
    expect(JSON.parse(stdout).ran).toBe(3);
  });

  it('keeps finished points when it is interrupted', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const stop = new AbortController();
    let looks = 0;
    const now = () => {
      if (existsSync(join(cwd, RESULTS)) && lines(cwd).length === 3) stop.abort();
      return ++looks * 50;
    };
    const { code, stderr } = await cli(['sweep', 'a.yaml', ...VARY], { cwd, interrupt: stop.signal, now });
    expect(code).toBe(130);
    expect(stderr).toContain('2 of 3 finished runs are kept in reports/tiny-sweep');
    const { stdout } = await cli(['sweep', 'a.yaml', ...VARY, '--json'], { cwd });
    expect(JSON.parse(stdout).ran).toBe(1);
  });

  it('goes on without the folder when a result cannot be kept', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    let looks = 0;
    const now = () => {
      if (existsSync(join(cwd, RESULTS)) && lines(cwd).length === 2) {
        rmSync(join(cwd, 'reports'), { recursive: true });
        writeFileSync(join(cwd, 'reports'), 'in the way');
      }
      return ++looks * 50;
    };
    const { code, stdout, stderr } = await cli(['sweep', 'a.yaml', ...VARY], { cwd, now });
    expect(code).toBe(0);
    expect(stderr.match(/warning: .*/g)).toEqual([
      expect.stringContaining('reports/tiny-sweep/sweep.jsonl cannot be written'),
    ]);
    expect(stdout).toBe((await cli(['sweep', 'a.yaml', ...VARY, '--no-files'], { cwd })).stdout);
  });

  it('keeps the good lines of a broken results file', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const args = ['sweep', 'a.yaml', ...VARY, '--set', 'rules.prune.when.piled=4000', '--json'];
    await cli(args, { cwd });
    const kept = lines(cwd).slice(0, 3).join('\n');
    writeFileSync(join(cwd, RESULTS), `${kept}\n{"type":"point","key":"x","met`);
    const { stdout, stderr } = await cli(args, { cwd });
    expect(stderr).toContain(
      '1 broken line of reports/tiny-sweep/sweep.jsonl left out; the 2 good ones are used',
    );
    expect(JSON.parse(stdout).ran).toBe(1);
    for (const line of lines(cwd)) expect(() => JSON.parse(line)).not.toThrow();
  });

  it('puts the results of another version aside', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    await cli(['sweep', 'a.yaml', ...VARY, '--json'], { cwd });
    const old = lines(cwd)
      .join('\n')
      .replace(/"version":\d+/, '"version":0');
    writeFileSync(join(cwd, RESULTS), old);
    const { stdout, stderr } = await cli(['sweep', 'a.yaml', ...VARY, '--json'], { cwd });
    expect(stderr).toContain(
      'was written by another version (format 0): it is kept as reports/tiny-sweep/sweep.old-1.jsonl',
    );
    expect(JSON.parse(stdout).ran).toBe(3);
    expect(readFileSync(join(cwd, 'reports/tiny-sweep/sweep.old-1.jsonl'), 'utf8')).toBe(old);
  });

  it('writes table, charts and page beside the results', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const argv = ['sweep', 'a.yaml', ...VARY, '--metrics', 'costUsd'];
    const { stdout } = await cli([...argv, '--svg'], { cwd });
    expect(stdout).toContain('The best cost of 3 points');
    expect(stdout).toContain('repeat: ccbench run a.yaml');
    const names = readdirSync(join(cwd, 'reports/tiny-sweep'), { recursive: true, encoding: 'utf8' });
    for (const name of [
      'sweep.csv',
      'sweep.json',
      'sweep.md',
      'report.html',
      'charts/sweep-costUsd.svg',
      'charts/sweep-costUsd.vl.json',
    ])
      expect(names).toContain(name);
    appendFileSync(join(cwd, 'reports/tiny-sweep/notes.txt'), 'mine');
    await cli(argv, { cwd });
    expect(readFileSync(join(cwd, 'reports/tiny-sweep/notes.txt'), 'utf8')).toBe('mine');
    expect(existsSync(join(cwd, 'reports/tiny-sweep/charts'))).toBe(false);
  });

  it('shows a bar on stderr when it is a terminal, and wipes it', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const { stderr } = await cli(['sweep', 'a.yaml', ...VARY, '--no-files'], { cwd, terminal: 'stderr' });
    expect(stderr).toMatch(/\[#+-*\] \d+% · \d of 3 runs/);
    expect(stderr.replace(/[\d,]+ turns in .* turns\/s\n$/, '').endsWith('\r\u001b[2K')).toBe(true);
    const silent = await cli(['sweep', 'a.yaml', ...VARY, '--no-files', '--json'], {
      cwd,
      terminal: 'stderr',
    });
    expect(silent.stderr).not.toContain('\u001b[2K');
  });

  it('marks the better of two points, and neither where they are alike', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const marked = async (vary: string) => {
      const { stdout } = await cli(
        [
          'sweep',
          'a.yaml',
          '--vary',
          vary,
          '--metrics',
          'costUsd',
          '--set',
          'rules.prune.select.keep.tokens=1000',
          '--no-files',
        ],
        { cwd },
      );
      return stdout.split('\n').filter((line) => /\$[\d.]+ ?\*|\* ?\$/.test(line)).length;
    };
    expect(await marked('rules.prune.when.piled=2000,8000')).toBe(1);
    expect(await marked('rules.prune.when.piled=800000,900000')).toBe(0);
  });

  it.each([
    ['a path that no policy has', 'no.such.path=1,2', 'unknown setting "no.such.path"'],
    ['an empty range', 'rules.prune.when.piled=9..5:3', 'the range from 9 to 5 is empty'],
    ['no steps', 'rules.prune.when.piled=1..5:0', 'is empty'],
    ['a value out of range', 'rules.prune.when.piled=-1,5', 'an amount is missing before `-`'],
  ])('refuses %s before anything runs', async (_what, vary, sentence) => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const { code, stdout, stderr } = await cli(['sweep', 'a.yaml', '--vary', vary], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).toContain('--vary');
    expect(Object.keys(snapshot(cwd))).toEqual(['a.yaml']);
  });

  it('says in which runs something failed and how to repeat each', async () => {
    const cwd = tempFolder({
      'a.yaml': faulty(scenario('tiny')),
      'trace.json': FAILING_TRACE,
      'faulty.mjs': FAULTY_PLUGIN,
    });
    const vary = ['--vary', 'model=null,claude-sonnet-4-5', '--transcripts', 'trace.*'];
    const { code, stderr, stdout } = await cli(['sweep', 'a.yaml', ...vary, '--json', '--no-files'], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain('a run failed: error[');
    expect(stderr).toContain('repeat: ccbench run a.yaml --set transcript.file=trace.json --set model=null');
    expect(stderr).toContain('1 of 2 runs failed; the others are used');
    expect(JSON.parse(stdout).points).toMatchObject([{ settings: { model: 'claude-sonnet-4-5' } }]);
    const repeated = await cli(
      ['run', 'a.yaml', '--set', 'transcript.file=trace.json', '--set', 'model=null', '--no-files'],
      { cwd },
    );
    expect(repeated.stderr).toContain('ouch');
  });
});

describe('ccbench tune', () => {
  const tune = (cwd: string, ...rest: readonly string[]) =>
    cli(
      [
        'tune',
        'a.yaml',
        '--set',
        'rules.prune.select.keep.tokens=1000',
        '--vary',
        'rules.prune.when.piled=500..20000:log',
        ...rest,
      ],
      { cwd },
    );

  it.each(['random', 'halving'])('finds the same best settings again with a seed (%s)', async (method) => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const argv = [
      '--minimise',
      'costUsd',
      '--subject-to',
      'requestsRefused == 0',
      '--method',
      method,
      '--budget',
      '12',
      '--json',
    ];
    const { code, stdout } = await tune(cwd, ...argv, '--no-files');
    expect(code).toBe(0);
    const result = JSON.parse(stdout);
    expect(JSON.parse((await tune(cwd, ...argv, '--no-files')).stdout)).toEqual(result);
    expect(result).toMatchObject({ method, rungs: [{ sessions: 1, settings: 12, discarded: 0 }] });
    const costs = result.tried.map((item: { costUsd: number }) => item.costUsd);
    expect(result.best.costUsd).toBe(Math.min(...costs));
    expect(result.best.command).toContain('ccbench run a.yaml');
    for (const a of result.front) {
      const beaten = result.front.some(
        (b: { costUsd: number; contentRetention: number }) =>
          b.costUsd < a.costUsd && b.contentRetention > a.contentRetention,
      );
      expect(beaten).toBe(false);
    }
  });

  it('discards settings on the longest sessions, and judges what is left on all of them', async () => {
    const turns = [20, 30, 40, 50].map((n) => `  - synthetic: { workload: bugfix, turns: ${n}, text: none }`);
    const many = PRUNE.replace(/^transcript: .*$/m, ['transcripts:', ...turns].join('\n'));
    expect(many).toContain('turns: 50');
    const cwd = tempFolder({ 'a.yaml': many });
    const argv = ['--minimise', 'costUsd', '--budget', '12', '--json', '--no-holdout'];
    const first = await tune(cwd, ...argv);
    // The second step takes up runs of the first: these are none of an earlier start.
    expect(first.stderr).not.toContain('finished already');
    const kept = JSON.parse(first.stdout);
    expect(kept).toMatchObject({ method: 'halving', possible: 19_501, drawn: 12 });
    const [early, last] = kept.rungs;
    expect(early).toMatchObject({ sessions: 3, settings: 12 });
    expect(early.discarded).toBeGreaterThanOrEqual(4);
    expect(last).toEqual({ sessions: 4, settings: 12 - early.discarded, discarded: 0 });
    for (const { metrics } of kept.tried) expect(metrics).toMatchObject({ turns: 35, callsAnswered: 35 });
    const kinds = (await tune(cwd, ...argv.slice(0, -2), '--no-holdout')).stdout;
    expect(kinds.replaceAll(/\s+/g, ' ')).toContain(
      `searched: 12 settings of 19,501, drawn; ${early.discarded} discarded after the 3 longest sessions; ${last.settings} tried on all 4 sessions`,
    );
    const again = await tune(cwd, ...argv);
    expect(again.stderr).toContain('finished already');
    expect(JSON.parse(again.stdout)).toEqual(kept);
    const { tried, best } = JSON.parse((await tune(cwd, ...argv, '--no-files')).stdout);
    expect({ tried, best }).toEqual({ tried: kept.tried, best: kept.best });
  });

  it('takes a bound on faults as a constraint', async () => {
    // Fifteen results, of which the first three are named in the end: masking leaves one of them out where fourteen stay, two where 13 do.
    const lines = linesOf([
      ...Array<Deed>(3).fill({ reads: 6_000 }),
      ...Array<Deed>(12).fill({ reads: 500 }),
      { names: [0, 1, 2] },
    ]);
    const cwd = tempFolder({ 's.jsonl': lines.map((line) => `${JSON.stringify(line)}\n`).join('') });
    const under = (bound: string) =>
      cli(
        `tune s.jsonl --policy baselines/mask --predict --minimise costUsd --vary rules.mask.select.keep.last=10,13,14 --json --no-files`
          .split(' ')
          .concat('--subject-to', `faultsNone <= ${bound}`),
        { cwd },
      );
    const { best, tried } = JSON.parse((await under('1')).stdout);
    expect(best).toMatchObject({ settings: { 'rules.mask.select.keep.last': '14' } });
    const faults = tried.map(({ metrics }: { metrics: { faultsNone: number } }) => metrics.faultsNone);
    expect(faults.toSorted()).toEqual([1, 2, 3]);
    const none = await under('0');
    expect([none.code, none.stderr]).toEqual([99, expect.stringContaining('meets faultsNone <= 0')]);
  });

  it('says so when no setting holds the constraints, with the exit code of expectations', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const { code, stderr } = await tune(
      cwd,
      '--minimise',
      'costUsd',
      '--subject-to',
      'costUsd < 0',
      '--budget',
      '3',
      '--no-files',
    );
    expect(code).toBe(99);
    expect(stderr).toContain('none of 3 settings meets costUsd < 0');
  });

  it.each([
    [['--minimise', 'costUsd', '--maximise', 'cacheHitRate'], 'cannot be combined'],
    [['--minimise', 'nothing'], 'unknown metric "nothing"'],
    [['--minimise', 'costUsd', '--subject-to', 'costUsd'], 'is not an expectation'],
  ])('refuses what cannot be searched for: %j', async (argv, sentence) => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const { code, stderr } = await tune(cwd, ...argv);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });
});
