import { describe, expect, it } from 'vitest';
import { cli, scenario, tempFolder } from '../../cli.js';

const SWEEP = ['sweep', 'a.yaml', '--results', 'out', '--workers', '0'];

/** A study of two lifetimes and two models, or of what is given. */
async function swept(...vary: readonly string[]) {
  const cwd = tempFolder({ 'a.yaml': scenario('tiny').replace('turns: 40', 'turns: 6') });
  const axes = vary.length > 0 ? vary : ['cache.ttl=5m,1h', 'model=claude-sonnet-4-5,claude-opus-4-5'];
  const said = await cli([...SWEEP, ...axes.flatMap((axis) => ['--vary', axis])], { cwd });
  expect(said.code).toBe(0);
  const ask = async (...args: readonly string[]) => cli(['results', 'out', ...args], { cwd });
  const json = async (...args: readonly string[]) => JSON.parse((await ask(...args, '--json')).stdout);
  return {
    cwd,
    said,
    ask,
    json,
    lines: async (...args: readonly string[]) => (await ask(...args)).stdout.split('\n'),
  };
}

describe('the answers of ccbench results as text', () => {
  it('has groups in order, this many as are asked for, and how many rows they hold', async () => {
    const { lines, json } = await swept();
    const { groups } = await json('--group', 'cache.ttl,model', '--mean', 'costUsd,turns');
    expect(groups).toHaveLength(4);
    const line = (i: number) => {
      const { group, means } = groups[i];
      return `cache.ttl=${group['cache.ttl']}, model=${group.model}  1 row  costUsd $${means.costUsd.toFixed(4)}  turns ${means.turns}`;
    };
    const asked = ['--group', 'cache.ttl,model', '--mean', 'costUsd,turns'];
    expect(await lines(...asked, '--top', '3')).toEqual([
      line(0),
      line(1),
      line(2),
      '… and 1 more group; --top shows them',
      '4 rows',
      '',
    ]);
    expect(await lines(...asked, '--top', '4')).toEqual([line(0), line(1), line(2), line(3), '4 rows', '']);
  });

  it('has one group of all rows for a mean alone, and a count alone', async () => {
    const { lines, json } = await swept();
    const [{ means }] = (await json('--mean', 'turns')).groups;
    expect(await lines('--mean', 'turns')).toEqual([`all  4 rows  turns ${means.turns}`, '4 rows', '']);
    expect(await lines('--count', '--where', 'cache.ttl = 5m')).toEqual(['2 rows', '']);
    expect(await lines('--count', '--where', 'cache.ttl = 5m', '--where', 'model = claude-opus-4-5')).toEqual(
      ['1 row', ''],
    );
    expect(await lines('--count', '--where', 'cache.ttl = 9m')).toEqual(['0 rows', '']);
  });

  it('has the best points with their settings, the cheapest first', async () => {
    const { lines, json } = await swept();
    const { groups } = await json('--group', 'cache.ttl,model', '--mean', 'costUsd');
    const byCost = groups
      .map(({ group, means }: { group: Record<string, string>; means: { costUsd: number } }) => ({
        usd: means.costUsd,
        text: `$${means.costUsd.toFixed(4)}  cache.ttl=${group['cache.ttl']}, model=${group.model}`,
      }))
      .sort((a: { usd: number }, b: { usd: number }) => a.usd - b.usd)
      .map(({ text }: { text: string }) => text);
    expect(await lines('--best', 'costUsd', '--top', '2')).toEqual([...byCost.slice(0, 2), '']);
    expect(await lines('--best', 'turns')).toEqual([
      'no point is best in turns: neither higher nor lower is better',
      '',
    ]);
  });

  it('lists every column with its kind', async () => {
    const { lines, json } = await swept();
    const { columns } = await json('--columns');
    expect(await lines('--columns')).toEqual([
      ...columns.map(({ name, kind }: { name: string; kind: string }) => `${name} (${kind})`),
      '',
    ]);
    expect(await lines('--columns')).toEqual(
      expect.arrayContaining(['cache.ttl (text)', 'costUsd (number)']),
    );
  });

  it('says without a question what is there, as the sweep did', async () => {
    const { said, lines } = await swept();
    const sweepLines = said.stdout.split('\n');
    const overview = await lines();
    expect(overview[0]).toMatch(/^tiny-sweep: 4 of 4 runs in 1 part, study [0-9a-f]{16}, ccbench /);
    // a head, a line on the best and four points, then how it ends
    expect(overview.slice(0, 6)).toEqual(sweepLines.slice(0, 6));
    expect(said.stdout).toContain('ccbench results out queries them.');
  });

  it('marks means of runs that did not finish, which are cheap for the wrong reason', async () => {
    // 20,000 + 40 × 6,500 tokens do not fit into 200,000: without pruning the long session breaks off and costs less.
    const session = (turns: number) =>
      `  - synthetic: { turns: ${turns}, prefixTokens: 20000, text: none, steady: { gapSeconds: 20, outputTokens: 0, resultTokens: 6400, promptTokens: 100 } }`;
    const cwd = tempFolder({
      'a.yaml': [
        'name: a',
        'transcripts:',
        session(5),
        session(40),
        'model: claude-sonnet-4-5',
        'policy: { use: baselines/prune, set: { rules.prune.select.keep.tokens: 40000 } }',
        'seed: 1',
      ].join('\n'),
    });
    const axis = 'rules.prune.when.piled';
    await cli([...SWEEP, '--vary', `${axis}=80000,400000`], { cwd });
    const asked = ['results', 'out', '--group', axis, '--mean', 'costUsd'];
    const json = await cli([...asked, '--json'], { cwd });
    const { groups } = JSON.parse(json.stdout);
    expect(groups).toMatchObject([{ unfinished: 0 }, { unfinished: 1 }]);
    expect(groups[1].means.costUsd).toBeLessThan(groups[0].means.costUsd);
    const { stdout, stderr } = await cli(asked, { cwd });
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      expect.stringContaining(`${axis}=80000  2 rows  costUsd`),
      expect.stringContaining(`${axis}=400000  2 rows (1 of 2 unfinished)  costUsd`),
    ]);
    expect(stderr).toMatch(
      /^1 of 4 runs did not finish, in 1 of 2 groups: .*--best ranks runs that finished\n$/,
    );
    expect(json.stderr).toBe(stderr);
    const { best } = JSON.parse(
      (await cli(['results', 'out', '--best', 'costUsd', '--json'], { cwd })).stdout,
    );
    expect(best.points).toMatchObject([{ settings: { [axis]: 80_000 } }]);
  });

  it('tells of runs that are not there yet', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny').replace('turns: 40', 'turns: 6') });
    const half = await cli([...SWEEP, '--vary', 'seed=1..8:8', '--shard', '1/2', '--json'], { cwd });
    const open = 8 - JSON.parse(half.stdout).ran;
    expect(open).toBeGreaterThan(0);
    const { stdout, stderr } = await cli(['results', 'out', '--count'], { cwd });
    expect(stdout).toBe(`${8 - open} rows\n`);
    expect(stderr).toBe(`${open} runs are not finished and left out\n`);
  });

  it('refuses a condition on a question that has none', async () => {
    const { ask } = await swept();
    for (const question of [['--sql', 'select 1'], ['--best', 'costUsd'], ['--columns']])
      expect(await ask(...question, '--where', 'seed = 1')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--where works only with --count, --group and --mean'),
      });
  });
});
