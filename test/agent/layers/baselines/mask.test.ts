import { describe, expect, it } from 'vitest';
import { rulesLayer } from '../../../../src/agent/layers/rules/rules-layer.js';
import { policyRegistry } from '../../../../src/agent/policies/catalogue.js';
import { planPolicy } from '../../../../src/agent/policies/plan-policy.js';
import { LayerDriver } from '../../../helpers/drive/drive-layer.js';

function masked(ids: string, keepResults: number, batchResults: number): LayerDriver {
  const { rules: parts } = planPolicy(policyRegistry.get('baselines/mask'), {
    'rules.mask.select.keep.last': keepResults,
    'rules.mask.when.toolResults': keepResults + batchResults,
  });
  const layers = new LayerDriver([rulesLayer], {}, 200_000, { rules: parts! });
  for (const id of ids) {
    layers.exchange(id);
    layers.ask();
  }
  return layers;
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
    const layers = masked('abcd', 2, 1);
    layers.resume();
    layers.ask();
    expect(layers.cleared()).toEqual(['a', 'b']);
    layers.exchange('e');
    layers.ask();
    expect(layers.cleared()).toEqual(['a', 'b', 'c']);
  });
});
