import { policyRegistry } from '../../src/agent/policies/catalogue.js';
import { isReadBy } from '../../src/agent/policies/param-readers.js';

/** Those of some settings that a policy has layers for, so that one set of switches serves several policies. */
export function effective(
  policy: string,
  set: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const own = policyRegistry.get(policy);
  return Object.fromEntries(Object.entries(set).filter(([path]) => isReadBy(own, path)));
}
