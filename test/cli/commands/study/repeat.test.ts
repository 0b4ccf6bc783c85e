import { describe, expect, it } from 'vitest';
import { cli, refused, TRACE, tempFolder } from '../../cli.js';

const BASE = 'transcript: { synthetic: { turns: 12 } }\npolicy: { use: baselines/prune }\nseed: 3\n';
const VARIANTS = `variants:
  - { name: "it's quoted, twice", cache: { ttl: 1h } }
  - { name: other, policy: none }
`;

/** The words of a command line as a shell makes them. */
function words(line: string): readonly string[] {
  const found: string[] = [];
  for (const [word] of line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g))
    found.push(word.replace(/'([^']*)'|\\(.)/g, (_all, quoted, escaped) => quoted ?? escaped));
  return found;
}

/** What the runs of a repeated line came to. */
async function repeated(line: string, cwd: string) {
  expect(line).toMatch(/^ccbench run /);
  const { stdout, stderr } = await cli([...words(line).slice(1), '--json', '--no-files'], { cwd });
  expect(stderr).not.toContain('error[');
  return JSON.parse(stdout).runs as readonly {
    readonly variant: string | null;
    readonly transcript: string;
    readonly metrics: Readonly<Record<string, number>>;
  }[];
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

it('the words of a shell', () => {
  expect(words(`ccbench run 'a b' --set 'x='\\''y'\\'' z' c=d`)).toEqual([
    'ccbench',
    'run',
    'a b',
    '--set',
    "x='y' z",
    'c=d',
  ]);
});

describe('the line that repeats the best point of a sweep', () => {
  /** Sweeps, repeats the best point, and compares its cost. */
  async function sweepAndRepeat(files: Readonly<Record<string, string>>, ...options: readonly string[]) {
    const cwd = tempFolder(files);
    const { stdout } = await cli(['sweep', Object.keys(files)[0]!, ...options, '--no-files', '--json'], {
      cwd,
    });
    const { best, transcripts } = JSON.parse(stdout);
    const runs = await repeated(best.command, cwd);
    expect(mean(runs.map(({ metrics }) => metrics.costUsd!))).toBeCloseTo(best.value, 12);
    expect(runs).toHaveLength(transcripts.length);
    return { command: best.command as string, runs };
  }

  it('has the file, the settings of all points and those of the point', async () => {
    const { command } = await sweepAndRepeat(
      { 'my file.yaml': `name: a\n${BASE}` },
      '--vary',
      'rules.prune.when.piled=500,90000',
      '--set',
      'cache={ttl: 1h, mode: on}',
    );
    expect(command).toMatch(
      /^ccbench run 'my file.yaml' --set 'cache=\{ttl: 1h, mode: on\}' --set rules\.prune\.when\.piled=\d+$/,
    );
  });

  it('leaves out the variants of the file, which a sweep does not run', async () => {
    const { command, runs } = await sweepAndRepeat(
      { 'a.yaml': `name: a\n${BASE}${VARIANTS}` },
      '--vary',
      'rules.prune.when.piled=500,90000',
    );
    expect(command).toContain('--variant base');
    expect(runs.map(({ variant }) => variant)).toEqual([null]);
  });

  it('names the recordings of --transcripts, however they are called', async () => {
    const files = {
      'a.yaml': `name: a\n${BASE.replace('baselines/prune', 'none')}`,
      "it's: one.json": TRACE,
      'two.json': TRACE.replace('"hand"', '"other"').replaceAll(':420,', ':900,'),
    };
    const { command } = await sweepAndRepeat(files, '--vary', 'cache.ttl=5m,1h', '--transcripts', '*.json');
    expect(command).toContain(String.raw`--set 'transcript.file=["it'\''s: one.json", "two.json"]'`);
  });

  it('names them for a scenario of several transcripts too', async () => {
    const several =
      'name: a\ntranscripts:\n  - synthetic: { turns: 5 }\n  - synthetic: { turns: 6 }\npolicy: none\n';
    const files = { 'a.yaml': several, 'one.json': TRACE };
    await sweepAndRepeat(files, '--vary', 'cache.ttl=5m,1h');
    const { command } = await sweepAndRepeat(files, '--vary', 'cache.ttl=5m,1h', '--transcripts', '*.json');
    expect(command).toContain("--set 'transcripts=[{file: one.json}]'");
  });

  it('WIN-1 leaves out a window that is what holds anyway', async () => {
    const { command } = await sweepAndRepeat(
      { 'a.yaml': `name: a\n${BASE.replace('baselines/prune', 'claude-code/2026')}` },
      '--vary',
      'window.explicit=200000',
    );
    expect(command).toBe('ccbench run a.yaml');
  });
});

it('over many recordings the line is a sweep of one point, by the pattern that found them', async () => {
  const traces = [0, 1, 2, 3].map((i) => [
    `${i}.json`,
    TRACE.replace('"hand"', `"t${i}"`).replaceAll(':420,', `:${900 + i},`),
  ]);
  const cwd = tempFolder({
    'a.yaml': `name: a\n${BASE.replace('baselines/prune', 'none')}`,
    ...Object.fromEntries(traces),
  });
  const study = ['sweep', 'a.yaml', '--vary', 'cache.ttl=5m,1h', '--transcripts', '*.json', '--json'];
  const { best, points } = JSON.parse((await cli([...study, '--no-files'], { cwd })).stdout);
  expect(best.command).toMatch(
    /^ccbench sweep a\.yaml --vary cache\.ttl=(?:5m|1h) --transcripts '\*\.json'$/,
  );
  const again = JSON.parse(
    (await cli([...words(best.command).slice(1), '--no-files', '--json'], { cwd })).stdout,
  );
  expect(again.points).toHaveLength(1);
  const costOf = ({ metrics }: { metrics: { costUsd: number } }) => metrics.costUsd;
  expect(costOf(again.points[0])).toBe(Math.min(...points.map(costOf)));
});

it('the line of a tune repeats its best setting', async () => {
  const files = { 'a.yaml': `name: a\n${BASE}${VARIANTS}`, 'one.json': TRACE, 'two.json': TRACE };
  const cwd = tempFolder(files);
  const argv = 'tune a.yaml --vary cache.ttl=5m,1h --set policy=none --minimise costUsd'.split(' ');
  const { stdout } = await cli(
    [...argv, '--transcripts', '*.json', '--budget', '4', '--no-files', '--json'],
    { cwd },
  );
  const { best } = JSON.parse(stdout);
  const runs = await repeated(best.command, cwd);
  expect(runs).toHaveLength(2);
  expect(mean(runs.map(({ metrics }) => metrics.costUsd!))).toBeCloseTo(best.costUsd, 12);
});

describe('the line that repeats a failed run of a comparison', () => {
  /** A recording with a model that the measure of the plug-in gives up on. */
  const BAD = TRACE.replaceAll('claude-sonnet-4-5', 'claude-opus-4-5');
  const GIVES_UP = `
const value = (facts) => {
  if (JSON.stringify(facts).includes('claude-opus-4-5')) throw new Error('gave up');
  return 1;
};
export default { name: 'measure', metrics: [{ name: 'fit', unit: 'count', better: null, help: 'One.', value }] };
`;

  it('has the variant, its settings, seed, model and recording, and fails the same way', async () => {
    const files = {
      'a.yaml': `name: a\nplugins: [./measure.mjs]\n${BASE}${VARIANTS}`,
      'measure.mjs': GIVES_UP,
      'bad one.json': BAD,
      'good.json': TRACE,
    };
    const cwd = tempFolder(files);
    const argv = ['compare', 'a.yaml', '--seed', '9', '--set', 'cache.mode=on', '--no-files'];
    const { stderr } = await cli([...argv, '--transcripts', '*.json'], { cwd });
    const lines = [...stderr.matchAll(/repeat: (.*)/g)].map(([, line]) => line!);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toBe(
      String.raw`ccbench run a.yaml --variant 'it'\''s quoted, twice' --set 'transcript.file="bad one.json"' --set seed=9 --set cache.mode=on`,
    );
    for (const line of lines) {
      const again = await cli([...words(line).slice(1), '--no-files', '--json'], { cwd });
      expect(again.stderr.match(/error\[.*/g)).toEqual([expect.stringContaining('gave up')]);
    }
    const twin = await cli(
      [...words(lines[1]!.replace('bad one', 'good')).slice(1), '--no-files', '--json'],
      {
        cwd,
      },
    );
    expect(JSON.parse(twin.stdout).runs).toMatchObject([
      { name: "a/it's quoted, twice", policy: 'baselines/prune' },
    ]);
  });
});

describe('run --variant', () => {
  const cwd = (): string => tempFolder({ 'a.yaml': `name: a\n${BASE}${VARIANTS}` });
  const variants = async (...options: readonly string[]): Promise<readonly (string | null)[]> => {
    const { stdout } = await cli(['run', 'a.yaml', ...options, '--no-files', '--json'], { cwd: cwd() });
    return JSON.parse(stdout).runs.map((run: { readonly variant: string | null }) => run.variant);
  };

  it('runs one of them, or the base', async () => {
    expect(await variants()).toEqual([null, "it's quoted, twice", 'other']);
    expect(await variants('--variant', 'other')).toEqual(['other']);
    expect(await variants('--variant', 'base')).toEqual([null]);
  });

  it('names the variants there are', async () => {
    const stderr = await refused(['run', 'a.yaml', '--variant', 'othr'], { cwd: cwd() });
    expect(stderr).toContain('--variant othr: unknown variant "othr"');
    expect(stderr).toContain('did you mean "other"?');
  });
});
