import { describe, expect, it } from 'vitest';
import { partsTier } from '../../../../src/agent/layers/rules/parts.js';
import { policyRegistry } from '../../../../src/agent/policies/catalogue.js';
import { planPolicy } from '../../../../src/agent/policies/plan-policy.js';
import { TierDriver } from '../../../helpers/drive/drive-tier.js';

function driver(protect: number, batch: number): TierDriver {
  const changes = { 'rules.prune.select.keep.tokens': protect, 'rules.prune.when.piled': batch };
  const { parts } = planPolicy(policyRegistry.get('baselines/prune'), changes);
  return new TierDriver([partsTier], {}, 200_000, { parts: parts! });
}

function arrive(tiers: TierDriver, ids: string, tokens = 100): void {
  for (const id of ids) {
    tiers.exchange(id, { tokens });
    tiers.ask('after-response');
  }
}

describe('prune', () => {
  it('clears nothing before a batch has piled up behind the protected tail', () => {
    const tiers = driver(300, 200);
    arrive(tiers, 'abcd');
    expect(tiers.cleared()).toEqual([]);
    arrive(tiers, 'e');
    expect(tiers.cleared()).toEqual(['a', 'b']);
  });

  it('goes on in batches and leaves the newest results alone', () => {
    const tiers = driver(300, 200);
    arrive(tiers, 'abcdefg');
    expect(tiers.cleared()).toEqual(['a', 'b', 'c', 'd']);
    expect(tiers.reports.map((report) => [report.action, report.saved, report.details.results])).toEqual([
      ['clear', 2 * (100 - 12), 2],
      ['clear', 2 * (100 - 12), 2],
    ]);
  });

  it('counts batches on the running total: their mean size is the batch whatever a result holds (E2)', () => {
    const tiers = driver(0, 250);
    arrive(tiers, 'abcdefghijklmnopqrst');
    expect(tiers.reports).toHaveLength(8);
  });

  it('protects no result that would exceed the tail', () => {
    const tiers = driver(250, 100);
    arrive(tiers, 'abcd');
    expect(tiers.cleared()).toEqual(['a', 'b']);
  });

  it('leaves a result alone that a placeholder would not make smaller (INV-3)', () => {
    const tiers = driver(0, 10);
    arrive(tiers, 'a', 12);
    expect(tiers.cleared()).toEqual([]);
    expect(tiers.reports).toEqual([]);
  });
});
