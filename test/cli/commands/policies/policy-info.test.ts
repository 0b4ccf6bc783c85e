import { describe, expect, it } from 'vitest';
import { resolvePolicy } from '../../../../src/agent/policies/plan-policy.js';
import { policyInfoOf } from '../../../../src/cli/runs/policy-info.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { requestEntry, runEntry, threadEntry } from '../../../helpers/log.js';

function infoOf(policy: string, set: Readonly<Record<string, unknown>>) {
  const plan = { policy: { name: policy, params: resolvePolicy(policy, set) } };
  return policyInfoOf(foldLog([runEntry({ policy, plan }), threadEntry(), requestEntry()]));
}

describe('what a report knows of a policy', () => {
  it('WIN-3 names the thresholds of a 200,000 window', () => {
    const limits = infoOf('claude-code/2.1.112', {})!.thresholds;
    expect(limits).toContainEqual({ name: 'auto-compact', tokens: 167_000 });
  });

  it('tells who set a number, and where it comes from', () => {
    const params = infoOf('claude-code/2.1.112', { 'window.compactOffset': 20_000 })!.params;
    const byPath = new Map(params.map((param) => [param.path, param]));
    expect(byPath.get('window.reserve')).toMatchObject({
      from: 'policy',
      source: 'measured: min(max output, 20,000)',
    });
    expect(byPath.get('window.compactOffset')).toMatchObject({ from: 'scenario', value: 20_000 });
    expect(byPath.get('restore.files')).toMatchObject({ from: 'default', source: null });
  });

  it('a policy that this version does not know is no error', () => {
    expect(policyInfoOf(foldLog([runEntry({ policy: 'somebody/9' }), requestEntry()]))).toBeNull();
  });
});
