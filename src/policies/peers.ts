import { CcbenchError } from '../base/errors.js';
import type { WrittenPolicy } from '../parts/paths.js';
import { readPolicy } from '../parts/read-policy.js';
import { formatPartPath, type PartProblem } from '../parts/shape.js';
import { policyFrom } from './parts-policy.js';
import { PEERS } from './peers.generated.js';
import type { Policy } from './policy.js';

/** The policies of other agents by name; each is read when it is asked for. */
export const peers: readonly (readonly [string, () => Policy])[] = PEERS.map(([name, json]) => [
  name,
  () => peerOf(name, JSON.parse(json) as WrittenPolicy),
]);

function peerOf(name: string, written: WrittenPolicy): Policy {
  const problems: PartProblem[] = [];
  const read = readPolicy(written, { name }, (problem) => problems.push(problem));
  if (read !== null) return policyFrom(read, written, 'peer');
  const first = problems.find(({ weight }) => weight === 'error')!;
  throw new CcbenchError('bad-value', `${name}, ${formatPartPath(first.path)}: ${first.message}`);
}
