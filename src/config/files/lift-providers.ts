import { CcbenchError } from '../../core/base/errors.js';
import { isGroup, type Path, valueAt } from '../../core/base/problem.js';
import type { Provider } from '../../core/run/provider.js';
import type { ModelBook } from '../../provider/prices/model-book.js';
import { list } from '../check/checker.js';
import type { ProblemCollector } from '../load.js';
import { replaceAt, type ScenarioDocument } from './document.js';
import { isFileName, stem } from './file-name.js';
import type { ReadPolicyText } from './lift-policies.js';
import { modelProblem, type ProviderFile, readProviderFile } from './provider-file.js';

/** A scenario whose providers are names, and those that its files define. */
export interface LiftedProviders {
  readonly document: ScenarioDocument;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Their names, and those of files that cannot be used: what is wrong with them is said once. */
  readonly names: readonly string[];
  /** Refuses those whose models the tables do not have. */
  checkModels(models: ModelBook): void;
}

/** Takes providers out of a scenario that are in files of their own, and puts their names there. */
export function liftProviders(
  document: ScenarioDocument,
  readText: ReadPolicyText | undefined,
  problems: ProblemCollector,
): LiftedProviders {
  const files = new Map<string, ProviderFile>();
  let { value } = document;
  for (const path of readText === undefined ? [] : placesOf(value)) {
    const written = valueAt(value, path);
    if (typeof written !== 'string' || !isFileName(written)) continue;
    let file = files.get(written);
    if (file === undefined) {
      file = readFile(() => readText!(written, document.placeOf(path)));
      files.set(written, file);
      problems.addAll(file.problems);
    }
    // One that cannot be used is said already: null is a provider that is not written.
    value = replaceAt(value, path, file.provider?.name ?? null);
  }
  const providers = new Map<string, Provider>();
  for (const [written, { provider }] of files) {
    if (provider === null) continue;
    if (providers.has(provider.name))
      problems.addAll([
        new CcbenchError('duplicate-name', `two files have a provider "${provider.name}"`, {
          hint: `give that of ${written} another \`name:\``,
        }),
      ]);
    providers.set(provider.name, provider);
  }
  return {
    document: { ...document, value },
    providers,
    names: [...files].map(([written, { provider }]) => provider?.name ?? stem(written)),
    checkModels(models) {
      for (const file of files.values()) {
        const problem = modelProblem(file, models);
        if (problem !== null) problems.addAll([problem]);
      }
    },
  };
}

function readFile(read: () => { readonly text: string; readonly file: string }): ProviderFile {
  try {
    const { text, file } = read();
    return readProviderFile(text, file);
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    return { provider: null, document: null, problems: [error] };
  }
}

/** Where a scenario may name a provider. */
function placesOf(value: unknown): readonly Path[] {
  if (!isGroup(value)) return [];
  return [['provider'], ...list(value.variants).map((_, i): Path => ['variants', i, 'provider'])];
}
