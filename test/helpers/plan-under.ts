import { expect } from 'vitest';
import { stringify } from 'yaml';
import { planPolicy } from '../../src/agent/policies/plan-policy.js';
import { readPolicyFile } from '../../src/config/files/policy-file.js';
import type { RunPlan } from '../../src/core/run/run-plan.js';
import { type PlanInit, planOf } from './plan.js';

/** The plan of a run under a policy file, given as text or as what it says. */
export function planUnder(written: string | object, init: PlanInit): RunPlan {
  const text = typeof written === 'string' ? written : stringify(written);
  const { policy, problems } = readPolicyFile(text, 'p.yaml');
  expect(problems.map(({ message }) => message)).toEqual([]);
  return { ...planOf(init), policy: planPolicy(policy!, {}) };
}
