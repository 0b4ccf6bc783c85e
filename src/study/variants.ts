import { type CompiledRun, compileScenario, type ScenarioSource } from '../config/compile.js';
import { builtinContext, type ScenarioContext } from '../config/context.js';
import { canonicalJson, createSha256 } from '../core/base/digest.js';
import { CcbenchError, ProblemList } from '../core/base/errors.js';
import { checkCassette } from '../provider/fake-llm/summaries/cassette.js';
import { splitValues } from './vary.js';

/** A row of a comparison: one plan for each transcript. */
export interface Variant {
  readonly name: string;
  readonly runs: readonly CompiledRun[];
  /** Changes of the command line that lead to it, as `path=value`. */
  readonly set: readonly string[];
  /** Its variant in the file; null for the base. */
  readonly variant: string | null;
}

/** The setting that `--predict` stands for. */
export const PREDICTED = 'mode=predict';

/** What the command line makes variants from. */
export interface VariantChoices {
  readonly policies: readonly string[];
  /** `path=v1,v2`: several values make variants, a single one is set for all. */
  readonly set: readonly string[];
  /** Single values are named too; they are not where absent. */
  readonly names?: 'all';
}

interface Choice {
  readonly set: string;
  /** Null when there was nothing to choose. */
  readonly label: string | null;
}

function choicesOf(choices: VariantChoices): readonly (readonly Choice[])[] {
  const isNamed = (values: readonly string[]): boolean => values.length > 1 || choices.names === 'all';
  const names = [...new Set(choices.policies)];
  const policies = names.map((name) => ({
    set: `policy=${JSON.stringify(name)}`,
    label: isNamed(names) ? name : null,
  }));
  const paths = new Set<string>();
  const settings = choices.set.map((text) => {
    const equals = text.indexOf('=');
    const named = text.slice(0, equals);
    if (equals > 0 && paths.has(named))
      throw new CcbenchError('bad-usage', `--set names ${named} twice`, {
        hint: `give all its values at once: --set ${named}=…,…`,
      });
    paths.add(named);
    if (equals <= 0) return [{ set: text, label: null }];
    const values = [...new Set(splitValues(text.slice(equals + 1)))];
    return values
      .map((value) => `${named}=${value}`)
      .map((set) => ({ set, label: isNamed(values) ? set : null }));
  });
  return [policies, ...settings].filter((list) => list.length > 0);
}

/** Digest of everything that runs depend on besides their names: equal ones are one variant. */
function identity(runs: readonly CompiledRun[]): string {
  const digest = createSha256();
  for (const { plan, transcript } of runs) digest.add(canonicalJson([{ ...plan, name: '' }, transcript]));
  return digest.hex();
}

/**
 * The variants of a scenario: those of its file, for every combination of the values that the command line gives. A variant of the
 * file that two combinations would run alike is there once. A problem that every combination has is reported once.
 */
export function variantsOf(
  source: ScenarioSource,
  choices: VariantChoices,
  world: ScenarioContext = builtinContext,
): readonly Variant[] {
  let combinations: (readonly Choice[])[] = [[]];
  for (const list of choicesOf(choices))
    combinations = combinations.flatMap((known) => list.map((choice) => [...known, choice]));
  const variants: Variant[] = [];
  const madeBy = new Map<string, readonly Choice[]>();
  const problems = new Map<string, CcbenchError>();
  for (const combination of combinations) {
    const set = [...source.set, ...combination.map((choice) => choice.set)];
    try {
      const varied = combination.flatMap((choice) => (choice.label === null ? [] : [choice.set]));
      const { runs } = compileScenario({ ...source, set, varied }, world);
      for (const { plan } of runs) checkCassette(plan);
      const label = combination.flatMap((choice) => choice.label ?? []).join(', ');
      const names = [...new Set(runs.map((run) => run.variant))];
      for (const variant of names) {
        const own = runs.filter((run) => run.variant === variant);
        const parts = [label, variant ?? ''].filter((part) => part !== '');
        const name = parts.length === 0 ? 'base' : parts.join(', ');
        // Only variants of the file can be alike: over thousands of sessions a digest takes long.
        if (names.length > 1) {
          const key = identity(own);
          const isTwin = variant !== null && madeBy.has(key) && madeBy.get(key) !== combination;
          if (isTwin) continue;
          if (!madeBy.has(key)) madeBy.set(key, combination);
        }
        variants.push({ name, runs: own, set, variant });
      }
    } catch (error) {
      if (!(error instanceof CcbenchError)) throw error;
      for (const problem of error instanceof ProblemList ? error.problems : [error])
        problems.set(`${problem.place?.file}:${problem.place?.line} ${problem.message}`, problem);
    }
  }
  if (problems.size === 1) throw [...problems.values()][0]!;
  if (problems.size > 1) throw new ProblemList('bad-scenario', source.file, [...problems.values()]);
  return variants;
}
