import { ownValue } from '../../core/base/own-value.js';
import { createRegistry } from '../../core/base/registry.js';
import type { Transcript } from '../../core/model/transcript.js';
import type { LayerDefinition } from '../../core/run/layer.js';
import type { ParamSpec } from '../../core/run/params.js';
import type { SkippedEntry } from '../../core/run/run-log.js';
import type { PlannedPolicy, RunPlan } from '../../core/run/run-plan.js';
import { hasUses } from '../../core/uses/find-uses.js';
import { CLIENT_PARAMS } from '../client/client.js';
import { layerRegistry } from '../layers/registry.js';
import { layerParams } from '../layers/support/param-reader.js';
import { isReadBy } from './param-readers.js';
import type { Policy } from './policy.js';
import { SHIPPED } from './shipped.generated.js';

/** Every policy, by name; adding one is one file in `bounds`, `claude-code`, `baselines` or `peers`. */
export const policyRegistry = createRegistry<Policy>(
  'policy',
  [],
  SHIPPED.map(([name, json]) => [name, () => JSON.parse(json) as Policy]),
);

/** Every parameter by its path. */
export const specs = createRegistry<ParamSpec>(
  'parameter',
  [...CLIENT_PARAMS, ...layerParams('core'), ...layerRegistry.all().flatMap((layer) => layer.params)].map(
    (spec) => [spec.path, spec],
  ),
);

/** How many of them are of ccbench itself: those behind are of plug-ins. */
export const ownSpecs = specs.names.length;

/** Every parameter a policy may set, in the order they are listed. */
export function paramSpecs(): readonly ParamSpec[] {
  return specs.all();
}

/** Adds layers from outside with their parameters, all or none; calling what it gives back takes them out again. */
export function addLayers(layers: readonly LayerDefinition[]): () => void {
  const removeParams = specs.add(layers.flatMap((layer) => layer.params.map((spec) => [spec.path, spec])));
  try {
    const removeLayers = layerRegistry.add(layers.map((layer) => [layer.name, layer]));
    return () => {
      removeLayers();
      removeParams();
    };
  } catch (error) {
    removeParams();
    throw error;
  }
}

/** The parameters that the layers of a policy, or its client, go by. */
export function paramsOf(policy: Policy): readonly ParamSpec[] {
  return paramSpecs().filter((spec) => isReadBy(policy, spec.path));
}

/** The policy that a run goes by: one of a file is made of what the plan holds. */
export function policyOf({ name, params, rules, layers = [] }: PlannedPolicy): Policy {
  if (rules === undefined || policyRegistry.has(name)) return policyRegistry.get(name);
  return {
    name,
    kind: 'file',
    summary: '',
    layers: [...layers, 'rules'],
    client: String(params['client.use']),
    set: {},
    sources: {},
    checked: null,
  };
}

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
