import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../../src/core/model/block.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { Context } from '../../../src/engine/context/context.js';
import { NO_TIMING, type RequestListener } from '../../../src/engine/requests/run-env.js';
import { replayParts } from '../../../src/engine/run/replay.js';
import { readTranscript } from '../../../src/transcripts/read-transcript.js';
import { generateTranscript, WORKLOADS } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { forAll } from '../../helpers/for-all.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';
import { logFor, mainRequests, ofType, type PlanInit, planOf } from '../../helpers/plan.js';
import { sharedData } from '../../helpers/recordings/shared.js';

/** Purposes of requests that hold a conversation as it is. */
const LOOPS: ReadonlySet<string> = new Set(['main', 'subagent', 'suggestion']);

/** Runs a session and tells of every request of a loop what is new in it, by the engine and by comparison with the one before. */
function news(init: PlanInit, spec: Parameters<typeof generateTranscript>[0]) {
  const before = new Map<string, ReadonlySet<Block>>();
  const told: { readonly said: number; readonly found: number }[] = [];
  const onRequest: RequestListener = (thread, { purpose, view, freshTokens }) => {
    if (!LOOPS.has(purpose) || !(view instanceof Context)) return;
    const held = before.get(thread);
    const found = view.blocks.filter((block) => held?.has(block) !== true);
    told.push({ said: freshTokens, found: found.reduce((sum, { tokens }) => sum + tokens, 0) });
    before.set(thread, new Set(view.blocks));
  };
  const log: LogEntry[] = [];
  const sink = { write: (entry: LogEntry) => void log.push(entry) };
  const parts = replayParts(planOf(init), generateTranscript(spec), sink, NO_TIMING, { onRequest });
  while (parts.next().done !== true);
  return { told, log };
}

describe('what is new in a request', () => {
  it('is what the request before did not hold, whatever layers did in between', () => {
    let compactions = 0;
    forAll(
      { numRuns: propertyRuns(40) },
      fc.constantFrom('claude-code/2.0.76', 'claude-code/2.1.112', 'claude-code/2026', 'peers/zed'),
      fc.record({
        workload: fc.constantFrom(...WORKLOADS.names),
        turns: fc.integer({ min: 5, max: 80 }),
        seed: fc.nat(10_000),
      }),
      fc.constantFrom(60_000, 120_000),
      (policy, spec, window) => {
        const { told, log } = news({ policy, window }, spec);
        fc.pre(log.every(({ type }) => type !== 'refused'));
        expect(told.map(({ said }) => said)).toEqual(told.map(({ found }) => found));
        for (const entry of log)
          if (entry.type === 'layer' && entry.action === 'compact' && entry.outcome === 'done') compactions++;
      },
    );
    expect(compactions).toBeGreaterThan(0);
  });
});

describe.skipIf(!sharedData.present)('a recording that is compacted early', () => {
  it('sends its opening again each time, and its summary requests hold no news but what came since', () => {
    const file = 'more/claude-code/entireio__cli-768de5d6-1e60086f-v2.1.34.jsonl.gz';
    const { transcript } = readTranscript(sharedData.read(file), { id: 'early', agents: [] });
    const log = logFor(
      { policy: 'claude-code/2.1.112', set: { 'window.percent': 22 }, cache: { ttl: '5m' } },
      transcript,
    );
    const requests = ofType(log, 'request');
    const rewritten = mainRequests(log).filter((entry) => entry.rewritten > 0);
    // What the session opens with stays in front of each summary: 7,800 tokens.
    expect(rewritten.map((entry) => [entry.cause, entry.rewritten])).toEqual([
      ['compaction', 7_800],
      ['compaction', 7_800],
    ]);
    const summaries = requests.filter(({ purpose }) => purpose === 'compact');
    expect(summaries).toHaveLength(2);
    // News are in no cache, and everything else was read from it.
    for (const { newTokens: fresh, prompt, read } of summaries) expect(fresh).toBe(prompt - read);
  });
});
