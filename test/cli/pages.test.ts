import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PageData, StudyPageData } from '../../src/report/page-data/page-data.js';
import { dataOf } from '../helpers/pages/page-data.js';
import { cli, printed, scenario, TRACE, tempFolder } from './cli.js';

/** Tokens of a block of a trace: eleven of them are more than the least that is cached. */
const BLOCK = 1_024;

/** Request traces t0.json, t1.json …, each the hand-made one in larger blocks with its requests repeated this many times. */
function traces(...sizes: readonly number[]): Readonly<Record<string, string>> {
  const trace = JSON.parse(TRACE) as { readonly requests: readonly { readonly t: number }[] };
  return Object.fromEntries(
    sizes.map((size, i) => {
      const requests = Array.from({ length: size }, (_, round) =>
        trace.requests.map((request) => ({ ...request, t: request.t + round * 10_000, in: 11 * BLOCK })),
      ).flat();
      return [`t${i}.json`, JSON.stringify({ ...trace, id: `t${i}`, block_size: BLOCK, requests })];
    }),
  );
}

/** The words of a command of ccbench, as a shell splits it. */
function words(command: string): readonly string[] {
  const found = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
  expect(found[0]).toBe('ccbench');
  return found.slice(1);
}

/** What a page holds. */
function pageData<Data = StudyPageData>(path: string): Data {
  return dataOf<Data>(readFileSync(path, 'utf8'));
}

describe('pages of studies', () => {
  it('run with several runs writes an index that leads to each of them', async () => {
    const cwd = tempFolder({
      'a.yaml': `${scenario('tiny')}variants:\n  - { name: one hour, cache: { ttl: 1h } }\n`,
    });
    const { stdout } = await cli(['run', 'a.yaml'], { cwd });
    expect(stdout).toContain('page reports/tiny/index.html\n');
    const { table, runs } = pageData(join(cwd, 'reports/tiny/index.html'));
    expect(table.rows.map(({ name, page }) => [name, page])).toEqual([
      ['tiny', 'report.html'],
      ['tiny/one hour', 'one%20hour/report.html'],
    ]);
    for (const { page } of table.rows)
      expect(readFileSync(join(cwd, 'reports/tiny', decodeURIComponent(page!)), 'utf8')).toContain(
        '<!doctype',
      );
    expect(runs.map((run) => run!.requests.t.length > 0)).toEqual([true, true]);
  });

  it('sweep has the command of every point, and points that belong to their rows', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    await cli(['sweep', 'a.yaml', '--vary', 'cache.ttl=5m,1h', '--metrics', 'costUsd'], { cwd });
    const { table, charts } = pageData(join(cwd, 'reports/tiny-sweep/report.html'));
    expect(table.rows.map(({ command }) => command)).toEqual([
      'ccbench run a.yaml --set cache.ttl=5m',
      'ccbench run a.yaml --set cache.ttl=1h',
    ]);
    const [{ x, series }] = charts as [StudyPageData['charts'][number]];
    expect(x.names).toEqual(['5m', '1h']);
    expect(series[0]!.points.map(({ y, row }) => [row, y])).toEqual(
      table.rows.map(({ cells }, row) => [row, cells[0]!.value]),
    );
  });

  it('the command of a point makes its number, and its interval is that of its differences to the unchanged scenario', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny'), ...traces(1, 40) });
    const vary = ['--vary', 'cache.ttl=5m,1h', '--set', 'cache.ttl=5m', '--metrics', 'costUsd,cacheHitRate'];
    await cli(['sweep', 'a.yaml', ...vary, '--transcripts', '*.json'], { cwd });
    const { table, charts } = pageData(join(cwd, 'reports/tiny-sweep/report.html'));
    const costs = async (row: number): Promise<readonly number[]> =>
      JSON.parse(
        (await cli([...words(table.rows[row]!.command!), '--json', '--no-files'], { cwd })).stdout,
      ).runs.map((run: { metrics: { costUsd: number } }) => run.metrics.costUsd);
    const [base, own] = [await costs(0), await costs(1)];
    expect(own).toHaveLength(2);
    const level = (base[0]! + base[1]!) / 2;
    const [first, second] = [own[0]! - base[0]!, own[1]! - base[1]!];
    const mean = (first + second) / 2;
    expect(table.rows[1]!.cells[0]!.value).toBeCloseTo(level + mean, 12);
    // Two differences: the t value of one degree of freedom times half of how far they are apart.
    const high = mean + (12.7062 * Math.abs(first - second)) / 2;
    const [chart] = charts as [StudyPageData['charts'][number]];
    expect(chart.guide).toEqual([{ name: 'unchanged', y: expect.closeTo(level, 12) }]);
    expect(chart.series[0]!.points[1]!.high).toBeCloseTo(level + high, 3);
    expect(table.rows[0]!.cells[0]).toMatchObject({ note: '=' });
    expect(table.rows[0]!.cells[0]).not.toHaveProperty('interval');
  });

  it('compare over several sessions has a row for each, with the command that compares on it alone', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny'), ...traces(1, 3) });
    const asked = ['compare', 'a.yaml', '--set', 'cache.ttl=5m,1h', '--metrics', 'costUsd,turns'];
    await cli([...asked, '--transcripts', '*.json'], { cwd });
    const { sessions } = pageData<PageData>(join(cwd, 'reports/tiny-compare/report.html'));
    expect(sessions!.caption).toBe('cost by session');
    expect(sessions!.columns).toEqual(['cache.ttl=5m', 'cache.ttl=1h']);
    expect(sessions!.rows.map(({ name }) => name)).toEqual(['t0', 't1']);
    expect(sessions!.rows[1]!.command).toBe(`ccbench ${asked.join(' ')} --transcripts t1.json`);
    expect(sessions!.notes[0]).toBe('The runs below are those of t0.');
    for (const { command, cells } of sessions!.rows) {
      const { variants } = JSON.parse(
        (await cli([...words(command!), '--json', '--no-files'], { cwd })).stdout,
      );
      const costs = variants.map(({ metrics }: { metrics: { costUsd: number } }) => metrics.costUsd);
      expect(cells.map(({ value }) => value)).toEqual(costs);
      expect(cells.findIndex(({ mark }) => mark === 'best')).toBe(costs[0] < costs[1] ? 0 : 1);
    }
    await cli([...asked, '--transcripts', 't0.json'], { cwd });
    expect(pageData<PageData>(join(cwd, 'reports/tiny-compare/report.html')).sessions).toBeNull();
  });

  it('compare shows eight runs side by side, and all of them in its table', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny').replace('turns: 40', 'turns: 6') });
    const factors = Array.from({ length: 9 }, (_, i) => `1.${i + 1}`).join(',');
    await printed(['compare', 'a.yaml', '--set', `estimatorFactor=${factors}`, '--workers', '0'], { cwd });
    const { runs, comparison } = pageData<PageData>(join(cwd, 'reports/tiny-compare/report.html'));
    expect(runs).toHaveLength(8);
    expect(comparison?.rows).toHaveLength(9);
  });
});
