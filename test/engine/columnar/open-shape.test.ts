import { describe, expect, it } from 'vitest';
import { OpenShape } from '../../../src/engine/columnar/shared-runs.js';
import { type PlanInit, planOf } from '../../helpers/plan.js';
import { planUnder } from '../../helpers/plan-under.js';

describe('plans have one shape', () => {
  const shapeOf = (init: PlanInit): OpenShape => new OpenShape(planOf(init));

  it('when they differ in their name and their limits alone', () => {
    const shape = shapeOf({ policy: 'claude-code/2026' });
    const set = { 'window.percent': 40, 'window.compactOffset': 20_000 };
    expect(shape.fits(planOf({ policy: 'claude-code/2026', name: 'another', set }))).toBe(true);
    expect(
      shapeOf({ policy: 'peers/codex-local' }).fits(
        planOf({ policy: 'peers/codex-local', set: { 'rules.compact.when.0.tokens': '>= 0.5·B' } }),
      ),
    ).toBe(true);
  });

  it('when what their thresholds are shares of is used for nothing else', () => {
    const times = { 'base.times': 0.5 };
    expect(
      shapeOf({ policy: 'peers/codex-local' }).fits(planOf({ policy: 'peers/codex-local', set: times })),
    ).toBe(true);
    expect(shapeOf({ policy: 'peers/cline' }).fits(planOf({ policy: 'peers/cline', set: times }))).toBe(
      false,
    );
  });

  it.each([
    ['another seed', { seed: 2 }],
    ['another model', { model: 'claude-opus-4-5' }],
    ['another window', { window: 100_000 }],
    ['another cache', { cache: { ttl: '1h' as const } }],
    ['faults', { faults: [{}] }],
    ['another parameter', { set: { 'window.blockingOffset': 9_000 } }],
    ['another policy', { policy: 'claude-code/2.1.325' }],
    ['a plug-in', { plugins: [{ name: 'p', sha256: null }] }],
  ])('but not with %s', (_what, init: PlanInit) => {
    const policy = 'claude-code/2.1.112';
    expect(shapeOf({ policy }).fits(planOf({ policy }))).toBe(true);
    expect(shapeOf({ policy }).fits(planOf({ policy, ...init }))).toBe(false);
  });

  it('but not where one has a part that the other lacks', () => {
    const rules = 'rules: [{ when: { tokens: ">= 100k" }, ask: { shape: own } }]';
    const plain = planUnder(rules, {});
    const guarded = planUnder(`${rules}\nguards: { breaker: { after: 2 } }`, {});
    expect(new OpenShape(plain).fits(planUnder(rules, {}))).toBe(true);
    expect(new OpenShape(plain).fits(guarded)).toBe(false);
    expect(new OpenShape(guarded).fits(plain)).toBe(false);
    const two = planUnder(
      'rules: [{ when: { tokens: ">= 100k" }, ask: { shape: own } }, { when: { tokens: ">= 110k" }, ask: { shape: own } }]',
      {},
    );
    expect(new OpenShape(plain).fits(two)).toBe(false);
    expect(new OpenShape(two).fits(plain)).toBe(false);
  });

  it('and a condition is open in its amount, not in its direction, its kind or an amount that is drawn', () => {
    const fits = (one: string, other: string): boolean => {
      const under = (test: string) => planUnder(`rules: [{ when: { ${test} }, ask: { shape: own } }]`, {});
      return new OpenShape(under(one)).fits(under(other));
    };
    expect(fits('tokens: ">= 100k"', 'tokens: ">= 90k"')).toBe(true);
    expect(fits('messages: "> 10"', 'messages: "> 20"')).toBe(true);
    expect(fits('tokens: ">= 100k"', 'tokens: "> 100k"')).toBe(false);
    expect(fits('tokens: ">= 100k"', 'growth: ">= 100k"')).toBe(false);
    expect(fits('idle: ">= 5min"', 'idle: ">= 6min"')).toBe(false);
    expect(fits('tokens: ">= jitter(0.7, 0.8)·B"', 'tokens: ">= 100k"')).toBe(false);
    expect(fits('tokens: ">= 100k"', 'tokens: ">= jitter(0.7, 0.8)·B"')).toBe(false);
  });
});
