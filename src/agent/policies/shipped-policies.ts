import { CcbenchError } from '../../core/base/errors.js';
import { formatPartPath, type PartProblem } from '../../core/base/shape.js';
import type { WrittenPolicy } from '../policy-file/paths.js';
import { readPolicy } from '../policy-file/read-policy.js';
import { policyFrom } from './parts-policy.js';
import type { Policy } from './policy.js';
import { SHIPPED } from './shipped.generated.js';

/** The policies that are shipped as files, by name: bounds, profiles of Claude Code, baselines and other agents. Each is read when it is asked for. */
export const shippedPolicies: readonly (readonly [string, () => Policy])[] = SHIPPED.map(([name, json]) => [
  name,
  () => shippedPolicy(name, JSON.parse(json) as WrittenPolicy | Policy),
]);

function shippedPolicy(name: string, written: WrittenPolicy | Policy): Policy {
  if (isProfile(written)) return written;
  const problems: PartProblem[] = [];
  const read = readPolicy(written, { name }, (problem) => problems.push(problem));
  if (read !== null) return policyFrom(read, written, name.startsWith('peers/') ? 'peer' : 'baseline');
  const first = problems.find(({ weight }) => weight === 'error')!;
  throw new CcbenchError('bad-value', `${name}, ${formatPartPath(first.path)}: ${first.message}`);
}

/** Profiles are policies without rules; the build makes them whole. */
function isProfile(written: WrittenPolicy | Policy): written is Policy {
  return 'tiers' in written;
}
