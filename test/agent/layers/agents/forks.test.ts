import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, createBlock } from '../../../../src/core/model/block.js';
import { withBlocks } from '../../../../src/core/model/message.js';
import { literalText } from '../../../../src/core/model/text.js';
import type { Thread, Transcript } from '../../../../src/core/model/transcript.js';
import type { RequestEntry } from '../../../../src/core/run/log-entries.js';
import type { LogEntry } from '../../../../src/core/run/run-log.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { metricValues } from '../../../../src/metrics/registry.js';
import { generateTranscript } from '../../../../src/transcripts/synthetic/generate-transcript.js';
import type { ForkSpec } from '../../../../src/transcripts/synthetic/spec.js';
import { runSent } from '../../../helpers/capture.js';
import { forAll } from '../../../helpers/for-all.js';
import { bugfixSession } from '../../../helpers/generators/bugfix-session.js';
import { propertyRuns } from '../../../helpers/generators/property-runs.js';
import { logFor, ofType, planOf, runLog } from '../../../helpers/plan.js';

const WHOLE = {
  'microcompact.cached.enabled': false,
  'microcompact.apiNative.enabled': false,
  'sessionMemory.enabled': false,
} as const;

function plan(set: Readonly<Record<string, unknown>> = {}) {
  return planOf({ policy: 'claude-code/2026', set: { ...WHOLE, ...set } });
}

/** A thread that has grown to 150 K tokens when it starts its children. */
function large(fork: Partial<ForkSpec> = {}): Transcript {
  return bugfixSession(40, {
    steady: { gapSeconds: 20, outputTokens: 500, resultTokens: 2_500 },
    forks: [{ afterTurn: 39, children: 8, turns: 2, ...fork }],
  });
}

function firstOfForks(entries: readonly LogEntry[]): readonly RequestEntry[] {
  return ofType(entries, 'request').filter(
    (entry) => entry.thread.startsWith('fork-') && entry.purpose === 'subagent' && entry.turn === 1,
  );
}

const withoutForks = (transcript: Transcript): Transcript => ({
  ...transcript,
  threads: transcript.threads.filter((thread) => thread.fork === undefined),
});

