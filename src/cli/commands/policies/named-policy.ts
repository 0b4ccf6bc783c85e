import { policyRegistry } from '../../../agent/policies/catalogue.js';
import type { Policy } from '../../../agent/policies/policy.js';
import type { KnownOutput } from '../../../agent/policy-file/sentences.js';
import { isFileName, type PolicyFile, readPolicyFile } from '../../../config/files/policy-file.js';
import { policyTexts } from '../../../config/files/policy-text.js';
import { scenarioProblems } from '../../../config/load.js';
import { CcbenchError, type ProblemList } from '../../../core/base/errors.js';
import { resolveModel } from '../../../provider/prices/models.js';

/** Reads a policy file that a command names. */
export function readNamedFile(file: string, cwd: string): PolicyFile {
  if (policyRegistry.has(file))
    throw new CcbenchError('bad-usage', `${file} is a policy that comes with ccbench, not a file`, {
      hint: `ccbench policies show ${file} says what it does`,
    });
  const { text } = policyTexts(null, cwd)(file, { file });
  return readPolicyFile(text, file);
}

/** A policy by its name or its file; a file that cannot be used is refused with every problem. */
export function namedPolicy(name: string, cwd: string): Policy {
  if (policyRegistry.has(name) || !isFileName(name)) return policyRegistry.get(name);
  const { policy, problems } = readNamedFile(name, cwd);
  if (policy !== null && problems.length === 0) return policy;
  throw problems.length === 1
    ? problems[0]!
    : (scenarioProblems(name, problems) as ProblemList | CcbenchError);
}

/** The longest answer that a policy is explained with: one that is given, or that of a model. */
export function outputLimit({
  model,
  maxOutput,
}: {
  readonly model: string;
  readonly maxOutput?: number;
}): KnownOutput {
  return maxOutput === undefined
    ? { maxOutput: resolveModel(model).maxOutput, whose: `that of ${model}` }
    : { maxOutput, whose: 'as given' };
}
