import { layerRegistry } from '../../agent/layers/registry.js';
import { planPolicy } from '../../agent/policies/plan-policy.js';
import { type Policy, policyFrom } from '../../agent/policies/policy.js';
import { type ReadPolicy, readPolicy } from '../../agent/policy-file/read-policy.js';
import { CcbenchError, isGroup, type Path } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import { resolveModel } from '../../provider/prices/models.js';
import { kindOfFile, placedProblems, readDocument, type ScenarioDocument, wrongKind } from './document.js';

/** Whether a policy or a provider is named by its file. */
export function isFileName(name: string): boolean {
  return /\.ya?ml$/i.test(name) || /^(?:\.{1,2}[\\/]|[\\/]|~[\\/])/.test(name);
}

/** A name made of a file's: `agents/my-agent.yaml` is `my-agent`. */
export function stem(file: string): string {
  return (file.split(/[\\/]/).at(-1) ?? file).replace(/\.ya?ml$/i, '');
}

/** What a policy file says: the policy unless it cannot be used, and what is wrong with it. */
export interface PolicyFile {
  readonly policy: Policy | null;
  readonly read: ReadPolicy | null;
  readonly problems: readonly CcbenchError[];
  /** What leaves it usable. */
  readonly warnings: readonly CcbenchError[];
}

/** Reads a policy file; every problem has its place. */
export function readPolicyFile(text: string, file: string): PolicyFile {
  const { document, problems } = readDocument(text, file, 'policy');
  if (document === null) return { policy: null, read: null, problems, warnings: [] };
  if (kindOfFile(document.value) === 'scenario')
    return {
      policy: null,
      read: null,
      problems: [wrongKind(file, 'a scenario', 'a policy file', 'ccbench run runs it')],
      warnings: [],
    };
  const found = readPolicyAt(document, [], stem(file), text);
  return { ...found, problems: [...problems, ...found.problems] };
}

/** Reads the policy at a path of a document. */
export function readPolicyAt(
  document: ScenarioDocument,
  path: Path,
  name: string,
  text: string | null,
): PolicyFile {
  const problems: CcbenchError[] = [];
  const warnings: CcbenchError[] = [];
  const value = path.reduce<unknown>(
    (at, key) => ownValue(at as Record<string | number, unknown>, key),
    document.value,
  );
  const report = placedProblems(document, text, (error, { weight }) =>
    (weight === 'error' ? problems : warnings).push(error),
  );
  const read = readPolicy(value, { name }, report, path);
  const policy = read === null || !isGroup(value) ? null : policyFrom(read, value, 'file');
  if (read !== null && policy !== null)
    for (const { at, error } of outerProblems(read, policy))
      problems.push(
        new CcbenchError(error.code, error.message, {
          place: document.placeOf([...path, ...at]),
          ...(error.hint === null ? {} : { hint: error.hint }),
        }),
      );
  return { policy, read, problems, warnings };
}

/** A problem with what a policy names outside its rules, and the path of the name. */
interface OuterProblem {
  readonly at: Path;
  readonly error: CcbenchError;
}

/** What is wrong with the layers, the client, the parameters and the models that a policy names. */
function outerProblems({ head, rules }: ReadPolicy, policy: Policy): readonly OuterProblem[] {
  const problems: OuterProblem[] = [];
  const check = (at: Path, work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof CcbenchError)) throw error;
      problems.push({ at, error });
    }
  };
  const listed = Array.isArray(policy.written?.layers);
  head.layers.forEach((layer, i) => {
    check(listed ? ['layers', i] : ['layers'], () => void layerRegistry.get(layer));
  });
  rules.rules.forEach(({ ask }, i) => {
    if (ask !== null && ask.model !== null)
      check(['rules', i, 'ask', 'model'], () => void resolveModel(ask.model!));
  });
  if (problems.length > 0) return problems;
  const bare = { ...policy, set: {} };
  check(['client'], () => void planPolicy(bare, {}));
  if (problems.length > 0) return problems;
  for (const path of Object.keys(head.set))
    check(['set', path], () => void planPolicy(bare, { [path]: ownValue(head.set, path) }));
  if (problems.length === 0) check(['set'], () => void planPolicy(policy, {}));
  return problems;
}