describe('forks of one turn', () => {
  it('AGT-1 AGT-2 INV-11 carry the bytes of their parent and differ from each other in the directive alone', () => {
    const { sent } = runSent(plan(), large());
    const parent = sent.filter((request) => request.thread === 'main' && request.purpose === 'main')[38]!;
    const children = sent.filter((request) => request.thread.startsWith('fork-') && request.turn === 1);
    expect(children).toHaveLength(8);
    for (const child of children) {
      expect(child.prefixes.slice(0, parent.prefixes.length)).toEqual(parent.prefixes);
      // Eight calls, eight placeholder results, the marker; then the directive.
      expect(child.prefixes).toHaveLength(parent.prefixes.length + 8 + 8 + 1 + 1);
      expect(child.prefixes.slice(0, -1)).toEqual(children[0]!.prefixes.slice(0, -1));
    }
    expect(new Set(children.map((child) => child.digest)).size).toBe(8);
  });

  it('AGT-1 RES-1 see the files their parent has read: a second read is only pointed at', () => {
    const text = literalText('const answer = 42;\n'.repeat(400));
    const asRead = (block: Block): Block =>
      createBlock({ ...block, tool: 'Read', text, chars: text.chars, facts: { path: '/repo/a.ts' } });
    const transcript = large();
    const threads = transcript.threads.map((thread): Thread => {
      const first = thread.steps.find(
        (step) => step.kind === 'message' && step.message.blocks.some(({ kind }) => kind === 'tool_result'),
      );
      if (first?.kind !== 'message') return thread;
      const blocks = first.message.blocks.map((block) =>
        block.kind === 'tool_result' ? asRead(block) : block,
      );
      const message = withBlocks(first.message, blocks);
      return { ...thread, steps: thread.steps.map((step) => (step === first ? { ...step, message } : step)) };
    });
    const entries = runLog(plan({ 'storage.stubRepeatedReads': true }), { ...transcript, threads });
    const stubs = ofType(entries, 'layer').filter(({ action }) => action === 'stub');
    expect(stubs.map(({ thread }) => thread).sort()).toEqual(
      threads.filter(({ fork }) => fork !== undefined).map(({ id }) => id),
    );
  });

  it('AGT-1 of a thread of 150 K tokens each read at least 99 % once the first has warmed what they share', () => {
    const first = firstOfForks(runLog(plan({ 'agents.warmFirst': true }), large({ delayMinutes: 7 })));
    expect(first[0]!.prompt).toBeGreaterThan(150_000);
    expect(first[0]!.read).toBe(0);
    for (const request of first.slice(1)) expect(request.read / request.prompt).toBeGreaterThan(0.99);
  });

  it('CCH-5 started together while nothing is readable, all of them are cold; waiting for the first, seven are not', () => {
    const cold = firstOfForks(runLog(plan(), large({ delayMinutes: 7 })));
    expect(cold.map((request) => request.read)).toEqual(Array(8).fill(0));
    expect(cold.map((request) => request.cause)).toEqual(['ttl-5m', ...Array(7).fill('not-readable-yet')]);
    const warm = firstOfForks(runLog(plan({ 'agents.warmFirst': true }), large({ delayMinutes: 7 })));
    for (const request of warm.slice(1)) {
      expect(request.t).toBeGreaterThan(warm[0]!.t);
      expect(request.t).toBeLessThanOrEqual(warm[0]!.t + warm[0]!.latencyMs);
    }
    // The first waits for nobody.
    expect(warm[0]!.t).toBe(cold[0]!.t);
  });

  it('AGT-2 with one byte of the layout changed the report shows eight cold calls', () => {
    const shared = foldLog(runLog(plan(), large()));
    const changed = foldLog(runLog(plan({ 'agents.layout': 'own-system' }), large()));
    expect(metricValues(shared).forkHitRate).toBeGreaterThan(0.99);
    expect(metricValues(changed)).toMatchObject({ forks: 8, forkHitRate: 0, forkTokensShared: 0 });
    // 150 K written at 1.25 × $3 a million, eight times.
    expect(changed.cost.byCause['rewrite:system']! / 1e9).toBeGreaterThan(8 * 0.148 * 3.75);
  });

  it('AGT-2 placeholders of their own spoil what the children share, not what the parent had cached', () => {
    const own = (set: object, delayMinutes: number) =>
      metricValues(
        foldLog(runLog(plan({ 'agents.layout': 'own-results', ...set }), large({ delayMinutes }))),
      );
    expect(own({}, 0).forkHitRate).toBeGreaterThan(0.98);
    expect(own({ 'agents.warmFirst': true }, 7).forkHitRate).toBeLessThan(0.21);
  });

  it('CCH-5 without a mark where the directive begins no child can warm another', () => {
    const set = { 'agents.warmFirst': true, 'agents.mark': 'none' };
    const first = firstOfForks(runLog(plan(set), large({ delayMinutes: 7 })));
    for (const request of first) expect(request.read / request.prompt).toBeLessThan(0.25);
  });

  it('AGT-3 may not fork again', () => {
    const base = large({ children: 1, turns: 3 });
    const child = base.threads.find((thread) => thread.fork !== undefined)!;
    const call = child.steps.find((step) => step.kind === 'call')!;
    if (call.kind !== 'call') throw new Error('no call');
    const grandchild = {
      ...child,
      id: 'fork-of-a-fork',
      parentId: child.id,
      fork: { callId: call.call.id },
      steps: child.steps.map((step) =>
        step.kind === 'call'
          ? {
              ...step,
              call: { ...step.call, startMs: step.call.startMs + 60_000, endMs: step.call.endMs + 60_000 },
            }
          : step,
      ),
    };
    const entries = runLog(plan(), { ...base, threads: [...base.threads, grandchild] });
    expect(ofType(entries, 'notice').filter((entry) => entry.what === 'fork-refused')).toMatchObject([
      { thread: 'fork-of-a-fork' },
    ]);
    expect(ofType(entries, 'request').some((entry) => entry.thread === 'fork-of-a-fork')).toBe(false);
    expect(ofType(entries, 'lost')).toMatchObject([{ thread: 'fork-of-a-fork', calls: 3 }]);
  });

  it.each(['claude-code/2026', 'none'])('C39 AGT-3 a turn starts no more than it may under %s', (policy) => {
    const entries = logFor({ policy, set: { ...WHOLE, 'agents.maxChildren': 5 } }, large());
    expect(firstOfForks(entries)).toHaveLength(5);
    // Eight children of two calls each, of which three are not started.
    expect(ofType(entries, 'notice').filter((entry) => entry.what === 'fork-refused')).toHaveLength(3);
    expect(ofType(entries, 'lost').map((entry) => entry.calls)).toEqual([2, 2, 2]);
  });

  it('AGT-1 end with their parent: when the call that starts them fails, none of their calls takes place', () => {
    const faulty = planOf({
      policy: 'claude-code/2026',
      set: { ...WHOLE, 'client.retries': 0 },
      faults: [{ call: 'main', error: 'server_error', nth: 39 }],
    });
    const entries = runLog(faulty, large());
    expect(firstOfForks(entries)).toEqual([]);
  });
});

