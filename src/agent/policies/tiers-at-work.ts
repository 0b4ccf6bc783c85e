import type { Transcript } from '../../core/model/transcript.js';
import type { SkippedEntry } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import type { TierDefinition } from '../../core/run/tier.js';
import { tierRegistry } from '../layers/registry.js';
import { policyOf } from './catalogue.js';

/** Tiers of the policy that are on and that the transcript can feed; the others become a skipped row (decision 5). */
export function tiersAtWork(
  plan: RunPlan,
  transcript: Transcript,
): { readonly supported: readonly TierDefinition[]; readonly skipped: readonly SkippedEntry[] } {
  const supported: TierDefinition[] = [];
  const skipped: SkippedEntry[] = [];
  for (const name of policyOf(plan.policy).tiers) {
    const tier = tierRegistry.get(name);
    if (plan.policy.params[tier.killSwitch] === false) continue;
    const missing = tier.needs.filter((need) => !transcript.carries.includes(need));
    if (missing.length === 0) supported.push(tier);
    else skipped.push({ type: 'skipped', what: `tier ${name}`, needs: missing.join(', ') });
  }
  return { supported, skipped };
}
