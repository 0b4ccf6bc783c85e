import { CcbenchError } from '../../../base/errors.js';
import { planPolicy } from '../../../policies/catalogue.js';
import type { Policy } from '../../../policies/policy.js';

/** What is wrong with the layers, parameters and models that a policy file names. */
export function checkLayers(policy: Policy, file: string): readonly CcbenchError[] {
  try {
    planPolicy(policy, {});
    return [];
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    return [
      new CcbenchError(error.code, error.message, {
        place: error.place ?? { file },
        ...(error.hint === null ? {} : { hint: error.hint }),
      }),
    ];
  }
}
