import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRef } from '../../src/cli/open-ref.js';
import { foldLog } from '../../src/metrics/fold.js';
import { metricValues } from '../../src/metrics/registry.js';
import type { LogEntry } from '../../src/model/run-log.js';
import { compileScenario } from '../../src/scenario/compile.js';
import { builtinContext } from '../../src/scenario/context.js';
import { mainRequests, ofType, runLog } from '../helpers/plan.js';

function runScenario(name: string, set: readonly string[] = []): LogEntry[] {
  const text = readFileSync(resolve(import.meta.dirname, `../../scenarios/${name}`), 'utf8');
  const { runs } = compileScenario({ text, file: name, set }, builtinContext);
  return runLog(runs[0]!.plan, openRef(runs[0]!.transcript, { cwd: '.' }));
}

describe('quickstart.yaml', () => {
  const entries = runScenario('quickstart.yaml', ['client.use=none']);
  const facts = foldLog(entries);
  const untouched = runScenario('quickstart.yaml', ['policy=unbounded']);

  it('C9 109,543 tokens are out of the context at the end, of 312,461 that were taken out on the way', () => {
    const taken = ofType(entries, 'layer').reduce((sum, { saved }) => sum + saved, 0);
    expect(taken).toBe(312_461);
    expect(metricValues(facts).tokensSaved).toBe(109_543);
    const last = mainRequests(entries).at(-1)!;
    expect(last.untouched! - last.prompt).toBe(109_543);
    expect(last.untouched).toBe(mainRequests(untouched).at(-1)!.prompt);
  });

  it('C9 what the prompts did not carry is what a run without layers sends more', () => {
    const sum = (of: readonly LogEntry[]) =>
      mainRequests(of).reduce((total, { prompt }) => total + prompt, 0);
    expect(metricValues(facts).tokensNotCarried).toBe(sum(untouched) - sum(entries));
  });

  it('C10 one compaction was prevented, not four: 110,629, 130,247 and 158,275 cross no threshold of 167,000', () => {
    const claimed = [2_664_519, 3_765_463, 8_825_947, 10_388_824];
    const there = claimed.map((t) => mainRequests(entries).find((request) => request.t === t)!.untouched);
    expect(there.slice(0, 3)).toEqual([110_629, 130_247, 158_275]);
    expect(there[3]).toBeGreaterThan(167_000);
    expect(metricValues(facts)).toMatchObject({ compactionsPrevented: 1, compactionsPutOff: 0 });
    const [crossing] = ofType(entries, 'crossing');
    expect(crossing).toMatchObject({ state: 'avoided', threshold: 167_000, layers: ['microcompact'] });
    const before = mainRequests(untouched).find(({ turn }) => turn === crossing!.turn - 1)!;
    expect(before.prompt).toBeLessThan(167_000);
  });

  it('C11 after the lunch it is time: 150,974 tokens and $0.35 that were booked to microcompaction', () => {
    const back = mainRequests(entries).find(({ t }) => t === 8_825_947)!;
    expect(back.cause).toBe('ttl-5m');
    expect(back.rewriteCost / 1e9).toBeCloseTo(0.35, 2);
    expect(ofType(entries, 'break').find(({ n }) => n === back.n)).toMatchObject({
      cause: 'ttl-5m',
      expected: false,
      lostTokens: 150_974,
    });
    expect(facts.cost.byCause['rewrite:microcompaction']).toBeUndefined();
    expect(metricValues(facts)).toMatchObject({ cacheBreaks: 6, cacheBreaksExpected: 0 });
  });
});

describe('week-of-work.yaml', () => {
  it('C7 no prompt is larger than the window of 200,000 where one of 328,948 was, and a third of the reads is gone', () => {
    const free = runScenario('week-of-work.yaml');
    const read = runScenario('week-of-work.yaml', ['policy.set.microcompact.cached.billDeleted=read']);
    const largest = (entries: readonly LogEntry[]) =>
      Math.max(...ofType(entries, 'request').map(({ prompt }) => prompt));
    const reads = (entries: readonly LogEntry[]) =>
      ofType(entries, 'request').reduce((sum, entry) => sum + entry.read, 0);
    expect(largest(read)).toBeGreaterThan(300_000);
    expect(largest(free)).toBeLessThanOrEqual(200_000);
    expect(1 - reads(free) / reads(read)).toBeCloseTo(0.32, 1);
    // Nothing else differs: the same layers act at the same turns.
    const acts = (entries: readonly LogEntry[]) =>
      ofType(entries, 'layer').map(
        ({ thread, turn, layer, action }) => `${thread} ${turn} ${layer} ${action}`,
      );
    expect(acts(free)).toEqual(acts(read));
  });
});
