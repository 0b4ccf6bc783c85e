import { type Policy, policyFrom } from '../../agent/policies/policy.js';
import { readPolicy } from '../../agent/policy-file/read-policy.js';
import { CcbenchError, ProblemList } from '../../core/base/errors.js';
import { isGroup, type Problem, withPath } from '../../core/base/problem.js';
import { readDocument } from '../files/document.js';
import type { PolicySource } from './plugin.js';

/** What a policy that says no name is called. */
const UNNAMED = 'own-policy';

function isDefined(source: object): source is Policy {
  return Object.hasOwn(source, 'written') && Object.hasOwn(source, 'layers');
}

/** Checks a policy file, given as YAML text or as the same in an object; throws an error that lists every problem with its path. */
export function definePolicy(source: PolicySource): Policy {
  if (typeof source === 'object' && source !== null && isDefined(source)) return source;
  const problems: CcbenchError[] = [];
  let value: unknown = source;
  if (typeof source === 'string') {
    const read = readDocument(source, 'policy', 'policy');
    problems.push(...read.problems);
    value = read.document?.value;
  }
  const tell = (problem: Problem): void => {
    const { hint, weight } = problem;
    if (weight === 'error')
      problems.push(new CcbenchError('bad-value', withPath(problem), hint === null ? {} : { hint }));
  };
  const read = value === undefined ? null : readPolicy(value, { name: UNNAMED }, tell);
  if (read !== null && isGroup(value) && problems.length === 0) return policyFrom(read, value, 'file');
  throw new ProblemList('bad-value', nameOf(value), problems);
}

function nameOf(value: unknown): string {
  return isGroup(value) && typeof value.name === 'string' ? `policy "${value.name}"` : 'the policy';
}
