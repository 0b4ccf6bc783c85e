import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { createMetricsFold } from '../../../src/metrics/fold.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { heldBytes } from '../../helpers/held-bytes.js';
import { ofType, planOf } from '../../helpers/plan.js';
import { expectSame, limitAt, sweep, watched } from './swept.js';

/** A session with a subagent, whose main conversation grows beyond a window of 60,000 tokens. */
const SESSION: Transcript = generateTranscript({
  workload: 'refactor',
  turns: 40,
  seed: 3,
  subagents: { everyTurns: 9, turns: 4 },
});

describe('a run that plans with other limits share', () => {
  it.each(['claude-code/2.1.112', 'claude-code/2026', 'peers/codex-local', 'peers/cline'])(
    '%s: is told as the engine would have told it, limits and overshoots included',
    (policy) => {
      const shares = [0.5, 0.501, 0.502, 0.9, 0.901, 0.5];
      const logs = expectSame(
        shares.map((share) => planOf({ policy, set: limitAt(policy, share)!, window: 60_000 })),
        SESSION,
      );
      expect(logs.every((entries) => ofType(entries, 'layer').length > 0)).toBe(true);
    },
  );

  it('is made once for plans in which the same happens', () => {
    const { transcript, runs } = watched(SESSION);
    for (const percent of [50, 50.01, 50.02, 50.03, 50.04, 50.05])
      sweep(
        planOf({ policy: 'claude-code/2.1.112', set: { 'window.percent': percent }, window: 60_000 }),
        transcript,
        createMetricsFold(),
      );
    // The first plan of a shape is not kept, in case it is the only one; the second stands for the rest.
    expect(runs()).toBe(2);
  });

  it('holds no log of the runs that others were continued from', () => {
    const transcript = generateTranscript({ workload: 'refactor', turns: 300, seed: 3 });
    const sweepUpTo = (from: number, to: number): void => {
      for (let percent = from; percent < to; percent++)
        sweep(
          planOf({ policy: 'claude-code/2.1.112', set: { 'window.percent': percent }, window: 100_000 }),
          transcript,
          createMetricsFold(),
        );
    };
    sweepUpTo(20, 50);
    const before = heldBytes();
    sweepUpTo(50, 80);
    // Two small objects a request are kept of each run; a log with its checkpoints takes 680 KB.
    expect((heldBytes() - before) / 30).toBeLessThan(100_000);
  });
});
