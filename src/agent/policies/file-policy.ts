import type { PolicyRules } from '../../core/run/policy-rules.js';
import type { WrittenPolicy } from '../policy-file/paths.js';
import type { ReadPolicy } from '../policy-file/read-policy.js';
import type { Policy } from './policy.js';

/** A policy made of a written one. */
export function policyFrom(
  { head, parts }: ReadPolicy,
  written: WrittenPolicy,
  kind: 'peer' | 'file' | 'baseline',
): Policy {
  return {
    name: head.name,
    kind,
    summary: head.description,
    layers: [...head.layers, 'parts'],
    client: head.client,
    set: { ...(head.set as Policy['set']), ...behaviours(parts) },
    sources: head.sources,
    written,
    parts,
  };
}

/** Parameters of the client that follow from the parts. */
function behaviours({ cache }: PolicyRules): Policy['set'] {
  return cache.marks === 'client' ? {} : { 'client.breakpoints': cache.marks };
}
