import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { RequestEntry } from '../../../src/core/run/log-entries.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { metricValues } from '../../../src/metrics/registry.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import type { SyntheticSpec } from '../../../src/transcripts/synthetic/spec.js';
import { logFor, mainRequests, ofType, type PlanInit } from '../../helpers/plan.js';

const POLICY = 'claude-code/2026';

/** The counter knows what its parent's usage has shown, and pads what the child was given (TOK-5). */
function expectCounted(child: RequestEntry, from: Pick<RequestEntry, 'context'>, children: number): void {
  expect(child.estimatedTokens).toBeGreaterThan(from.context + leadTokens(children));
  expect(child.estimatedTokens).toBeLessThan(from.context + 1.4 * leadTokens(children));
}

/** Placeholder results, the marker and the directive that a child gets behind its parent's response. */
const leadTokens = (children: number): number => children * 12 + 24 + 120;

function steady(spec: Partial<SyntheticSpec>): Transcript {
  return generateTranscript({
    workload: 'bugfix',
    turns: 42,
    seed: 1,
    text: 'none',
    steady: { gapSeconds: 20, outputTokens: 500, resultTokens: 2_500 },
    ...spec,
  });
}

function run(init: PlanInit, transcript: Transcript): LogEntry[] {
  return logFor({ policy: POLICY, ...init }, transcript);
}

function firstOfForks(entries: readonly LogEntry[]): readonly RequestEntry[] {
  return ofType(entries, 'request').filter((entry) => entry.purpose === 'subagent' && entry.turn === 1);
}

describe('when forks start', () => {
  const late = steady({
    compactAt: [{ afterTurn: 20 }],
    forks: [{ afterTurn: 40, children: 4, turns: 4 }],
  });

  it('C4 after one /compact at turn 20, none of the 16 calls of four children started at turn 40 is lost', () => {
    const entries = run({}, late);
    expect(ofType(entries, 'layer').filter(({ action }) => action === 'compact')).toHaveLength(1);
    expect(metricValues(foldLog(entries))).toMatchObject({ forks: 4, forksLost: 0, callsLost: 0 });
    expect(foldLog(entries).byPurpose.subagent.calls).toBe(16);
  });

  it.each([0, 7])(
    'C4 they start %i minutes after the response of this run, as they did after the recorded one',
    (delayMinutes) => {
      const transcript = steady({
        compactAt: [{ afterTurn: 20 }],
        forks: [{ afterTurn: 40, children: 2, turns: 2, delayMinutes }],
      });
      const entries = run({}, transcript);
      const parent = mainRequests(entries).find(({ turn }) => turn === 40)!;
      // The summary request has held the parent up.
      expect(parent.t).toBeGreaterThan(39 * 20_000);
      expect(firstOfForks(entries)).toHaveLength(2);
      for (const { t } of firstOfForks(entries))
        expect(t).toBe(parent.t + parent.latencyMs + delayMinutes * 60_000);
    },
  );

  it('C4 INV-15 they start although a later call of their parent fails', () => {
    const transcript = steady({ forks: [{ afterTurn: 10, children: 2, turns: 30, delayMinutes: 1 }] });
    const faults = [{ call: 'main', error: 'invalid_request', nth: 11 }] as const;
    // The parent does not wait here: its eleventh call comes before its children begin.
    const main = transcript.threads[0]!;
    const steps = main.steps.map((step) =>
      step.kind === 'call' && step.call.startMs > 200_000
        ? { ...step, call: { ...step.call, startMs: 210_000, endMs: 211_000 } }
        : step,
    );
    const threads = [{ ...main, steps }, ...transcript.threads.slice(1)];
    const entries = run({ faults }, { ...transcript, threads });
    expect(ofType(entries, 'lost')).toMatchObject([{ thread: 'main' }]);
    expect(foldLog(entries).byPurpose.subagent.calls).toBe(60);
  });

  it('C4 a lost child is reported where users look: in the metrics, the notices and the warnings', () => {
    const faults = [{ call: 'main', error: 'invalid_request', nth: 40 }] as const;
    const entries = run({ faults }, late);
    const reason = 'the call that starts it was not answered';
    expect(metricValues(foldLog(entries))).toMatchObject({ forks: 0, forksLost: 4, callsLost: 3 + 16 });
    expect(ofType(entries, 'lost').filter(({ thread }) => thread !== 'main')).toMatchObject(
      Array(4).fill({ calls: 4, reason }),
    );
    expect(ofType(entries, 'warning')).toMatchObject([{ code: 'fork-lost', count: 4 }]);
  });

  it('C4 a fork of a call that the transcript does not have is lost, and said to be', () => {
    const threads = late.threads.map((thread) =>
      thread.fork === undefined ? thread : { ...thread, fork: { callId: 'nowhere' } },
    );
    const entries = run({}, { ...late, threads });
    expect(metricValues(foldLog(entries))).toMatchObject({ forksLost: 4, callsLost: 16 });
    expect(ofType(entries, 'warning')[0]!.message).toContain('the transcript has no call nowhere');
  });
});

