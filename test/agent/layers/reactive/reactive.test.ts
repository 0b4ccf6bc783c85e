import { describe, expect, it } from 'vitest';
import { foldLog } from '../../../../src/metrics/fold.js';
import { above, compactionPlan } from '../../../helpers/drive/above-threshold.js';
import { mainRequests, ofType, type PlanInit, runLog } from '../../../helpers/plan.js';

function run(init: PlanInit) {
  const talk = above({ from: 100_000, rounds: 1 }).human(10).answer(10);
  const entries = runLog(compactionPlan('claude-code/2026', init), talk.transcript());
  return {
    entries,
    requests: mainRequests(entries),
    compactions: ofType(entries, 'layer').filter((entry) => entry.layer === 'reactive'),
    refused: ofType(entries, 'refused').filter((entry) => entry.purpose === 'main'),
    shown: ofType(entries, 'notice').filter((entry) => entry.what === 'prompt-ended'),
  };
}

/** The 21st main request is the one after twenty rounds. */
const refusedOnce = { call: 'main', error: 'prompt_too_long', nth: 21 } as const;

describe('a main request refused as too long', () => {
  it('REA-1 is held back, compacted and sent again; the user never sees the error', () => {
    const { requests, compactions, refused, shown } = run({ faults: [refusedOnce] });
    expect(refused).toHaveLength(1);
    expect(compactions).toMatchObject([{ trigger: 'reactive', outcome: 'done', turn: 21 }]);
    expect(shown).toEqual([]);
    expect(requests).toHaveLength(22);
    expect(requests[20]!.prompt).toBeLessThan(50_000);
  });

  it('REA-1 it fired no threshold, so it has no overshoot', () => {
    const { compactions, entries } = run({ faults: [refusedOnce] });
    expect(compactions[0]!.details.threshold).toBeNull();
    expect(foldLog(entries).overshootTokens).toBeNull();
  });

  it('REA-1 if the compaction fails the error is shown', () => {
    const { compactions, shown, requests } = run({
      faults: [refusedOnce, { call: 'compact', error: 'tool_call' }],
    });
    expect(compactions).toMatchObject([{ outcome: 'failed' }]);
    expect(shown).toHaveLength(1);
    expect(shown[0]!.message).toMatch(/too long/);
    expect(requests).toHaveLength(21); // the next prompt is answered
  });

  it('REA-1 at most once per turn', () => {
    const faults = [{ call: 'main', error: 'prompt_too_long', from: 21, to: 22 }] as const;
    const { compactions, refused, shown } = run({ faults });
    expect(compactions).toHaveLength(1);
    expect(refused).toHaveLength(2);
    expect(shown).toHaveLength(1);
  });

  it('REA-1 each turn may do so again', () => {
    // Request 21 is refused, 22 sends it again; 23 is the next prompt.
    const { compactions, refused, shown, requests } = run({
      faults: [refusedOnce, { ...refusedOnce, nth: 23 }],
    });
    expect(refused).toHaveLength(2);
    expect(compactions.map(({ turn, outcome }) => [turn, outcome])).toEqual([
      [21, 'done'],
      [22, 'done'],
    ]);
    expect(shown).toEqual([]);
    expect(requests).toHaveLength(22);
  });

  it('REA-1 BRK-4 a compaction that was done counts for the next, one that failed does not', () => {
    const twice = [refusedOnce, { ...refusedOnce, nth: 23 }] as const;
    const tracked = (faults: PlanInit['faults']) =>
      run({ faults: faults! }).compactions.map(({ outcome, details }) => [
        outcome,
        details.previousTurn,
        details.turnsSincePrevious,
      ]);
    expect(tracked(twice)).toEqual([
      ['done', null, null],
      ['done', 21, 1],
    ]);
    // Fork and direct call fail; without a compaction request 21 is not sent again, so 22 is the next prompt.
    const failing = { call: 'compact', error: 'tool_call', to: 2 } as const;
    expect(tracked([refusedOnce, { ...refusedOnce, nth: 22 }, failing])).toEqual([
      ['failed', null, null],
      ['done', null, null],
    ]);
  });

  it('C52 REA-1 BRK-1 after a tripped breaker a success logs the reset', () => {
    // Turns 21 to 23 are above the threshold: three attempts fail, a fork and a direct call each. Turn 24 is refused.
    const faults = [
      { call: 'compact', error: 'invalid_request', to: 6 },
      { call: 'main', error: 'prompt_too_long', nth: 24 },
    ] as const;
    const talk = above({ from: 168_000, rounds: 5 });
    const entries = runLog(compactionPlan('claude-code/2026', { faults }), talk.transcript());
    expect(ofType(entries, 'layer').filter(({ layer }) => layer === 'reactive')).toMatchObject([
      { turn: 24, outcome: 'done' },
    ]);
    expect(ofType(entries, 'breaker').map(({ turn, state, failures }) => [turn, state, failures])).toEqual([
      [23, 'tripped', 3],
      [24, 'skipped', 3],
      [24, 'reset', 0],
    ]);
  });

  it('REA-1 FLG-1 its switch turns it off', () => {
    const { compactions, shown } = run({ faults: [refusedOnce], set: { 'reactive.enabled': false } });
    expect(compactions).toEqual([]);
    expect(shown).toHaveLength(1);
  });

  it('REA-1 WIN-7 with all compaction disabled there is none', () => {
    const { compactions, shown } = run({ faults: [refusedOnce], set: { 'compact.enabled': false } });
    expect(compactions).toEqual([]);
    expect(shown).toHaveLength(1);
  });
});
