import type { PolicyRules } from '../../core/run/policy-rules.js';
import type { WrittenPolicy } from '../policy-file/paths.js';
import type { ReadPolicy } from '../policy-file/read-policy.js';
import type { Policy } from './policy.js';

/** A policy made of a written one. */
export function policyFrom(
  { head, rules }: ReadPolicy,
  written: WrittenPolicy,
  kind: 'peer' | 'file' | 'baseline' | 'bound',
): Policy {
  return {
    name: head.name,
    kind,
    summary: head.description,
    layers: [...head.layers, 'rules'],
    client: head.client,
    set: { ...(head.set as Policy['set']), ...behaviours(rules) },
    sources: head.sources,
    checked: head.checked,
    written,
    rules,
  };
}

/** Parameters of the client that follow from the rules. */
function behaviours({ cache }: PolicyRules): Policy['set'] {
  return cache.marks === 'client' ? {} : { 'client.breakpoints': cache.marks };
}
