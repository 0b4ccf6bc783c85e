import { policyOf } from '../../agent/policies/catalogue.js';
import { CcbenchError } from '../../core/base/errors.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { ownerOf } from './register-plugin.js';

/** Codes of errors that cannot come of ccbench's own layers. */
const OWN_FAULTS: readonly string[] = ['internal', 'invariant'];

/** The error of a run: where layers of plug-ins were at work, what would be a fault of ccbench is one of theirs. */
export function blamePlugins(plan: RunPlan, error: unknown): unknown {
  if (error instanceof CcbenchError && !OWN_FAULTS.includes(error.code)) return error;
  const layers = plan.plugins === undefined ? [] : policyOf(plan.policy).layers;
  const foreign = layers.flatMap((layer) => {
    const owner = ownerOf(layer);
    return owner === null ? [] : [`"${layer}" of the plug-in "${owner}"`];
  });
  if (foreign.length === 0) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new CcbenchError('bad-plugin', `a run with the layer ${foreign.join(' and ')} broke off: ${said}`, {
    hint: 'an action of the layer is not what the simulation can carry out; --debug shows where',
    cause: error,
  });
}
