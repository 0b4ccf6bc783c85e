import { isReadBy } from '../../agent/policies/param-readers.js';
import { planPolicy } from '../../agent/policies/plan-policy.js';
import type { Policy } from '../../agent/policies/policy.js';
import { CcbenchError, isGroup, type Path, type Place, valueAt } from '../../core/base/errors.js';
import { unknownName } from '../../core/base/registry.js';
import type { PlannedPolicy } from '../../core/run/run-plan.js';
import { list } from '../check/checker.js';
import type { PolicyCatalogue } from '../context.js';
import type { ProblemCollector } from '../load.js';
import { replaceAt, type ScenarioDocument } from './document.js';
import { isFileName, readPolicyAt, readPolicyFile } from './policy-file.js';

/** Brings the text of a file that a scenario or an option names; throws a CcbenchError where there is none. */
export type ReadPolicyText = (
  written: string,
  place: Place,
) => { readonly text: string; readonly file: string };

/** A scenario whose policies are names, and the policies that its files and itself define. */
export interface LiftedPolicies {
  readonly document: ScenarioDocument;
  readonly policies: PolicyCatalogue;
  /** Names of policies by the files they come from. */
  readonly files: ReadonlyMap<string, string>;
}

/** Takes policies out of a scenario that are written in place or in files of their own, and puts their names there. */
export function liftPolicies(
  document: ScenarioDocument,
  catalogue: PolicyCatalogue,
  readText: ReadPolicyText | undefined,
  problems: ProblemCollector,
  text: string,
  onWarning: (doubt: CcbenchError) => void = () => {},
): LiftedPolicies {
  const found = new Map<string, Policy>();
  const files = new Map<string, string>();
  const names = new Map<string, string>();
  const take = (policy: Policy, path: Path): string => {
    const other = found.get(policy.name);
    if (catalogue.names.includes(policy.name) || (other !== undefined && other.written !== policy.written)) {
      problems.add(
        path,
        new CcbenchError('duplicate-name', `another policy is already called "${policy.name}"`, {
          place: document.placeOf(path),
          hint: 'give this one another `name:`',
        }),
      );
    }
    found.set(policy.name, policy);
    return policy.name;
  };
  let { value } = document;
  for (const path of placesOf(value)) {
    const written = valueAt(value, path);
    if (isGroup(written) && Object.hasOwn(written, 'rules')) {
      const variant = path[0] === 'variants' ? valueAt(value, [path[0], path[1]!, 'name']) : null;
      const scenario = isGroup(value) ? value.name : null;
      const name = String(variant ?? scenario ?? 'own');
      const inline = readPolicyAt(document, path, `${name}-policy`, text);
      problems.addAll(inline.problems);
      inline.warnings.forEach(onWarning);
      value = replaceAt(
        value,
        path,
        inline.policy === null ? catalogue.names[0]! : take(inline.policy, path),
      );
    } else if (
      typeof written === 'string' &&
      isFileName(written) &&
      readText !== undefined &&
      !catalogue.names.includes(written)
    ) {
      let name = names.get(written);
      if (name === undefined) {
        name = catalogue.names[0]!;
        try {
          const { text: ofFile, file } = readText(written, document.placeOf(path));
          const read = readPolicyFile(ofFile, file);
          problems.addAll(read.problems);
          read.warnings.forEach(onWarning);
          if (read.policy !== null) {
            name = take(read.policy, path);
            files.set(written, name);
          }
        } catch (error) {
          if (!(error instanceof CcbenchError)) throw error;
          problems.addAll([error]);
        }
        names.set(written, name);
      }
      value = replaceAt(value, path, name);
    } else if (typeof written === 'string' && !catalogue.names.includes(written)) {
      const file = `./${written}.yaml`;
      const place = document.placeOf(path);
      if (readText !== undefined && isThere(file, place, readText))
        problems.add(
          path,
          new CcbenchError('unknown-name', `unknown policy "${written}"`, {
            place,
            hint: `there is a file of that name: write ${file}`,
          }),
        );
    }
  }
  return { document: { ...document, value }, policies: withPolicies(catalogue, found), files };
}

/** Whether a policy file can be read. */
function isThere(written: string, place: Place, readText: ReadPolicyText): boolean {
  try {
    readText(written, place);
    return true;
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    return false;
  }
}

/** Where a scenario may name or write a policy. */
function placesOf(value: unknown): readonly Path[] {
  if (!isGroup(value)) return [];
  const tops: readonly Path[] = [[], ...list(value.variants).map((_, i): Path => ['variants', i])];
  return tops.flatMap((top) => [
    [...top, 'policy'],
    [...top, 'policy', 'use'],
  ]);
}

/** A catalogue with policies of files beside its own. */
export function withPolicies(catalogue: PolicyCatalogue, more: ReadonlyMap<string, Policy>): PolicyCatalogue {
  if (more.size === 0) return catalogue;
  const names = [...catalogue.names, ...more.keys()];
  const plan = (name: string, set: Readonly<Record<string, unknown>>): PlannedPolicy => {
    const policy = more.get(name);
    return policy === undefined ? catalogue.plan(name, set) : planPolicy(policy, set);
  };
  return {
    ...catalogue,
    names,
    plan,
    resolve: (name, set) => {
      if (!names.includes(name)) throw unknownName('policy', name, names);
      return plan(name, set).params;
    },
    reads: (name, path) => {
      const policy = more.get(name);
      return policy === undefined ? catalogue.reads(name, path) : isReadBy(policy, path);
    },
  };
}
