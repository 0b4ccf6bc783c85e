import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { sweepReplayParts } from '../../../src/engine/columnar/sweep-replay.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { planOf, runLog } from '../../helpers/plan.js';

/** A session that outgrows a third of a window of 200,000 tokens. */
const session = (model: string) => bugfixSession(40, { seed: 2, model });
const OLDER = session('claude-sonnet-4-5');

const planAt = (percent: number, set: Readonly<Record<string, unknown>> = {}): RunPlan =>
  planOf({ policy: 'claude-code/2.1.325', set: { 'window.percent': percent, ...set } });

const told = (log: readonly LogEntry[]): readonly LogEntry[] =>
  log.filter((entry) => entry.type === 'warning' && entry.code === 'no-auto-compaction');

const compactions = (log: readonly LogEntry[]): number =>
  log.filter((entry) => entry.type === 'layer' && entry.action === 'compact').length;

describe('a client that does not compact by itself on some models', () => {
  it('is reported once where the context reaches the threshold there', () => {
    const log = runLog(planAt(25), OLDER);
    expect(compactions(log)).toBe(0);
    expect(told(log)).toMatchObject([
      { count: 1, message: expect.stringContaining('claude-sonnet-4-5') as string },
    ]);
  });

  it('is not reported where the threshold is out of reach, where the user says otherwise, and on other models', () => {
    expect(told(runLog(planAt(100), OLDER))).toEqual([]);
    for (const log of [
      runLog(planAt(25, { 'autoCompact.exceptModels': [] }), OLDER),
      runLog(planAt(25), session('claude-sonnet-4')),
    ]) {
      expect(compactions(log)).toBeGreaterThan(0);
      expect(told(log)).toEqual([]);
    }
  });

  it('is reported by the runs of a sweep as by the engine', () => {
    for (const percent of [100, 80, 60, 40, 25, 10, 25, 100]) {
      const plan = planAt(percent);
      const swept: LogEntry[] = [];
      const parts = sweepReplayParts(plan, OLDER, { write: (entry) => swept.push(entry) });
      while (parts.next().done !== true);
      expect(swept).toEqual(runLog(plan, OLDER));
    }
  });
});
