import { describe, expect, it } from 'vitest';
import { foldLog } from '../../../../src/metrics/fold.js';
import { above, compactionPlan } from '../../../helpers/drive/above-threshold.js';
import { mainRequests, ofType, type PlanInit, runLog } from '../../../helpers/plan.js';

function run(from: number, init: PlanInit = {}) {
  const talk = above({ from, rounds: 3 }).human(10).answer(10);
  const entries = runLog(compactionPlan('claude-code/2.1.112', init), talk.transcript());
  return {
    requests: mainRequests(entries).length,
    blocked: ofType(entries, 'notice').filter((entry) => entry.what === 'blocked'),
    compactions: ofType(entries, 'layer'),
    facts: foldLog(entries),
  };
}

const OFF = { set: { 'autoCompact.enabled': false } } as const;
const FAILING = { faults: [{ call: 'compact', error: 'tool_call' }] } as const;

describe('the blocking limit', () => {
  it('WIN-6 refuses input at effective − 3,000 when compaction is off, not one token below', () => {
    // Each round after the twentieth adds 100: the 21st request is at `from`.
    expect(run(176_999, { set: { ...OFF.set } }).blocked).toHaveLength(2);
    expect(run(176_999, { set: { ...OFF.set } }).requests).toBe(21);
    expect(run(177_000, { set: { ...OFF.set } }).requests).toBe(20);
    expect(run(176_700, { set: { ...OFF.set } })).toMatchObject({ requests: 24, blocked: [] });
  });

  it('WIN-6 does not fire while compaction makes room', () => {
    const { blocked, requests, compactions } = run(178_000);
    expect(blocked).toEqual([]);
    expect(requests).toBe(24);
    expect(compactions[0]).toMatchObject({ outcome: 'done' });
  });

  it('WIN-6 a failed compaction at or above it ends the prompt, the next prompt tries again', () => {
    const { blocked, compactions, requests, facts } = run(178_000, FAILING);
    // The context passes 167,000 at the twentieth round; below the block the requests go on.
    expect(blocked).toHaveLength(2);
    expect(facts.notices.blocked).toBe(2);
    expect(requests).toBe(20);
    expect(compactions.at(-1)!.turn).toBeGreaterThan(compactions[0]!.turn);
  });

  it('WIN-6 FLG-1 has a switch; 2.0.76 has no local block', () => {
    const set = { ...OFF.set, 'blocking.enabled': false };
    expect(run(177_000, { set }).requests).toBe(24);
    expect(run(177_000, { policy: 'claude-code/2.0.76', ...OFF }).requests).toBe(24);
  });
});