describe('what forks inherit', () => {
  // 34,700 + 100 + 85 × 3,000 and the response that starts four children: 4 × 150.
  const BYTES = 34_800 + 85 * 3_000 + 4 * 150;
  const forked = (delayMinutes: number): Transcript =>
    steady({ turns: 88, forks: [{ afterTurn: 86, children: 4, turns: 2, delayMinutes }] });
  const set = { 'sessionMemory.enabled': false, 'autoMemory.enabled': false };

  it('C5 pinned deletions and the counter: nobody asks for 290,592 tokens on a model of 200,000', () => {
    const entries = run({ set }, forked(0));
    const parent = mainRequests(entries).find(({ turn }) => turn === 86)!;
    // Eleven deletions of seven results, and what has come since.
    const deleted = 11 * 7 * 2_500;
    expect(parent.prompt).toBe(BYTES - 600 - deleted);
    for (const child of firstOfForks(entries)) {
      expect(child.prompt).toBe(BYTES + leadTokens(4) - deleted);
      expect(child.read).toBe(parent.prompt);
      expectCounted(child, parent, 4);
      expect(child.uncompactedTokens).toBe(BYTES + leadTokens(4));
    }
    expect(ofType(entries, 'refused')).toEqual([]);
  });

  it('C5 of the parent as it was then: what it deletes later stays in the children', () => {
    const transcript = steady({ forks: [{ afterTurn: 13, children: 1, turns: 3, delayMinutes: 1 }] });
    const [main, child] = transcript.threads;
    // The parent does not wait: it has deleted seven more results when the child begins.
    let call = 0;
    const steps = main!.steps.map((step) => {
      if (step.kind !== 'call') return step;
      call++;
      return { ...step, call: { ...step.call, startMs: call * 10_000, endMs: call * 10_000 + 5_000 } };
    });
    const entries = run({ set }, { ...transcript, threads: [{ ...main!, steps }, child!] });
    const parent = mainRequests(entries);
    const first = firstOfForks(entries)[0]!;
    const point = parent.find(({ turn }) => turn === 13)!;
    const atStart = parent.filter(({ t }) => t < first.t).at(-1)!;
    expect(point.uncompactedTokens! - point.prompt).toBe(7 * 2_500);
    expect(atStart.uncompactedTokens! - atStart.prompt).toBeGreaterThan(7 * 2_500);
    expect(first.uncompactedTokens! - first.prompt).toBe(7 * 2_500);
    expect(first.prompt).toBe(point.prompt + 150 + leadTokens(1));
    expectCounted(first, point, 1);
  });

  it('AGT-1 the model: a child sends its parent’s requests on, whatever model its own calls were recorded with', () => {
    const model = 'claude-opus-4-6';
    const entries = run({ set, model }, steady({ forks: [{ afterTurn: 10, children: 2, turns: 2 }] }));
    const models = new Set(ofType(entries, 'request').map((entry) => entry.model));
    expect([...models]).toEqual([model]);
    const parent = mainRequests(entries).find(({ turn }) => turn === 10)!;
    expect(firstOfForks(entries).map(({ read }) => read)).toEqual([parent.prompt, parent.prompt]);
  });

  it('MIC-3 C9 the pinned edits end with the cache in a child too: the content is back, and said to be', () => {
    const small = steady({ turns: 16, forks: [{ afterTurn: 14, children: 2, turns: 2, delayMinutes: 7 }] });
    const entries = run({ set }, small);
    const parent = mainRequests(entries).find(({ turn }) => turn === 14)!;
    expect(parent.uncompactedTokens! - parent.prompt).toBe(7 * 2_500);
    expect(ofType(entries, 'thread').slice(1)).toMatchObject(
      Array(2).fill({ takenOut: { microcompact: 7 * 2_500 } }),
    );
    expect(ofType(entries, 'returned').filter(({ thread }) => thread !== 'main')).toMatchObject(
      Array(2).fill({ layer: 'microcompact', tokens: 7 * 2_500, why: 'expired' }),
    );
    for (const child of firstOfForks(entries)) {
      expect(child.prompt).toBe(parent.uncompactedTokens! + 2 * 150 + leadTokens(2));
      expect(child.uncompactedTokens).toBe(child.prompt);
      expectCounted(child, { context: parent.uncompactedTokens! + 2 * 150 }, 2);
    }
  });

  it('C44 AGT-1 a fork whose parent has renewed the prefix since gets nothing back', () => {
    const transcript = steady({
      turns: 16,
      forks: [{ afterTurn: 13, children: 1, turns: 1, delayMinutes: 7 }],
    });
    const [main, child] = transcript.threads;
    // The parent does not wait: its next call, four minutes later, reads and renews what the fork begins with.
    let call = 0;
    const steps = main!.steps.map((step) => {
      if (step.kind !== 'call') return step;
      call++;
      const startMs = call * 10_000 + (call > 13 ? 4 * 60_000 : 0);
      return { ...step, call: { ...step.call, startMs, endMs: startMs + 5_000 } };
    });
    const entries = run({ set }, { ...transcript, threads: [{ ...main!, steps }, child!] });
    const point = mainRequests(entries).find(({ turn }) => turn === 13)!;
    const next = mainRequests(entries).find(({ turn }) => turn === 14)!;
    const [first] = firstOfForks(entries);
    expect(first!.t - point.t).toBeGreaterThan(5 * 60_000);
    expect(first!.t - next.t).toBeLessThan(5 * 60_000);
    expect(ofType(entries, 'returned').filter(({ thread }) => thread !== 'main')).toEqual([]);
    expect(first!.uncompactedTokens! - first!.prompt).toBe(7 * 2_500);
    expect(first!.read).toBe(point.prompt);
  });

  it('AGT-1 C5 the ledger: what the server clears in a child goes on from what it cleared in the parent', () => {
    const native = {
      ...set,
      'microcompact.cached.enabled': false,
      'microcompact.apiNative.triggerTokens': 100_000,
      'microcompact.apiNative.keepTokens': 10_000,
      'microcompact.apiNative.clearAtLeast': 10_000,
    };
    const transcript = steady({ turns: 40, forks: [{ afterTurn: 24, children: 1, turns: 30 }] });
    const entries = run({ set: native }, transcript);
    const cleared = ofType(entries, 'layer').filter(({ layer }) => layer === 'microcompact');
    const parents = cleared.filter(({ thread }) => thread === 'main');
    const childs = cleared.filter(({ thread }) => thread !== 'main');
    // What the server has left out counts towards its trigger, in the child as in the parent.
    expect(parents[0]!.trueBefore).toBeGreaterThan(100_000);
    expect(childs.length).toBeGreaterThan(0);
    expect(childs[0]!.trueBefore).toBeLessThan(100_000);
  });
});

