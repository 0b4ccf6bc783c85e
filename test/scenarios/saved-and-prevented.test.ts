import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { openRef } from '../../src/config/files/open-ref.js';
import type { LogEntry } from '../../src/core/run/run-log.js';
import { foldLog } from '../../src/metrics/fold.js';
import { metricValues } from '../../src/metrics/registry.js';
import { mainRequests, ofType, runLog } from '../helpers/plan.js';

function runScenario(name: string, set: readonly string[] = []): LogEntry[] {
  const text = readFileSync(resolve(import.meta.dirname, `../../scenarios/${name}`), 'utf8');
  const { runs } = compileScenario({ text, file: name, set }, builtinContext);
  return runLog(runs[0]!.plan, openRef(runs[0]!.transcript, { cwd: '.' }));
}

describe('quickstart.yaml', () => {
  // Without the layer that adds to the conversation, every difference to the untouched run is what layers take out.
  const entries = runScenario('quickstart.yaml', [
    'client.use=none',
    'policy.set.nestedMemory.enabled=false',
  ]);
  const facts = foldLog(entries);
  const untouched = runScenario('quickstart.yaml', ['policy=unbounded']);

  it('C9 what is out of the context at the end is counted, not what was taken out on the way and came back', () => {
    const taken = ofType(entries, 'layer').reduce((sum, { saved }) => sum + saved, 0);
    const { tokensSaved } = metricValues(facts);
    const last = mainRequests(entries).at(-1)!;
    expect(tokensSaved).toBe(last.uncompactedTokens! - last.prompt);
    expect(last.uncompactedTokens).toBe(mainRequests(untouched).at(-1)!.prompt);
    // In the audit 312,461 were told and 109,543 were out. What came back is not deleted again (C44), so the two are closer.
    expect(taken).toBeGreaterThan(1.2 * tokensSaved!);
  });

  it('C9 what the prompts did not carry is what a run without layers sends more', () => {
    const sum = (of: readonly LogEntry[]) =>
      mainRequests(of).reduce((total, { prompt }) => total + prompt, 0);
    expect(metricValues(facts).tokensNotCarried).toBe(sum(untouched) - sum(entries));
  });

  it('C10 a compaction was prevented for each crossing, not for each deletion: before the first none of 167,000', () => {
    const { compactionsPrevented, compactionsDeferred } = metricValues(facts);
    const avoided = ofType(entries, 'crossing').filter(({ state }) => state === 'avoided');
    expect(compactionsPrevented! + compactionsDeferred!).toBe(avoided.length);
    // What came back after short pauses stays (C44): where the real context crosses the threshold too, one was only deferred.
    const compactions = ofType(entries, 'layer').filter(({ action }) => action === 'compact');
    expect(compactionsDeferred).toBeLessThanOrEqual(compactions.length);
    expect(compactionsPrevented).toBeGreaterThanOrEqual(1);
    const [crossing] = avoided;
    expect(crossing).toMatchObject({ state: 'avoided', threshold: 167_000, layers: ['microcompact'] });
    const deletions = ofType(entries, 'layer').filter(({ saved }) => saved > 0);
    expect(deletions.filter(({ turn }) => turn < crossing!.turn).length).toBeGreaterThan(4);
    expect(crossing!.uncompactedTokens).toBeGreaterThan(167_000);
    for (const { turn, prompt } of mainRequests(untouched)) {
      if (turn < crossing!.turn) expect(prompt).toBeLessThan(167_000);
    }
  });

  it('C11 after the lunch it is time, whatever was cleared then', () => {
    const back = mainRequests(entries).find(({ turn }) => turn === 121)!;
    expect(ofType(entries, 'layer').some(({ turn, trigger }) => turn === 121 && trigger === 'idle')).toBe(
      true,
    );
    expect(back.cause).toBe('ttl-5m');
    const lost = ofType(entries, 'break').find(({ n }) => n === back.n)!;
    expect(lost).toMatchObject({ cause: 'ttl-5m', expected: false });
    const before = ofType(entries, 'request').findLast(
      ({ n, purpose }) => n < back.n && (purpose === 'main' || purpose === 'suggestion'),
    )!;
    // BRD-1: the drop of the reads. What cache edits had deleted was not among them (C7), though it is sent again.
    expect(lost.lostTokens).toBe(before.read - back.read);
    expect(facts.cost.byCause['rewrite:microcompaction']).toBeUndefined();
  });
});

describe('week-of-work.yaml', () => {
  it('C7 no prompt is larger than the window of 200,000 where one of 250,000 would be, and a quarter of the reads is gone', () => {
    const free = runScenario('week-of-work.yaml');
    const read = runScenario('week-of-work.yaml', ['policy.set.microcompact.cached.billDeleted=read']);
    const largest = (entries: readonly LogEntry[]) =>
      Math.max(...ofType(entries, 'request').map(({ prompt }) => prompt));
    const reads = (entries: readonly LogEntry[]) =>
      ofType(entries, 'request').reduce((sum, entry) => sum + entry.read, 0);
    expect(largest(read)).toBeGreaterThan(250_000);
    expect(largest(free)).toBeLessThanOrEqual(200_000);
    expect(1 - reads(free) / reads(read)).toBeGreaterThan(0.25);
    // Nothing else differs: the same layers act at the same turns.
    const acts = (entries: readonly LogEntry[]) =>
      ofType(entries, 'layer').map(
        ({ thread, turn, layer, action }) => `${thread} ${turn} ${layer} ${action}`,
      );
    expect(acts(free)).toEqual(acts(read));
  });
});
