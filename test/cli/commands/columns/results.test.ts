import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../../../src/cli/commands/columns/questions.js';
import { cli, scenario, tempFolder } from '../../cli.js';

const SWEEP = 'sweep a.yaml --vary cache.ttl=5m,1h --vary seed=1..6:6 --workers 0 --json'.split(' ');

async function swept(): Promise<{ cwd: string; points: readonly Point[] }> {
  const cwd = tempFolder({ 'a.yaml': scenario('tiny').replace('turns: 40', 'turns: 8') });
  await cli([...SWEEP, '--results', 'out'], { cwd });
  const { points } = JSON.parse((await cli([...SWEEP, '--no-files'], { cwd })).stdout);
  return { cwd, points };
}

interface Point {
  readonly settings: Readonly<Record<string, string>>;
  readonly metrics: Readonly<Record<string, number>>;
}

describe('ccbench results', () => {
  it('counts, filters, groups and takes means', async () => {
    const { cwd, points } = await swept();
    const ask = async (...args: string[]) =>
      JSON.parse((await cli(['results', 'out', ...args, '--json'], { cwd })).stdout);
    expect((await ask('--count')).rows).toBe(12);
    expect((await ask('--count', '--where', 'seed <= 4', '--where', 'cache.ttl = 1h')).rows).toBe(4);
    const { groups } = await ask('--group', 'cache.ttl', '--mean', 'costUsd');
    for (const { group, rows, means } of groups) {
      const own = points.filter(({ settings }) => settings['cache.ttl'] === group['cache.ttl']);
      expect(rows).toBe(6);
      expect(means.costUsd).toBeCloseTo(own.reduce((sum, { metrics }) => sum + metrics.costUsd!, 0) / 6, 12);
    }
    expect(groups.map(({ group }: { group: object }) => group)).toEqual([
      { 'cache.ttl': '1h' },
      { 'cache.ttl': '5m' },
    ]);
    const { best } = await ask('--best', 'costUsd', '--top', '1');
    expect(best).toMatchObject({ points: [], reason: expect.stringContaining('different sessions') });
    // no layer was skipped, which is no value
    expect((await ask('--group', 'skipped')).groups).toMatchObject([{ group: { skipped: null }, rows: 12 }]);
    expect((await ask('--columns')).columns).toContainEqual({ name: 'cache.ttl', kind: 'text' });
  });

  it('says what is wrong with a question', async () => {
    const { cwd } = await swept();
    for (const [args, said] of [
      [['--group', 'polcy'], 'did you mean "policy"'],
      [['--count', '--where', 'seed < many'], 'seed is a number'],
      [['--count', '--where', 'seed'], 'not a condition'],
      [['--where', 'seed < 2'], '--where has no effect alone'],
      [['--mean', 'policy'], 'policy is text'],
      [['--count', '--study', 'zzz'], 'has no study zzz'],
    ] as const) {
      const { code, stderr } = await cli(['results', 'out', ...args], { cwd });
      expect({ code, said: stderr.includes(said) ? said : stderr }).toEqual({ code: 2, said });
    }
    expect((await cli(['results', 'nowhere'], { cwd })).code).toBe(2);
    expect((await cli(['results', '.'], { cwd })).stderr).toContain('holds no results');
  });

  it('answers SQL with DuckDB, as numbers and as a table', async () => {
    const { cwd } = await swept();
    const sql = (query: string, ...more: readonly string[]) =>
      cli(['results', 'out', '--sql', query, ...more], { cwd });
    const counted = await sql('select count(*) as runs, min(seed) as least from results', '--json');
    expect(JSON.parse(counted.stdout).rows).toEqual([{ runs: 12, least: 1 }]);
    const table = await sql('select policy, count(*) as runs, null as nothing from results group by policy');
    expect(table.stdout).toMatch(/policy +runs +nothing/);
    expect(await sql('selec 1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('DuckDB refused the query: Parser Error'),
    });
  });
});

describe('parseCondition', () => {
  const columns = [
    { name: 'cost', kind: 'number' },
    { name: 'rules.prune.when.piled', kind: 'number' },
    { name: 'policy', kind: 'text' },
  ] as const;

  it('compares numbers as numbers and texts as texts; a missing value meets no comparison', () => {
    const met = (text: string, value: string | number | null) => parseCondition(text, columns).isMet(value);
    expect([
      met('cost < 10', 9),
      met('cost < 10', 10),
      met('cost <= 10', 10),
      met('cost != 3', null),
    ]).toEqual([true, false, true, false]);
    expect([met("policy = 'none'", 'none'), met('policy != none', 'none')]).toEqual([true, false]);
    expect([met('cost = null', null), met('cost = null', 0), met('cost != null', 0)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(met('rules.prune.when.piled>=2000', 2_000)).toBe(true);
  });
});
