import { CcbenchError, type Problem, withPath } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import type { ParamValues } from '../../core/run/params.js';
import type { PolicyRules } from '../../core/run/policy-rules.js';
import type { PlannedPolicy } from '../../core/run/run-plan.js';
import { isPolicyPath, withPolicyValue } from '../policy-file/paths.js';
import { rereadRules } from '../policy-file/read-policy.js';
import { policyRegistry } from './catalogue.js';
import type { Policy } from './policy.js';
import { withParams } from './policy-params.js';

/** The complete parameters of a policy with a user's changes; unknown paths, bad values and changes without effect are errors. */
export function resolvePolicy(name: string, set: Readonly<Record<string, unknown>>): ParamValues {
  return planPolicy(policyRegistry.get(name), set).params;
}

/** A policy as a run goes by it, with a user's changes: of its parameters, and of the values of its file. */
export function planPolicy(policy: Policy, set: Readonly<Record<string, unknown>>): PlannedPolicy {
  const inFile = policy.written === undefined ? [] : Object.keys(set).filter(isPolicyPath);
  const pick = (paths: readonly string[]) =>
    Object.fromEntries(paths.map((path) => [path, ownValue(set, path)]));
  const rules = rulesOf(policy, pick(inFile));
  return withParams(policy, rules, pick(Object.keys(set).filter((path) => !inFile.includes(path))));
}

/** The rules of a policy with a user's changes; a change that makes it unusable is an error at its path. */
function rulesOf(
  { written: before, rules }: Policy,
  changes: Readonly<Record<string, unknown>>,
): PolicyRules | null {
  if (before === undefined || rules === undefined) return null;
  let written = before;
  for (const path of Object.keys(changes)) written = withPolicyValue(written, path, ownValue(changes, path));
  if (written === before) return rules;
  const problems: Problem[] = [];
  const read = rereadRules(written, { written: before, rules }, (problem) => problems.push(problem));
  if (read !== null) return read;
  const first = problems.find(({ weight }) => weight === 'error')!;
  throw new CcbenchError('bad-value', withPath(first), first.hint === null ? {} : { hint: first.hint });
}