describe('C47 forks and the compaction of their parent', () => {
  /** Two children of so many calls, six seconds each; the parent goes on, and compacts after so many turns. */
  const compacting = (afterTurn: number, turns: number, policy = POLICY) => {
    const transcript = steady({
      turns: 12,
      steady: { gapSeconds: 10, outputTokens: 500, resultTokens: 500 },
      forks: [{ afterTurn: 3, children: 2, turns, parent: 'goes-on' }],
      compactAt: [{ afterTurn }],
    });
    const entries = run({ policy, set: { 'sessionMemory.enabled': false } }, transcript);
    const [compaction] = ofType(entries, 'layer').filter(({ action }) => action === 'compact');
    const ends = ofType(entries, 'request').filter(({ purpose }) => purpose === 'subagent');
    const lastEnd = Math.max(...ends.map(({ t, latencyMs }) => t + latencyMs));
    return { details: compaction!.details, isOver: lastEnd < compaction!.t };
  };

  it('C47 at work they come back as a line of about 20 tokens each', () => {
    const { details, isOver } = compacting(4, 60);
    expect(isOver).toBe(false);
    expect(details.restoredStanding).toBe(2);
  });

  it('C47 ended since the last compaction they do as well', () => {
    const { details, isOver } = compacting(10, 3);
    expect(isOver).toBe(true);
    expect(details.restoredStanding).toBe(2);
  });

  it('C47 2.0 restores no status', () => {
    expect(compacting(4, 60, 'claude-code/2.0').details.restoredStanding).toBe(0);
  });
});
