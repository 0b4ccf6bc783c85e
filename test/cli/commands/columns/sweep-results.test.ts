import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseRows } from '../../../../src/study/result-rows.js';
import { readPart } from '../../../../src/study/results/part-file.js';
import { ResultStore, readStudies } from '../../../../src/study/results/result-store.js';
import { cli, scenario, snapshot, TRACE, tempFolder } from '../../cli.js';
import { finishedStudy, PRUNE, SWEEP, VARY } from './finished-study.js';

const parts = (cwd: string, folder = 'out') =>
  readdirSync(join(cwd, folder, 'parts')).map((name) => join(cwd, folder, 'parts', name));

describe('ccbench sweep --results', () => {
  it('writes one row for each run, equal to the same sweep with a report', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const result = JSON.parse((await cli(SWEEP, { cwd })).stdout);
    expect(result).toMatchObject({ runs: 70, finished: 70, failed: 0, parts: 1, ran: 70 });
    const report = JSON.parse(
      (await cli(['sweep', 'a.yaml', ...VARY, '--no-files', '--workers', '0', '--json'], { cwd })).stdout,
    );
    const names = [
      'run',
      'rules.prune.when.piled',
      'cache.ttl',
      'costUsd',
      'compactions',
      'cacheHitRate',
      'policy',
    ];
    const rows = await readPart(parts(cwd)[0]!, names);
    expect(rows).toEqual(
      report.points.map(
        (point: { settings: Record<string, string>; metrics: Record<string, number> }, i: number) => [
          i,
          Number(point.settings['rules.prune.when.piled']),
          point.settings['cache.ttl'],
          point.metrics.costUsd,
          point.metrics.compactions,
          point.metrics.cacheHitRate,
          'baselines/prune',
        ],
      ),
    );
    expect(result.best.points[0].value).toBe(report.best.value);
  });

  it('computes nothing the second time, and touches no part', async () => {
    const cwd = await finishedStudy();
    const before = snapshot(join(cwd, 'out'));
    const again = await cli(SWEEP, { cwd });
    expect(JSON.parse(again.stdout).ran).toBe(0);
    expect(again.stderr).toContain('70 of 70 runs are finished already');
    expect(snapshot(join(cwd, 'out'))).toEqual(before);
  });

  it('shards make each run once and together the bytes of one process', async () => {
    const cwd = await finishedStudy();
    const ran: number[] = [];
    for (const shard of ['2/3', '1/3', '3/3']) {
      const args = SWEEP.map((word) => (word === 'out' ? 'shared' : word));
      const { stdout, stderr } = await cli([...args, '--shard', shard], { cwd });
      const before = ran.reduce((sum, value) => sum + value, 0);
      ran.push(JSON.parse(stdout).ran);
      expect(stderr).toBe(
        `${before === 0 ? '' : `${before} of 70 runs are finished already\n`}shard ${shard.replace('/', ' of ')}: ${ran.at(-1)} runs\n`,
      );
    }
    expect(ran.reduce((sum, value) => sum + value, 0)).toBe(70);
    expect(Math.max(...ran) - Math.min(...ran)).toBeLessThanOrEqual(3);
    expect(snapshot(join(cwd, 'shared'))).toEqual(snapshot(join(cwd, 'out')));
  });

  it('goes on from rows that a killed process wrote down, and leaves out a line that was cut off', async () => {
    const cwd = await finishedStudy('1/2');
    const [study] = readStudies(join(cwd, 'out')).studies;
    const open = new ResultStore(join(cwd, 'out'), study!);
    const [batch] = open.missing();
    const name = readdirSync(join(cwd, 'out/batches')).find((file) => file.endsWith('.rows'))!;
    cpSync(join(await finishedStudy(), 'out'), join(cwd, 'whole'), { recursive: true });
    const [whole] = await readPart(
      parts(cwd, 'whole')[0]!,
      study!.columns.map((column) => column.name),
    );
    expect(whole).toBeDefined();
    const text = readFileSync(join(cwd, 'out/batches', name), 'utf8');
    expect(parseRows(text.slice(0, -9), study!.id)).toHaveLength(parseRows(text, study!.id).length - 1);
    const rows = await readPart(
      parts(cwd, 'whole')[0]!,
      study!.columns.map((column) => column.name),
    );
    const from = batch! * study!.partition.batchRuns;
    open.append(batch!, { run: from, cells: rows[from]! });
    writeFileSync(
      join(cwd, 'out/batches', `${study!.id}-${String(batch).padStart(6, '0')}.other.1.open`),
      'cut of',
    );
    const result = JSON.parse((await cli(SWEEP, { cwd })).stdout);
    expect(result.finished).toBe(70);
    expect(result.ran).toBe(70 - 36 - 1);
    expect(snapshot(join(cwd, 'out'))).toEqual(snapshot(join(cwd, 'whole')));
  });

  it('keeps studies of different sessions apart, and asks which is meant', async () => {
    const cwd = await finishedStudy();
    writeFileSync(join(cwd, 'a.yaml'), PRUNE.replace('turns: 5', 'turns: 6'));
    expect(JSON.parse((await cli(SWEEP, { cwd })).stdout).ran).toBe(70);
    expect(readdirSync(join(cwd, 'out/studies'))).toHaveLength(2);
    const asked = await cli(['results', 'out', '--count'], { cwd });
    expect({ code: asked.code, said: asked.stderr.includes('2 studies, which are not mixed') }).toEqual({
      code: 2,
      said: true,
    });
    const [first] = readStudies(join(cwd, 'out')).studies;
    const one = await cli(['results', 'out', '--count', '--study', first!.id, '--json'], { cwd });
    expect(JSON.parse(one.stdout).rows).toBe(70);
    const both = JSON.parse((await cli(['results', 'out', '--json'], { cwd })).stdout);
    expect(both.studies.map(({ finished }: { finished: number }) => finished)).toEqual([70, 70]);
  });

  it('a comment in the scenario changes nothing', async () => {
    const cwd = await finishedStudy();
    writeFileSync(join(cwd, 'a.yaml'), `# the same\n${PRUNE}`);
    expect(JSON.parse((await cli(SWEEP, { cwd })).stdout).ran).toBe(0);
  });

  it('a point that cannot be compiled is a row that says why', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny').replace('turns: 40', 'turns: 5') });
    const vary = ['--vary', 'cache.ttl=5m,nonsense,1h', '--results', 'out', '--workers', '0', '--json'];
    const result = JSON.parse((await cli(['sweep', 'a.yaml', ...vary], { cwd })).stdout);
    expect(result).toMatchObject({ runs: 3, finished: 3, failed: 1 });
    const rows = await readPart(parts(cwd)[0]!, ['cache.ttl', 'error', 'costUsd']);
    expect(rows[1]).toEqual([
      'nonsense',
      expect.stringContaining('`cache.ttl`: expected 5m, 1h or recorded, got "nonsense"'),
      null,
    ]);
  });

  it('a session that cannot be read is a row that says why, and all of them are bad input', async () => {
    const cwd = tempFolder({
      'a.yaml': 'name: two\ntranscript: { file: t.json }\npolicy: none\n',
      't.json': TRACE,
    });
    const args = ['--results', 'out', '--workers', '0', '--json'];
    const swept = await cli(['sweep', 'a.yaml', '--vary', 'transcript.file=t.json,gone.json', ...args], {
      cwd,
    });
    expect(swept.code).toBe(0);
    expect(JSON.parse(swept.stdout)).toMatchObject({ runs: 2, finished: 2, failed: 1 });
    const rows = await readPart(parts(cwd)[0]!, ['transcript.file', 'policy', 'error']);
    expect(rows).toEqual([
      ['t.json', 'none', null],
      ['gone.json', null, expect.stringContaining('there is no file gone.json')],
    ]);
    const other = args.map((word) => (word === 'out' ? 'none' : word));
    const none = await cli(['sweep', 'a.yaml', '--vary', 'transcript.file=gone.json,lost.json', ...other], {
      cwd,
    });
    expect([none.code, JSON.parse(none.stdout).failed]).toEqual([2, 2]);
  });

  it('refuses options that would do nothing', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const vary = ['sweep', 'a.yaml', '--vary', 'seed=1,2'];
    for (const [args, said] of [
      [['--shard', '1/2'], '--results'],
      [['--results', 'out', '--no-files'], '--no-files'],
      [['--results', 'out', '--out', 'x'], '--out'],
      [['--results', 'out', '--shard', '3/2'], 'i/n'],
    ] as const) {
      const result = await cli([...vary, ...args], { cwd });
      expect({ code: result.code, said: result.stderr.includes(said) }, said).toEqual({
        code: 2,
        said: true,
      });
    }
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });

  it('stops at Ctrl-C and keeps what is finished', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const stop = new AbortController();
    let clock = 0;
    const now = () => {
      if (clock++ === 60) stop.abort();
      return clock * 50;
    };
    const huge = ['--vary', 'rules.prune.when.piled=2000..40000:1000', '--vary', 'seed=1..1000:1000'];
    const args = ['sweep', 'a.yaml', ...huge, '--results', 'out', '--workers', '0'];
    const result = await cli(args, { cwd, interrupt: stop.signal, now });
    expect(result.code).toBe(130);
    expect(result.stderr).toContain('the same command continues');
    const [study] = readStudies(join(cwd, 'out')).studies;
    expect(study!.partition.runs).toBe(1_000_000);
  });
});
