import { describe, expect, it } from 'vitest';
import { rulesLayer } from '../../../../src/agent/layers/rules/rules-layer.js';
import { policyRegistry } from '../../../../src/agent/policies/catalogue.js';
import { planPolicy } from '../../../../src/agent/policies/plan-policy.js';
import { LayerDriver } from '../../../helpers/drive/drive-layer.js';

function driver(protect: number, batch: number): LayerDriver {
  const changes = { 'rules.prune.select.keep.tokens': protect, 'rules.prune.when.piled': batch };
  const { rules: parts } = planPolicy(policyRegistry.get('baselines/prune'), changes);
  return new LayerDriver([rulesLayer], {}, 200_000, { rules: parts! });
}

function arrive(layers: LayerDriver, ids: string, tokens = 100): void {
  for (const id of ids) {
    layers.exchange(id, { tokens });
    layers.ask('after-response');
  }
}

describe('prune', () => {
  it('clears nothing before a batch has piled up behind the protected tail', () => {
    const layers = driver(300, 200);
    arrive(layers, 'abcd');
    expect(layers.cleared()).toEqual([]);
    arrive(layers, 'e');
    expect(layers.cleared()).toEqual(['a', 'b']);
  });

  it('goes on in batches and leaves the newest results alone', () => {
    const layers = driver(300, 200);
    arrive(layers, 'abcdefg');
    expect(layers.cleared()).toEqual(['a', 'b', 'c', 'd']);
    expect(layers.reports.map((report) => [report.action, report.saved, report.details.results])).toEqual([
      ['clear', 2 * (100 - 12), 2],
      ['clear', 2 * (100 - 12), 2],
    ]);
  });

  it('counts batches on the running total: their mean size is the batch whatever a result holds (E2)', () => {
    const layers = driver(0, 250);
    arrive(layers, 'abcdefghijklmnopqrst');
    expect(layers.reports).toHaveLength(8);
  });

  it('takes what there is at once where a batch is nothing', () => {
    const layers = driver(0, 0);
    arrive(layers, 'abc');
    expect(layers.cleared()).toEqual(['a', 'b', 'c']);
    expect(layers.reports).toHaveLength(3);
  });

  it('protects no result that would exceed the tail', () => {
    const layers = driver(250, 100);
    arrive(layers, 'abcd');
    expect(layers.cleared()).toEqual(['a', 'b']);
  });

  it('leaves a result alone that a placeholder would not make smaller (INV-3)', () => {
    const layers = driver(0, 10);
    arrive(layers, 'a', 12);
    expect(layers.cleared()).toEqual([]);
    expect(layers.reports).toEqual([]);
  });
});
