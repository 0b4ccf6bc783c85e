import { CcbenchError } from '../../core/base/errors.js';
import { formatPartPath, type PartProblem } from '../../core/base/shape.js';
import type { WrittenPolicy } from '../policy-file/paths.js';
import { readPolicy } from '../policy-file/read-policy.js';
import { policyFrom } from './parts-policy.js';
import type { Policy } from './policy.js';
import { SHIPPED } from './shipped.generated.js';

/** A profile as its file holds it: layers of ccbench and their parameters, no rules. */
interface WrittenProfile {
  readonly name: string;
  readonly kind: 'bound' | 'analysed' | 'measured';
  readonly description: string;
  readonly client: string;
  readonly layers: readonly string[];
  readonly set?: Policy['set'];
  readonly sources: Policy['sources'];
}

/** The policies that are shipped as files, by name: bounds, profiles of Claude Code, baselines and other agents. Each is read when it is asked for. */
export const shippedPolicies: readonly (readonly [string, () => Policy])[] = SHIPPED.map(([name, json]) => [
  name,
  () => shippedPolicy(name, JSON.parse(json) as WrittenPolicy | WrittenProfile),
]);

function shippedPolicy(name: string, written: WrittenPolicy | WrittenProfile): Policy {
  if (isProfile(written)) {
    const { description: summary, layers: tiers, set = {}, kind, client, sources } = written;
    return { name, kind, summary, tiers, client, set, sources };
  }
  const problems: PartProblem[] = [];
  const read = readPolicy(written, { name }, (problem) => problems.push(problem));
  if (read !== null) return policyFrom(read, written, name.startsWith('peers/') ? 'peer' : 'baseline');
  const first = problems.find(({ weight }) => weight === 'error')!;
  throw new CcbenchError('bad-value', `${name}, ${formatPartPath(first.path)}: ${first.message}`);
}

function isProfile(written: WrittenPolicy | WrittenProfile): written is WrittenProfile {
  return 'kind' in written;
}
