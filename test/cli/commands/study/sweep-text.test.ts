import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, scenario, tempFolder } from '../../cli.js';

const AXIS = 'rules.prune.when.piled';
const COLUMNS = ['costUsd', 'turns', 'cacheHitRate'];
const PRUNE = scenario('tiny')
  .replace('policy: none', 'policy: baselines/prune')
  .replace('turns: 40', 'turns: 50');
const SWEEP = [
  ...['sweep', 'a.yaml', '--set', 'rules.prune.select.keep.tokens=1000', '--workers', '0'],
  ...['--metrics', COLUMNS.join(',')],
];

interface Swept {
  readonly points: readonly {
    readonly settings: Readonly<Record<string, string | number>>;
    readonly metrics: Readonly<Record<string, number>>;
  }[];
  readonly best: {
    readonly value: number;
    readonly settings: Readonly<Record<string, unknown>>;
    readonly command: string;
  };
}

describe('what a sweep over one number shows', () => {
  /** One sweep for all tests: as text, as JSON and as files. */
  async function make() {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    const argv = [...SWEEP, '--vary', `${AXIS}=1000..41000:41`];
    const text = (await cli(argv, { cwd, columns: 200 })).stdout;
    const file = (name: string) => readFileSync(join(cwd, 'reports/tiny-sweep', name), 'utf8');
    const files = { csv: file('sweep.csv'), json: file('sweep.json'), md: file('sweep.md') };
    const swept: Swept = JSON.parse((await cli([...argv, '--json'], { cwd })).stdout);
    return { text, swept, files };
  }
  let made: ReturnType<typeof make> | null = null;
  const sweptOnce = () => (made ??= make());

  const cells = (line: string) => line.trim().split(/ {2,}/);

  it('is a row for each of forty points, and how many more there are', async () => {
    const { text, swept } = await sweptOnce();
    const rows = text.split('\n').filter((line) => line.startsWith(`${AXIS}=`));
    const best = Math.min(...swept.points.map(({ metrics }) => metrics.costUsd!));
    expect(swept.points).toHaveLength(41);
    expect(rows.map((row) => cells(row).slice(0, 3))).toEqual(
      swept.points
        .slice(0, 40)
        .map(({ metrics: { costUsd, turns } }, i) => [
          `${AXIS}=${1_000 * (i + 1)}`,
          `$${costUsd!.toFixed(2)}${costUsd === best ? '*' : ''}`,
          `${turns}`,
        ]),
    );
    expect(text).toContain('… and 1 more point\n');
  });

  it('is the best point, with the command that repeats it', async () => {
    const { text, swept } = await sweptOnce();
    const best = Math.min(...swept.points.map(({ metrics }) => metrics.costUsd!));
    expect(swept.best.value).toBe(best);
    const at = swept.points.find(({ metrics }) => metrics.costUsd === best)!.settings[AXIS];
    expect(String(swept.best.settings[AXIS])).toBe(String(at));
    expect(text).toContain(`$${best.toFixed(2)}`);
    expect(text).toContain(swept.best.command);
    expect(swept.best.command).toBe(
      `ccbench run a.yaml --set rules.prune.select.keep.tokens=1000 --set ${AXIS}=${at}`,
    );
  });

  it('is in the files, all points of them', async () => {
    const { files, swept } = await sweptOnce();
    const json = JSON.parse(files.json);
    expect(json.points).toEqual(swept.points);
    const [head, ...lines] = files.csv.trimEnd().split('\n');
    const at = head!.split(',').indexOf('costUsd');
    expect(head!.split(',')[0]).toBe(AXIS);
    expect(lines.map((line) => [Number(line.split(',')[0]), Number(line.split(',')[at])])).toEqual(
      swept.points.map(({ settings, metrics }) => [Number(settings[AXIS]), metrics.costUsd]),
    );
    expect(files.md.split('\n').filter((line) => line.startsWith(`| ${AXIS}=`))).toHaveLength(41);
  });
});

describe('a sweep', () => {
  it('of many points shows the best one, wherever it stands', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE });
    // The last prunes nothing, as no such pile comes about, and so rewrites nothing.
    const values = [...Array.from({ length: 44 }, (_, i) => 1_000 + i), 1_000_000];
    const argv = [...SWEEP, '--no-files', '--vary', `${AXIS}=${values.join(',')}`];
    const { points, best }: Swept = JSON.parse((await cli([...argv, '--json'], { cwd })).stdout);
    const at = points.findIndex(({ metrics }) => metrics.costUsd === best.value);
    expect(points).toHaveLength(45);
    expect(at).toBe(44);
    const { stdout } = await cli(argv, { cwd, columns: 200 });
    const rows = stdout.split('\n').filter((line) => line.startsWith(`${AXIS}=`));
    expect(rows).toHaveLength(41);
    expect(rows[40]).toMatch(new RegExp(`^${AXIS}=${values[at]} .*\\*`));
    expect(stdout).toContain('… and 4 more points; the last row is the best of all');
  });

  it('names no best point where all are as good, and draws no curve over words', async () => {
    const cwd = tempFolder({ 'a.yaml': PRUNE.replace('turns: 50', 'turns: 3') });
    const argv = [...SWEEP, '--no-files', '--vary', `${AXIS}=1000000,2000000,3000000`];
    const { stdout } = await cli(argv, { cwd, columns: 200 });
    expect(
      stdout
        .split('\n')
        .filter((line) => line.startsWith(AXIS))
        .join(),
    ).not.toContain('*');
    expect(stdout).not.toContain('more point');
    const words = await cli([...SWEEP, '--no-files', '--vary', 'cache.ttl=5m,1h', '--json'], { cwd });
    expect(JSON.parse(words.stdout).fitted).toBeNull();
  });
});
