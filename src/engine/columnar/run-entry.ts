import type { RunEntry } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { planDigest } from '../run/replay.js';

/** The first entry of a run under another plan; the digest of the plan is found when somebody reads it. */
export function runEntryOf({ version, plugins, transcript }: RunEntry, plan: RunPlan): RunEntry {
  return {
    type: 'run',
    version,
    name: plan.name,
    seed: plan.seed,
    policy: plan.policy.name,
    get planDigest() {
      return planDigest(plan);
    },
    plan,
    ...(plugins === undefined ? {} : { plugins }),
    transcript,
  };
}
