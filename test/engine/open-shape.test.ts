import { describe, expect, it } from 'vitest';
import { OpenShape } from '../../src/engine/columnar/open-shape.js';
import { type PlanInit, planOf } from '../helpers/plan.js';

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
});
