import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { RequestEntry } from '../../../src/core/run/log-entries.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import type { SyntheticSpec } from '../../../src/transcripts/synthetic/spec.js';
import { runSent } from '../../helpers/capture.js';
import { forAll } from '../../helpers/for-all.js';
import { faultRules } from '../../helpers/generators/arbitrary-session.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';
import { logFor, mainRequests, ofType, type PlanInit, planOf } from '../../helpers/plan.js';

/** Sessions of each property. */
const RUNS = propertyRuns(50);
const TIMEOUT_MS = Math.max(300_000, RUNS * 1_000);
const POLICY = 'claude-code/2026';
const TURNS = 34;

const turn = fc.integer({ min: 1, max: TURNS - 2 });
const few = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(arbitrary, { maxLength: 2 });

/** Sessions that compact, pause, resume and change their prefix before, at and after the turn that starts children. */
const sessions: fc.Arbitrary<SyntheticSpec> = fc.record({
  workload: fc.constant('bugfix'),
  turns: fc.constant(TURNS),
  seed: fc.constant(1),
  text: fc.constant('none' as const),
  steady: fc.record({
    gapSeconds: fc.constantFrom(5, 20, 140),
    outputTokens: fc.constant(100),
    resultTokens: fc.constantFrom(300, 2_500, 6_000),
  }),
  compactAt: few(fc.record({ afterTurn: turn })),
  idle: few(fc.record({ afterTurn: turn, minutes: fc.constantFrom(4, 6, 61) })),
  resumeAt: few(fc.record({ afterTurn: turn })),
  prefixChangeAt: few(
    fc.record({ afterTurn: turn, what: fc.constantFrom('system' as const, 'tools' as const) }),
  ),
  forks: fc
    .record({
      afterTurn: turn,
      children: fc.integer({ min: 1, max: 4 }),
      turns: fc.integer({ min: 1, max: 6 }),
      delayMinutes: fc.constantFrom(0, 0, 2, 7, 65),
    })
    .map((fork) => [fork]),
});

const plans: fc.Arbitrary<PlanInit> = fc.record({
  policy: fc.constant(POLICY),
  window: fc.constantFrom(null, 130_000, 200_000),
  timing: fc.constantFrom('recorded' as const, 'think-time' as const),
  cache: fc.record({ ttl: fc.constantFrom('5m' as const, '1h' as const) }),
});

function firstOfForks(entries: readonly LogEntry[]): readonly RequestEntry[] {
  return ofType(entries, 'request').filter((entry) => entry.purpose === 'subagent' && entry.turn === 1);
}

const withoutForks = (transcript: Transcript): Transcript => ({
  ...transcript,
  threads: transcript.threads.filter((thread) => thread.fork === undefined),
});

