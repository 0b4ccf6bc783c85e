import { expect, it } from 'vitest';
import { CcbenchError } from '../../src/core/base/errors.js';
import { createRandom } from '../../src/core/base/random.js';
import { batchesOfShard, partitionOf, runsOfPart } from '../../src/study/batches.js';
import { rulesOf } from '../../src/study/chosen-metrics.js';
import { compareVariants, costDelta } from '../../src/study/comparison.js';
import { completenessOf, leftOutOf, type VariantRuns, valueCounts } from '../../src/study/completeness.js';
import type { MetricRecord } from '../../src/study/job.js';
import { longestFirst, outOfSample, splitSessions } from '../../src/study/out-of-sample.js';
import { sealedLine, unsealed } from '../../src/study/result-rows.js';
import { judge, planSearch, rank, rungsOf, survivors } from '../../src/study/search.js';
import { closedAxes, grid, gridPoint, gridSize, parseAxes, possibleSettings } from '../../src/study/vary.js';
import { compactJson, expectKept } from '../helpers/golden/outputs.js';

const block = (title: string, value: unknown): string =>
  `# ${title}\n${compactJson(JSON.parse(JSON.stringify(value)))}\n`;

function tried(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    return `${error.message} (${error.hint})`;
  }
}

const VARY = [
  ...[
    'a',
    '=1',
    'a=',
    'a=1',
    'a=1,2,1',
    'a=1,,2',
    'a=[1,2],{b: 3}',
    'a="x,y",z',
    'a=0.5w,1w,3k',
    'a= 1 , 2 ',
  ],
  ...[
    'a=1..9:3',
    'a=1..9:3:log',
    'a=0..9:3:log',
    'a=1..9',
    'a=9..1:3',
    'a=1..9:0',
    'a=1..9:1',
    'a=1..9:2000000',
  ],
  ...[
    'a=1..3:9',
    'a=0.1..0.3:5',
    'a=-5..5:3',
    'a=1k..3k:3',
    'a=0.1w..0.9W:5',
    'a=1e3..1e5:3:LOG',
    'a=1..9:3:cubic',
  ],
  ...['a=1m..2m:2', 'a=..', 'window.percent=auto', 'window.compactOffset=auto', 'window.explicit=auto'],
  ...['seed=auto', 'cache.ttl=auto', 'microcompact.timeBased.gapMinutes=auto', 'a=4..4:3', 'a=1.5..2:2'],
];
const AXES = [
  ['a=1..4:4'],
  ['a=1..9', 'b=x,y'],
  ['a=0.1..0.9'],
  ['a=1..100:7:log', 'b=1,2,3', 'c=5..7'],
  ['a=1'],
];

it('a line that is sealed for one owner is none of another', () => {
  const line = sealedLine({ a: 1 }, 'one');
  expect(unsealed(line, 'one')).toEqual({ a: 1 });
  expect([unsealed(line, 'two'), unsealed(line), unsealed(sealedLine({ a: 1 }), 'one')]).toEqual([
    null,
    null,
    null,
  ]);
});

it('axes, grids and shares are as kept', () => {
  const window = () => 100_000;
  const steps = () => [70_000, 200_000];
  const axes = VARY.map((text) => [
    text,
    ...(['allowed', 'refused'] as const).map((open) => tried(() => parseAxes([text], window, open, steps))),
  ]);
  const grids = AXES.map((texts) => {
    const own = parseAxes(texts, window, 'allowed');
    const size = gridSize(closedAxes(own));
    const points =
      size > 40 ? [0, 1, 20, size - 1].map((at) => gridPoint(closedAxes(own), at)) : grid(closedAxes(own));
    return [texts, gridSize(own), String(possibleSettings(own)), size, points];
  });
  const parts = [1, 31, 33, 1_000, 32_001, 64_000, 1_000_000].map((runs) => {
    const partition = partitionOf(runs);
    return [partition, runsOfPart(partition, 0), runsOfPart(partition, partition.parts - 1)];
  });
  const costs = [5, 1, 1, 7, 2, 2, 2, 9, 0, 3];
  const shards = [1, 2, 3].map((index) => batchesOfShard(costs, { index, of: 3 }));
  const texts = {
    axes,
    twice: tried(() => parseAxes(['a=1', 'a=2'], window, 'allowed')),
    grids,
    parts,
    shards,
  };
  expectKept(
    'study/axes',
    Object.entries(texts)
      .map(([title, value]) => block(title, value))
      .join('\n'),
  );
});

