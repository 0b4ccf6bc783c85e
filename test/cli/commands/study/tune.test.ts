import { describe, expect, it } from 'vitest';
import { goalOf } from '../../../../src/cli/commands/tune/tune-search.js';
import { refusalOf } from '../../../helpers/refusal.js';
import { cli, tempFolder } from '../../cli.js';

it('a search wants less or more of one metric, within its constraints', () => {
  expect(goalOf({ minimise: 'costUsd', subjectTo: ['turns >= 3'] })).toEqual({
    metric: 'costUsd',
    sign: 1,
    constraints: [{ text: 'turns >= 3', metric: 'turns', op: '>=', value: 3 }],
  });
  expect(goalOf({ maximise: 'cacheHitRate', subjectTo: [] })).toEqual({
    metric: 'cacheHitRate',
    sign: -1,
    constraints: [],
  });
  expect(goalOf({ subjectTo: [] })).toEqual({ metric: 'costUsd', sign: 1, constraints: [] });
  expect(() => goalOf({ minimise: 'costUsd', maximise: 'costUsd', subjectTo: [] })).toThrow(
    'cannot be combined',
  );
});

it('what is wrong with a goal is shown at its option', () => {
  const placeOf = (options: object): unknown => refusalOf(() => goalOf({ subjectTo: [], ...options }))?.place;
  expect(placeOf({ minimise: 'cost' })).toMatchObject({ file: expect.stringContaining('--minimise') });
  expect(placeOf({ maximise: 'cost' })).toMatchObject({ file: expect.stringContaining('--maximise') });
  expect(placeOf({ minimise: 'costUsd', subjectTo: ['x'] })).toEqual({ file: '--subject-to x' });
});

const MANY = `name: many
transcripts:
  - synthetic: { workload: bugfix, turns: 30, text: none }
  - synthetic: { workload: bugfix, turns: 32, text: none }
  - synthetic: { workload: bugfix, turns: 34, text: none }
  - synthetic: { workload: bugfix, turns: 36, text: none }
policy: { use: baselines/prune, set: { rules.prune.select.keep.tokens: 1000 } }
`;
const PILED = '--vary rules.prune.when.piled=1000,2000,4000,400000 --budget 4 --method random'.split(' ');

describe('ccbench tune', () => {
  it('names the optimum over all sessions, and tries what one half of them chooses on the other', async () => {
    const cwd = tempFolder({ 'a.yaml': MANY });
    const set = ['--set', 'rules.prune.when.piled=1000', '--minimise', 'costUsd', '--no-files'];
    const result = JSON.parse((await cli(['tune', 'a.yaml', ...PILED, ...set, '--json'], { cwd })).stdout);
    const { outOfSample: held, transcripts } = result;
    expect([...held.searched, ...held.heldOut].sort()).toEqual([...transcripts].sort());
    expect([held.promised.sessions, held.realised.sessions]).toEqual([2, 2]);
    // The saving is the difference of two runs that anyone can make.
    const costs = async (piled: string) => {
      const runs = await cli(
        ['sweep', 'a.yaml', '--vary', `rules.prune.when.piled=${piled}`, '--no-files', '--json'],
        {
          cwd,
        },
      );
      return new Map<string, number>(
        JSON.parse(runs.stdout).points[0].runs.map(
          (run: { transcript: string; metrics: { costUsd: number } }) => [
            run.transcript,
            run.metrics.costUsd,
          ],
        ),
      );
    };
    const [was, is] = [await costs('1000'), await costs(held.settings['rules.prune.when.piled'])];
    const mean = (labels: readonly string[]) =>
      labels.reduce((sum, label) => sum + was.get(label)! - is.get(label)!, 0) / labels.length;
    expect(held.promised.mean).toBeCloseTo(mean(held.searched), 10);
    expect(held.realised.mean).toBeCloseTo(mean(held.heldOut), 10);
    const text = await cli(['tune', 'a.yaml', ...PILED, ...set], { cwd, columns: 400 });
    expect(text.stdout).toContain(
      'searched: 4 settings of 4, drawn; none discarded, 4 tried on all 4 sessions',
    );
    expect(text.stdout).toMatch(
      /The best cost of 4 settings .* Chosen on 2 of them alone, it is .*\n(Take it|There is no diff)/,
    );
    expect(result.recommendation.reason).toMatch(/^(Take it|There is no difference worth acting on)/);
    expect(text.stdout).toMatch(/promised saving: \$.* a session .*95 % interval .*\n {2}realised saving: /);
    const whole = await cli(['tune', 'a.yaml', ...PILED, ...set, '--json', '--no-holdout'], { cwd });
    expect(JSON.parse(whole.stdout).outOfSample).toBeNull();
  });

  it('nothing qualifies where the unchanged scenario cannot be beaten', async () => {
    const cwd = tempFolder({ 'a.yaml': MANY });
    const sweep = ['sweep', 'a.yaml', ...PILED.slice(0, 2), '--no-files', '--json'];
    const { best } = JSON.parse((await cli(sweep, { cwd })).stdout);
    const cheapest: string = best.settings['rules.prune.when.piled'];
    const others = ['1000', '2000', '4000', '400000'].filter((value) => value !== cheapest);
    const vary = [
      '--vary',
      `rules.prune.when.piled=${others.join(',')}`,
      '--budget',
      '9',
      '--no-files',
      '--json',
    ];
    const args = ['tune', 'a.yaml', ...vary, '--set', `rules.prune.when.piled=${cheapest}`];
    const { code, stdout, stderr } = await cli([...args, '--minimise', 'costUsd'], { cwd });
    expect(stderr).toContain('nothing qualifies: no setting is better than the unchanged scenario');
    expect(code).toBe(99);
    const result = JSON.parse(stdout);
    expect(others).toContain(result.best.settings['rules.prune.when.piled']);
    expect(result).toMatchObject({
      recommendation: {
        settings: null,
        reason: 'Stay with the unchanged scenario: no setting is better than the unchanged scenario.',
      },
      outOfSample: { realised: { sessions: 2 } },
    });
    // Without held-out sessions it is held against the unchanged scenario all the same.
    const whole = await cli([...args, '--minimise', 'costUsd', '--no-holdout'], { cwd });
    const { recommendation, inSample, outOfSample } = JSON.parse(whole.stdout);
    expect([whole.code, recommendation, outOfSample]).toEqual([99, result.recommendation, null]);
    const { mean, sessions } = result.outOfSample.inSample;
    expect(inSample).toMatchObject({ mean: expect.closeTo(mean, 9), sessions });
  });
});
