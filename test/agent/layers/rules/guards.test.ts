import { describe, expect, it } from 'vitest';
import type { CompactionHistory } from '../../../../src/agent/layers/auto-compact/history.js';
import { Guards, thrashParams } from '../../../../src/agent/layers/rules/guards.js';
import type { Action } from '../../../../src/core/run/action.js';
import type { HookContext } from '../../../../src/core/run/layer.js';
import type { GuardsPart } from '../../../../src/core/run/policy-rules.js';

const NONE: GuardsPart = {
  breaker: null,
  perTurn: null,
  cooldownMs: [],
  spend: null,
  floor: null,
  block: null,
  refills: null,
};

const at = (now: number, turn = 1, prompt = 1): HookContext => ({ now, turn, prompt }) as HookContext;

function guardsOf(part: Partial<GuardsPart>) {
  const history = { failures: 0, failurePrompt: -1, succeeded: () => {} };
  const guards = new Guards({ ...NONE, ...part }, history as unknown as CompactionHistory);
  const told = (actions: Generator<Action, void, unknown>): readonly string[] =>
    [...actions].map((action) => (action.kind === 'breaker' ? `${action.state} ${action.failures}` : '?'));
  return {
    guards,
    fail: (moment: HookContext, rule = 'r') => told(guards.failed(rule, moment)),
    succeed: (moment: HookContext, rule = 'r') => told(guards.succeeded(rule, moment)),
  };
}

describe('the breaker of a policy', () => {
  it('trips after this many failures in a row, and is reset by a success', () => {
    const { guards, fail, succeed } = guardsOf({ breaker: { after: 2, until: 'success' } });
    expect(fail(at(0))).toEqual([]);
    expect(guards.isOpen('r', at(1))).toBe(false);
    expect(succeed(at(1))).toEqual(['reset 0']);
    expect(succeed(at(1))).toEqual([]);
    expect([fail(at(2)), fail(at(3)), fail(at(4))]).toEqual([[], ['tripped 2'], []]);
    expect(guards.isOpen('r', at(5))).toBe(true);
    expect(guards.isOpen('another', at(5))).toBe(true);
    expect(guards.skipped('r')).toMatchObject({ state: 'skipped', failures: 3 });
  });

  it('stays open for the session where it says so, once it has tripped', () => {
    const { guards, fail, succeed } = guardsOf({ breaker: { after: 2, until: 'session' } });
    fail(at(0));
    expect(succeed(at(1))).toEqual(['reset 0']);
    fail(at(2));
    fail(at(3));
    expect(succeed(at(4))).toEqual([]);
    expect(guards.isOpen('r', at(5))).toBe(true);
  });

  it('closes with the next prompt, or after a rest', () => {
    const byPrompt = guardsOf({ breaker: { after: 1, until: 'prompt' } });
    byPrompt.fail(at(0, 1, 1));
    expect(byPrompt.guards.isOpen('r', at(9, 5, 1))).toBe(true);
    expect(byPrompt.guards.isOpen('r', at(9, 6, 2))).toBe(false);
    const byTime = guardsOf({ breaker: { after: 1, until: { ms: 1_000 } } });
    byTime.fail(at(5_000));
    expect(byTime.guards.isOpen('r', at(5_999))).toBe(true);
    expect(byTime.guards.isOpen('r', at(6_000))).toBe(false);
  });

  it('counts the failures of each rule by itself where it says so; a new process knows of none', () => {
    const { guards, fail } = guardsOf({ breaker: { after: 1, until: 'success', scope: 'rule' } });
    fail(at(0), 'one');
    expect(['one', 'two'].map((rule) => guards.isOpen(rule, at(1)))).toEqual([true, false]);
    guards.restart();
    expect(guards.isOpen('one', at(2))).toBe(false);
  });

  it('is never open where there is none', () => {
    const { guards, fail } = guardsOf({});
    for (let i = 0; i < 9; i++) expect(fail(at(i))).toEqual([]);
    expect(guards.isOpen('r', at(10))).toBe(false);
  });
});

describe('rests of a policy', () => {
  it('grow with failures, stay at the last one, and end with a success', () => {
    const { guards, fail, succeed } = guardsOf({ cooldownMs: [100, 1_000] });
    const restsUntil = (from: number): number => {
      let now = from;
      while (guards.isResting(at(now))) now += 50;
      return now;
    };
    fail(at(0));
    expect(restsUntil(0)).toBe(100);
    fail(at(200));
    expect(restsUntil(200)).toBe(1_200);
    fail(at(2_000));
    expect(restsUntil(2_000)).toBe(3_000);
    fail(at(4_000));
    succeed(at(4_100));
    expect(guards.isResting(at(4_150))).toBe(false);
    fail(at(5_000));
    expect(restsUntil(5_000)).toBe(5_100);
  });

  it('hold back more summaries in a turn than it may ask for', () => {
    const { guards } = guardsOf({ perTurn: 2 });
    guards.spent(at(0, 4), 1);
    expect(guards.isResting(at(1, 4))).toBe(false);
    guards.spent(at(1, 4), 1);
    expect([guards.isResting(at(2, 4)), guards.isResting(at(2, 5))]).toEqual([true, false]);
    guards.spent(at(2, 5), 1);
    expect(guards.isResting(at(3, 5))).toBe(false);
  });

  it('follow this many calls within a time', () => {
    const { guards } = guardsOf({ spend: { calls: 3, perMs: 1_000, restMs: 500 } });
    guards.spent(at(0), 2);
    expect(guards.isResting(at(10))).toBe(false);
    guards.spent(at(900), 1);
    // All three within a second: rest until 1,449.
    expect([guards.isResting(at(950)), guards.isResting(at(1_449))]).toEqual([true, true]);
    // The first two were more than a second ago.
    expect(guards.isResting(at(1_450))).toBe(false);
    guards.spent(at(1_460), 2);
    expect(guards.isResting(at(1_899))).toBe(true);
    const late = guardsOf({ spend: { calls: 1, perMs: 1_000, restMs: 1 } }).guards;
    late.spent(at(0), 1);
    expect([late.isResting(at(999)), late.isResting(at(1_000))]).toEqual([true, false]);
  });

  it('thrash is judged by the refills that it allows', () => {
    expect(thrashParams({ other: 1 }, { max: 4, within: 6 })).toEqual({
      other: 1,
      'thrash.chainTurns': 3,
      'thrash.maxRefills': 4,
      'thrash.withinTurns': 6,
    });
    expect(thrashParams({}, null)).toMatchObject({ 'thrash.maxRefills': null });
  });
});
