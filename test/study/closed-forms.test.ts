import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fitMinimum } from '../../src/cli/commands/study/sweep.js';
import { metricValues } from '../../src/metrics/registry.js';
import { parseVary } from '../../src/study/vary.js';
import { replayAll } from '../agent/layers/baselines/replay-baseline.js';

const FOLDER = resolve(import.meta.dirname, '../../scenarios/closed-forms');
const scenario = (name: string): string => readFileSync(resolve(FOLDER, `${name}.yaml`), 'utf8');

describe('E2 prune batch', () => {
  const text = scenario('prune-batch');
  /** Cost of a call in tokens at the input price, $5 a million for the model of the scenario. */
  const perCall = (batch: number): number => {
    const [run] = replayAll(text, [`rules.prune.when.piled=${batch}`]);
    const { costUsd, turns } = metricValues(run!.facts);
    return costUsd! / 5e-6 / turns!;
  };
  const closed = (batch: number): number => (0.1 * batch) / 2 + (1.15 * 40_000 * 6_400) / batch;

  it('a sweep finds the optimum of 76,733 within 5 %', () => {
    const { values } = parseVary('m=20000..294000:17:log', () => 1, 'refused');
    const points = values.map((value) => ({ x: Number(value), y: perCall(Number(value)) }));
    const best = points.reduce((a, b) => (b.y < a.y ? b : a));
    expect(Math.abs(best.x / 76_733 - 1)).toBeLessThan(0.05);
    expect(Math.abs(fitMinimum(points, 'log')!.x / 76_733 - 1)).toBeLessThan(0.05);
  });

  it('the batch of 20,000 costs 15,720 where the best costs 7,673, within 5 %', () => {
    const small = perCall(20_000);
    const best = perCall(76_733);
    const difference = 15_720 - 7_673;
    expect(Math.abs((small - best) / difference - 1)).toBeLessThan(0.05);
    // What does not depend on the batch: prefix, prompt and protected tail are read, new results written, and the pile of a call before it is cleared.
    const shared = best - closed(76_733);
    expect(Math.abs((small - shared) / (best - shared) / (15_720 / 7_673) - 1)).toBeLessThan(0.05);
  });

  it('follows the closed form over the whole range', () => {
    const batches = [19_200, 25_600, 44_800, 76_800, 128_000, 192_000];
    const shared = batches.map((batch) => perCall(batch) - closed(batch));
    const mean = shared.reduce((sum, value) => sum + value, 0) / shared.length;
    for (const [i, batch] of batches.entries()) {
      expect(Math.abs(shared[i]! - mean) / closed(batch), String(batch)).toBeLessThan(0.05);
    }
  });
});

describe('E2 compaction threshold', () => {
  const TABLE = [
    [967_000, 0.126],
    [500_000, 0.081],
    [300_000, 0.063],
    [200_000, 0.055],
  ] as const;

  it('matches the table of costs per call within 1 %', () => {
    const runs = replayAll(scenario('threshold'));
    for (const [i, [threshold, wanted]] of TABLE.entries()) {
      const requests = runs[i]!.entries.filter((entry) => entry.type === 'request');
      const compactions = requests.flatMap((entry, at) => (entry.purpose === 'compact' ? [at] : []));
      const cycles = requests.slice(compactions[0], compactions.at(-1));
      const calls = cycles.filter((entry) => entry.purpose === 'main');
      let nano = 0;
      for (const entry of cycles)
        nano += entry.purpose === 'main' ? entry.cost - entry.outputCost : entry.cost;
      expect(Math.abs(nano / 1e9 / calls.length / wanted - 1), String(threshold)).toBeLessThan(0.01);
      expect(compactions.length).toBeGreaterThan(5);
      const perCycle = calls.length / (compactions.length - 1);
      expect(Math.abs(perCycle - (threshold - 30_000) / 3_000)).toBeLessThan(2);
    }
  });
});

describe('E3 masking and summarising on software tasks', () => {
  const SPREAD = [0.35, 0.8, 1.85];
  const TABLE = {
    qwen: { none: [22_800, 58.5], mask: [10_900, 61], summarise: [14_600, 70.1] },
    gemini: { none: [20_200, 50], mask: [8_700, 44], summarise: [12_200, 52] },
  } as const;

  /** Means over tasks whose lengths spread around the published number of turns. */
  function strategy(model: string, policy: string, turns: number) {
    const set = SPREAD.map((share, i) => `transcripts.${i}.synthetic.turns=${Math.round(turns * share)}`);
    const bare = scenario(`swe-${model}`).replace(/variants:[\s\S]*?(?=expect:)/, '');
    const runs = replayAll(bare, [...set, `policy=${policy}`]).map(({ facts }) => metricValues(facts));
    const mean = (name: string): number =>
      runs.reduce((sum, metrics) => sum + metrics[name]!, 0) / runs.length;
    return { prompt: mean('meanPromptTokens'), cost: mean('costUsd'), turns: mean('turns') };
  }

  it.each(['qwen', 'gemini'] as const)('%s: prompt ratios within 10 %%, about half the cost', (model) => {
    const rows = TABLE[model];
    const raw = strategy(model, 'none', rows.none[1]);
    expect(Math.abs(raw.prompt / rows.none[0] - 1)).toBeLessThan(0.02);
    expect(Math.abs(raw.turns / rows.none[1] - 1)).toBeLessThan(0.02);
    for (const [name, policy] of [
      ['mask', 'baselines/mask'],
      ['summarise', 'baselines/summarise'],
    ] as const) {
      const [prompt, turns] = rows[name];
      const found = strategy(model, policy, turns);
      expect(Math.abs(found.prompt / raw.prompt / (prompt / rows.none[0]) - 1), name).toBeLessThan(0.1);
      expect(found.cost / raw.cost, name).toBeGreaterThan(0.3);
      expect(found.cost / raw.cost, name).toBeLessThan(0.65);
    }
  });
});
