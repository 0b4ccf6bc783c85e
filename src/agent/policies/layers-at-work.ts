import { ownValue } from '../../core/base/own-value.js';
import type { Transcript } from '../../core/model/transcript.js';
import type { LayerDefinition } from '../../core/run/layer.js';
import type { SkippedEntry } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { hasUses } from '../../core/uses/find-uses.js';
import { layerRegistry } from '../layers/registry.js';
import { policyOf } from './catalogue.js';

/** Layers of the policy that are on and that the transcript can feed; the others become a skipped row (decision 5). */
export function layersAtWork(
  plan: RunPlan,
  transcript: Transcript,
): { readonly supported: readonly LayerDefinition[]; readonly skipped: readonly SkippedEntry[] } {
  const supported: LayerDefinition[] = [];
  const skipped: SkippedEntry[] = [];
  for (const name of policyOf(plan.policy).layers) {
    const layer = layerRegistry.get(name);
    if (ownValue(plan.policy.params, layer.killSwitch) === false) continue;
    const missing: string[] = layer.needs.filter((need) => !transcript.carries.includes(need));
    if (layer.asksForUses?.(plan.policy) === true && !hasUses(transcript))
      missing.push('text of a recording');
    if (missing.length === 0) supported.push(layer);
    else skipped.push({ type: 'skipped', what: `layer ${name}`, needs: missing.join(', ') });
  }
  return { supported, skipped };
}
