import { CcbenchError, type Problem, withPath } from '../../core/base/errors.js';
import { oncePer } from '../../core/base/once.js';
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

/** Policies with changes that were planned: thousands of sessions under the same ones share them. */
const planned = oncePer((_: Policy) => new Map<string, PlannedPolicy>());

/** More are not kept: a sweep plans each only once. */
const MOST_PLANNED = 100;

/** Whether JSON has another text for each such value. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}

/** A policy as a run goes by it, with a user's changes: of its parameters, and of the values of its file. */
export function planPolicy(policy: Policy, set: Readonly<Record<string, unknown>>): PlannedPolicy {
  if (!Object.values(set).every(isPlain)) return plan(policy, set);
  const known = planned(policy);
  const key = JSON.stringify(set);
  let own = known.get(key);
  if (own === undefined) {
    own = plan(policy, set);
    if (known.size === MOST_PLANNED) known.clear();
    known.set(key, own);
  }
  return own;
}

function plan(policy: Policy, set: Readonly<Record<string, unknown>>): PlannedPolicy {
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
