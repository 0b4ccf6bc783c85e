import { CcbenchError } from '../../core/base/errors.js';
import { formatPartPath, type PartProblem } from '../../core/base/shape.js';
import type { PartsPolicy } from '../../core/run/parts.js';
import { type WrittenPolicy, withPolicyValue } from '../policy-file/paths.js';
import { type ReadPolicy, readPolicy } from '../policy-file/read-policy.js';
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
    tiers: [...head.layers, 'parts'],
    client: head.client,
    set: { ...(head.set as Policy['set']), ...habits(parts) },
    sources: head.sources,
    written,
  };
}

/** Parameters of the client that follow from the parts. */
function habits({ cache }: PartsPolicy): Policy['set'] {
  return cache.marks === 'client' ? {} : { 'client.breakpoints': cache.marks };
}

/** The parts of a policy with a user's changes; a change that makes it unusable is an error at its path. */
export function partsOf(policy: Policy, changes: Readonly<Record<string, unknown>>): PartsPolicy | null {
  if (policy.written === undefined) return null;
  let { written } = policy;
  for (const path of Object.keys(changes)) written = withPolicyValue(written, path, changes[path]);
  const problems: PartProblem[] = [];
  const read = readPolicy(written, { name: policy.name }, (problem) => problems.push(problem));
  if (read !== null) return read.parts;
  const first = problems.find(({ weight }) => weight === 'error')!;
  throw new CcbenchError(
    'bad-value',
    `${formatPartPath(first.path)}: ${first.message}`,
    first.hint === null ? {} : { hint: first.hint },
  );
}
