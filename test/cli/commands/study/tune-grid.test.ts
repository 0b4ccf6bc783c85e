import { expect, it } from 'vitest';
import { createRandom } from '../../../../src/core/base/random.js';
import { propertyRuns } from '../../../helpers/generators/property-runs.js';
import { sharedData } from '../../../helpers/recordings/shared.js';
import { cli, tempFolder } from '../../cli.js';

interface PointJson {
  readonly settings: Readonly<Record<string, string>>;
  readonly unfinished: readonly unknown[];
  readonly runs: readonly { readonly metrics: { readonly costUsd: number } }[];
}

/** A scenario over a few generated sessions, and a range of one of its settings: in some, small values do not finish. */
function studyOf(seed: number): { readonly text: string; readonly vary: readonly string[] } {
  const random = createRandom(seed);
  const sessions = Array.from({ length: random.integer(1, 5) }, () => {
    const workload = ['bugfix', 'refactor', 'research'][random.integer(0, 2)];
    return `  - synthetic: { workload: ${workload}, turns: ${random.integer(15, 60)}, text: none }`;
  });
  const isPruned = random.next() < 0.5;
  const from = isPruned ? random.integer(1, 20) * 500 : random.integer(20, 60);
  const range = isPruned
    ? `rules.prune.when.piled=${from}..${from + 20_000}:${random.integer(5, 25)}:log`
    : `window.percent=${from}..${from + random.integer(8, 30)}`;
  const text = [
    'name: drawn',
    'transcripts:',
    ...sessions,
    'model: claude-sonnet-4-5',
    `window: ${random.integer(8, 16)}0000`,
    isPruned
      ? 'policy: { use: baselines/prune, set: { rules.prune.select.keep.tokens: 1000 } }'
      : 'policy: claude-code/2.1.112',
    `seed: ${seed}`,
  ];
  return { text: `${text.join('\n')}\n`, vary: ['--vary', range] };
}

/** A range as a sweep must have it: with its steps. */
function withSteps([option, range]: readonly string[]): readonly string[] {
  const [, from, to] = /=(\d+)\.\.(\d+)$/.exec(range!) ?? [];
  return [option!, from === undefined ? range! : `${range}:${Number(to) - Number(from) + 1}`];
}

/** Studies of which some setting finishes everything. */
const STUDIES = propertyRuns(10);

it('a search names the optimum of the exhaustive grid, which is that of a sweep, in each of many studies', async () => {
  let [named, partly] = [0, 0];
  for (let seed = 1; named < STUDIES; seed++) {
    const { text, vary } = studyOf(seed);
    const cwd = tempFolder({ 'a.yaml': text });
    const ask = async (...words: readonly string[]) =>
      JSON.parse((await cli([...words, '--workers', '0', '--no-files', '--json'], { cwd })).stdout);
    const swept = await ask('sweep', 'a.yaml', ...withSteps(vary));
    const tuned = await ask('tune', 'a.yaml', ...vary, '--minimise', 'costUsd');
    const points: readonly PointJson[] = swept.points;
    const whole = points.filter(({ unfinished }) => unfinished.length === 0);
    if (whole.length === 0) {
      expect([swept.best, tuned.best]).toEqual([null, null]);
      continue;
    }
    named++;
    const cost = ({ runs }: PointJson) => runs.reduce((sum, { metrics }) => sum + metrics.costUsd, 0);
    const least = Math.min(...whole.map(cost));
    const optimum = whole.find((point) => cost(point) <= least * (1 + 1e-12));
    expect(tuned).toMatchObject({
      method: 'grid',
      drawn: points.length,
      best: { settings: optimum!.settings },
    });
    expect(tuned.best.costUsd * points[0]!.runs.length).toBeCloseTo(least, 9);
    expect(swept.best.settings).toEqual(tuned.best.settings);
    expect(swept.best.value).toBe(tuned.best.costUsd);
    if (whole.length < points.length) partly++;
  }
  expect(partly).toBeGreaterThan(2);
});

it.skipIf(!sharedData.present)(
  'on recordings the realised saving of the tuned threshold lies in the promised interval',
  { timeout: 900_000 },
  async () => {
    const cwd = tempFolder({
      'a.yaml': 'name: recorded\npolicy: claude-code/2.1.112\ntranscript: { file: none.jsonl }\n',
    });
    const folder = sharedData.path('transcripts/claude-code');
    const args = [
      '--transcripts',
      folder,
      '--vary',
      'window.explicit=auto',
      '--budget',
      '10',
      '--method',
      'random',
    ];
    const { stdout, stderr } = await cli(
      ['tune', 'a.yaml', ...args, '--minimise', 'costUsd', '--no-files', '--no-cache', '--json'],
      { cwd },
    );
    const result = JSON.parse(stdout || `{"outOfSample":${JSON.stringify(stderr)}}`);
    const { outOfSample: held, recorded, compared } = result;
    // What was recorded stands beside the settings, so it is told of the sessions that they were compared on.
    const beside = recorded.runs.map(({ transcript }: { transcript: string }) => transcript);
    expect(compared).toEqual(expect.arrayContaining(beside));
    expect(beside.length).toBeGreaterThanOrEqual(14);
    expect(held.searched.length).toBeGreaterThanOrEqual(7);
    expect(held.heldOut.length).toBeGreaterThanOrEqual(7);
    expect(held.isWithin).toBe(true);
    expect(held.realised.mean).toBeGreaterThanOrEqual(held.promised.low);
    expect(held.realised.mean).toBeLessThanOrEqual(held.promised.high);
  },
);