/** Runs of some variants over some sessions, drawn: a few did not finish, failed, or have no cost. */
function drawn(seed: number, variants: number, sessions: number): readonly VariantRuns[] {
  const random = createRandom(seed);
  return Array.from({ length: variants }, (_, v) => ({
    name: `v${v}`,
    byTranscript: new Map(
      Array.from({ length: sessions }, (_unused, s): [string, MetricRecord | null] => {
        const lot = random.integer(0, 19);
        const lost = lot === 0 ? random.integer(1, 9) : 0;
        const cost = 1 + s + (v * random.integer(0, 30)) / 100;
        const record = {
          ...{ callsAnswered: 10 - lost, callsLost: lost, finishedShare: (10 - lost) / 10, turns: 10 },
          ...{ costUsd: lot === 1 ? null : cost, costLowUsd: cost - 0.1, costHighUsd: cost + 0.2 },
          ...{ cacheHitRate: random.integer(40, 95) / 100, compactions: v === 0 ? 2 : random.integer(0, 3) },
        };
        return [`s${s}`, lot === 2 && v > 0 ? null : record];
      }),
    ),
  }));
}

it('comparisons and searches over drawn runs are as kept', () => {
  const metrics = ['costUsd', 'cacheHitRate', 'compactions', 'turns'];
  const blocks = [1, 2, 3, 4, 5].map((seed) => {
    const runs = drawn(seed, 4, seed === 1 ? 1 : 2 * seed);
    const completeness = completenessOf(runs);
    const rules = seed % 2 === 0 ? rulesOf(['compactions <= 2']) : [];
    const plan = planSearch(
      parseAxes(['a=1..9'], () => 1, 'allowed'),
      { method: 'random', budget: 4, seed },
    );
    const settings = runs.map((own, i) => ({
      ...own,
      candidate: plan.candidates[i] ?? { index: i, values: [] },
    }));
    const { tried: judged } = judge(settings, { metric: 'costUsd', sign: 1, constraints: rules });
    const trials = judged.map(({ trial }) => trial);
    const sessions = [...runs[0]!.byTranscript.keys()].map((label, i) => ({
      label,
      key: `k${i % 7}`,
      calls: i % 3,
    }));
    const halves = splitSessions(sessions, seed);
    const [base, optimum, other] = runs.map(({ byTranscript }) => byTranscript);
    const chosen = { runs: other!, settings: { a: '1' }, broken: seed === 5 ? ['turns < 3'] : [] };
    const held =
      halves && outOfSample(halves, { base: base!, optimum: optimum!, chosen, metric: 'costUsd', sign: 1 });
    const { variants, best } = compareVariants(runs, 'v0', metrics, rules);
    return block(`seed ${seed}`, {
      variants,
      best,
      leftOut: leftOutOf(runs, completeness),
      counts: valueCounts(runs, completeness, metrics),
      deltas: runs.map((own) => costDelta(own, runs[0]!, completeness.compared)),
      ranked: rank(trials),
      survivors: survivors(trials).map(({ index }) => index),
      longest: longestFirst(sessions).map(({ label }) => label),
      held,
    });
  });
  expectKept('study/comparisons', blocks.join('\n'));
});

it('the plans of searches are as kept', () => {
  const plans = AXES.flatMap((texts) => {
    const axes = parseAxes(texts, () => 100_000, 'allowed');
    return (['auto', 'random', 'halving'] as const).flatMap((method) =>
      [3, 12].map((budget) => {
        const plan = planSearch(axes, { method, budget, seed: budget });
        const rungs = [0, 1, 4, 9, 40].map((sessions) => rungsOf(plan, sessions, Math.ceil(sessions / 2)));
        return block(`${texts.join(' ')} ${method} ${budget}`, {
          ...plan,
          possible: String(plan.possible),
          candidates: plan.candidates.map(({ values }) => values.join(' ')),
          rungs,
        });
      }),
    );
  });
  expectKept('study/searches', plans.join('\n'));
});
