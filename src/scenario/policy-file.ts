import { CcbenchError, type Place } from '../base/errors.js';
import { type ReadPolicy, readPolicy } from '../parts/read-policy.js';
import { isGroup, type PartProblem } from '../parts/shape.js';
import { policyFrom } from '../policies/parts-policy.js';
import type { Policy } from '../policies/policy.js';
import { type Path, readDocument, type ScenarioDocument } from './document.js';

/** What a policy file says: the policy unless it cannot be used, and what is wrong with it. */
export interface PolicyFile {
  readonly policy: Policy | null;
  readonly read: ReadPolicy | null;
  readonly problems: readonly CcbenchError[];
  /** What leaves it usable. */
  readonly warnings: readonly CcbenchError[];
}

/** A name made of a file's: `agents/my-agent.yaml` is `my-agent`. */
function stem(file: string): string {
  return (file.split(/[\\/]/).at(-1) ?? file).replace(/\.ya?ml$/i, '');
}

/** Reads a policy file; every problem has its place. */
export function readPolicyFile(text: string, file: string): PolicyFile {
  const { document, problems } = readDocument(text, file, 'policy');
  if (document === null) return { policy: null, read: null, problems, warnings: [] };
  const found = readPolicyAt(document, [], stem(file), text);
  return { ...found, problems: [...problems, ...found.problems] };
}

/** Reads the policy that stands at a path of a document. */
export function readPolicyAt(
  document: ScenarioDocument,
  path: Path,
  name: string,
  text: string | null,
): PolicyFile {
  const problems: CcbenchError[] = [];
  const warnings: CcbenchError[] = [];
  const value = path.reduce<unknown>(
    (at, key) => (at as Record<string | number, unknown>)[key],
    document.value,
  );
  const tell = (problem: PartProblem): void => {
    const { message, hint, weight } = problem;
    const place = placeOf(document, problem, text);
    const error = new CcbenchError('bad-value', message, { place, ...(hint === null ? {} : { hint }) });
    (weight === 'error' ? problems : warnings).push(error);
  };
  const read = readPolicy(value, { name }, tell, path);
  const policy = read === null || !isGroup(value) ? null : policyFrom(read, value, 'file');
  return { policy, read, problems, warnings };
}

/** Where a problem stands; one about a character of a value is shown at that character. */
function placeOf(
  document: ScenarioDocument,
  { path, side, offset }: PartProblem,
  text: string | null,
): Place {
  if (side === 'key') return document.placeOfKey(path);
  const place = document.placeOf(path);
  if (offset === null || place.line === undefined || place.column === undefined) return place;
  const line = text?.split(/\r?\n/)[place.line - 1] ?? '';
  const quote = /["']/.test(line[place.column - 1] ?? '') ? 1 : 0;
  return { ...place, column: place.column + quote + offset };
}