describe('forks of sessions that compact, pause, resume, delete and fail', () => {
  it('C6 INV-15 calls of a child are lost only if the call that starts it was', {
    timeout: TIMEOUT_MS,
  }, () => {
    forAll({ numRuns: RUNS }, sessions, plans, faultRules, (spec, plan, faults) => {
      const [fork] = spec.forks!;
      const entries = logFor({ ...plan, faults }, generateTranscript(spec));
      const started = ofType(entries, 'thread').filter(({ sharedTokens }) => sharedTokens !== undefined);
      const told = ofType(entries, 'notice').filter(({ what }) => what === 'fork-lost');
      const isStarted = started.length > 0;
      expect(started).toHaveLength(isStarted ? fork!.children : 0);
      expect(told).toHaveLength(isStarted ? 0 : fork!.children);
      // Without a `/compact` there is one prompt: once a call is lost, all that follow are.
      if (spec.compactAt!.length === 0)
        expect(isStarted).toBe(mainRequests(entries).some(({ turn }) => turn === fork!.afterTurn));
      for (const { thread, calls, reason } of ofType(entries, 'lost')) {
        if (thread === 'main') continue;
        // A child may be refused by the API itself, which its events tell.
        const refused = ofType(entries, 'refused').some((entry) => entry.thread === thread);
        const blocked = ofType(entries, 'notice').some(
          (entry) => entry.thread === thread && entry.what === 'blocked',
        );
        expect(!isStarted || refused || blocked, `${thread}: ${calls} lost, ${reason}`).toBe(true);
      }
    });
  });

  it('C6 AGT-1 a child begins with the bytes, the deletions and the counter of its parent’s response', {
    timeout: TIMEOUT_MS,
  }, () => {
    forAll({ numRuns: RUNS }, sessions, plans, faultRules, (spec, plan, faults) => {
      const [fork] = spec.forks!;
      const { entries, sent } = runSent(planOf({ ...plan, faults }), generateTranscript(spec));
      const parent = mainRequests(entries).find(({ turn }) => turn === fork!.afterTurn);
      if (parent === undefined) return;
      const bytes = sent.find(
        ({ purpose, turn, answered }) => purpose === 'main' && turn === fork!.afterTurn && answered,
      )!;
      const children = sent.filter(({ thread, turn }) => thread.startsWith('fork-') && turn === 1);
      const delayMs = fork!.delayMinutes! * 60_000;
      for (const child of children) {
        expect(child.startMs).toBeGreaterThanOrEqual(parent.t + parent.latencyMs + delayMs);
        if (delayMs > 60 * 60_000) continue;
        expect(child.prefixes.slice(0, bytes.prefixes.length)).toEqual(bytes.prefixes);
        expect(child.prefixes.slice(0, -1)).toEqual(children[0]!.prefixes.slice(0, -1));
      }
      const given = fork!.children * 12 + 24 + 120;
      const isWarm = parent.latencyMs + delayMs < (plan.cache!.ttl === '5m' ? 300_000 : 3_600_000);
      for (const child of firstOfForks(entries)) {
        if (delayMs > 60 * 60_000 || ofType(entries, 'refused').some(({ thread }) => thread === child.thread))
          continue;
        const held = isWarm ? parent.context : parent.context + deletedAt(entries, parent);
        expect(child.prompt).toBe(held + given);
        expect(child.estimatedTokens! - held).toBeLessThan(1.5 * given);
        expect(child.estimatedTokens! - held).toBeGreaterThan(0);
        expect(child.uncompactedTokens).toBe(parent.uncompactedTokens! + parent.output + given);
      }
    });
  });

  it('C6 INV-11 a child changes nothing in its parent', { timeout: TIMEOUT_MS }, () => {
    forAll({ numRuns: Math.ceil(RUNS / 2) }, sessions, plans, faultRules, (spec, plan, faults) => {
      const transcript = generateTranscript(spec);
      // The status of its children is what a parent knows by itself (C47).
      const set = { ...plan.set, 'restore.background': false };
      const parentOf = (from: Transcript) =>
        runSent(planOf({ ...plan, set, timing: 'recorded', faults }), from)
          .sent.filter(({ thread }) => thread === 'main')
          .map(({ purpose, turn, prefixes }) => ({ purpose, turn, prefixes }));
      expect(parentOf(transcript)).toEqual(parentOf(withoutForks(transcript)));
    });
  });

  it('C7 no request is larger than the window it is sent to', { timeout: TIMEOUT_MS }, () => {
    forAll({ numRuns: Math.ceil(RUNS / 2) }, sessions, plans, faultRules, (spec, plan, faults) => {
      const entries = logFor({ ...plan, faults }, generateTranscript(spec));
      for (const { prompt } of ofType(entries, 'request'))
        expect(prompt).toBeLessThanOrEqual(plan.window ?? 200_000);
    });
  });
});

/** Tokens that are deleted on the server when a request of the main thread is sent. */
function deletedAt(entries: readonly LogEntry[], request: RequestEntry): number {
  let tokens = 0;
  for (const entry of entries) {
    if (entry === request) return tokens;
    if (!('thread' in entry) || entry.thread !== 'main') continue;
    if (entry.type === 'returned') tokens = 0;
    if (entry.type === 'layer' && entry.action === 'compact' && entry.outcome === 'done') tokens = 0;
    if (entry.type === 'layer' && entry.action === 'delete') tokens += entry.saved;
    if (entry.type === 'notice' && entry.what === 'resume') tokens = 0;
  }
  return tokens;
}