describe('what forks do', () => {
  it('MIC-3 INV-11 a fork’s cached microcompaction changes nothing in the parent', () => {
    const small = bugfixSession(24, {
      steady: { gapSeconds: 20, outputTokens: 50, resultTokens: 500 },
      forks: [{ afterTurn: 11, children: 2, turns: 30 }],
    });
    const set = { 'sessionMemory.enabled': false, 'autoMemory.enabled': false };
    const on = planOf({ policy: 'claude-code/2026', set });
    const withChildren = runLog(on, small);
    const alone = runLog(on, withoutForks(small));
    const layers = (entries: readonly LogEntry[]) =>
      ofType(entries, 'layer').filter((entry) => entry.layer === 'microcompact');
    expect(layers(alone).length).toBeGreaterThan(0);
    expect(layers(withChildren)).toEqual(layers(alone));
  });

  it('INV-11 a fork changes nothing in its parent', () => {
    const fork = fc.record({
      afterTurn: fc.integer({ min: 1, max: 11 }),
      children: fc.integer({ min: 1, max: 4 }),
      turns: fc.integer({ min: 1, max: 20 }),
    });
    const layout = fc.constantFrom('shared', 'own-results', 'own-system');
    forAll(
      { numRuns: propertyRuns(25) },
      fork,
      fc.integer({ min: 100, max: 12_000 }),
      layout,
      (spec, resultTokens, how) => {
        const transcript = bugfixSession(12, {
          steady: { gapSeconds: 10, outputTokens: 100, resultTokens },
          forks: [spec],
        });
        const own = planOf({ policy: 'claude-code/2026', set: { 'agents.layout': how } });
        const parentOf = (from: Transcript) =>
          runSent(own, from)
            .sent.filter((request) => request.thread === 'main')
            .map(({ purpose, turn, startMs, prefixes }) => ({ purpose, turn, startMs, prefixes }));
        expect(parentOf(transcript)).toEqual(parentOf(withoutForks(transcript)));
      },
    );
  });

  it('INV-11 siblings send the same bytes up to their directives', () => {
    const shape = fc.record({
      children: fc.integer({ min: 2, max: 6 }),
      seed: fc.integer({ min: 0, max: 99 }),
    });
    forAll({ numRuns: 15 }, shape, ({ children, seed }) => {
      const transcript = generateTranscript({
        workload: 'refactor',
        turns: 12,
        seed,
        forks: [{ afterTurn: 8, children, turns: 1 }],
      });
      const { sent } = runSent(planOf({ policy: 'claude-code/2026' }), transcript);
      const first = sent.filter((request) => request.thread.startsWith('fork-') && request.turn === 1);
      expect(first).toHaveLength(children);
      for (const request of first)
        expect(request.prefixes.slice(0, -1)).toEqual(first[0]!.prefixes.slice(0, -1));
    });
  });
});
