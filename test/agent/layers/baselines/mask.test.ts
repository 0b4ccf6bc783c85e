import { describe, expect, it } from 'vitest';
import { partsTier } from '../../../../src/agent/layers/rules/parts.js';
import { policyRegistry } from '../../../../src/agent/policies/catalogue.js';
import { planPolicy } from '../../../../src/agent/policies/plan-policy.js';
import { TierDriver } from '../../../helpers/drive/drive-tier.js';

function masked(ids: string, keepResults: number, batchResults: number): TierDriver {
  const { parts } = planPolicy(policyRegistry.get('baselines/mask'), {
    'rules.mask.select.keep.last': keepResults,
    'rules.mask.when.toolResults': keepResults + batchResults,
  });
  const tiers = new TierDriver([partsTier], {}, 200_000, { parts: parts! });
  for (const id of ids) {
    tiers.exchange(id);
    tiers.ask();
  }
  return tiers;
}

describe('mask', () => {
  it('keeps the latest results and masks the rest every turn', () => {
    expect(masked('abcd', 3, 1).cleared()).toEqual(['a']);
    expect(masked('abcde', 3, 1).cleared()).toEqual(['a', 'b']);
    expect(masked('abcde', 3, 1).reports).toHaveLength(2);
  });

  it('waits until a batch has piled up', () => {
    expect(masked('abcdef', 3, 4).cleared()).toEqual([]);
    expect(masked('abcdefg', 3, 4).cleared()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('masks what a resume brings back only where it was not masked before', () => {
    const tiers = masked('abcd', 2, 1);
    tiers.resume();
    tiers.ask();
    expect(tiers.cleared()).toEqual(['a', 'b']);
    tiers.exchange('e');
    tiers.ask();
    expect(tiers.cleared()).toEqual(['a', 'b', 'c']);
  });
});
