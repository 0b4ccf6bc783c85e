import { CcbenchError, isGroup, type Path, valueAt } from '../../core/base/errors.js';
import type { Provider } from '../../core/run/provider.js';
import type { ModelBook } from '../../provider/prices/model-book.js';
import { isServedBy, providerRegistry } from '../../provider/providers/providers.js';
import { readProvider } from '../../provider/providers/read-provider.js';
import { list } from '../check/checker.js';
import type { ProblemCollector } from '../load.js';
import { placedProblems, readDocument, replaceAt, type ScenarioDocument } from './document.js';
import type { ReadPolicyText } from './lift-policies.js';
import { isFileName, stem } from './policy-file.js';

/** What a provider file says: the provider unless it cannot be used, and what is wrong with it. */
interface ProviderFile {
  readonly provider: Provider | null;
  readonly document: ScenarioDocument | null;
  readonly problems: readonly CcbenchError[];
}

/** Reads a provider file; every problem has its place. */
export function readProviderFile(text: string, file: string): ProviderFile {
  const { document, problems: found } = readDocument(text, file, 'provider');
  if (document === null) return { provider: null, document, problems: found };
  const problems: CcbenchError[] = [...found];
  const report = placedProblems(document, text, (error) => problems.push(error));
  const provider = readProvider(document.value, { name: stem(file) }, report);
  if (provider !== null && providerRegistry.has(provider.name))
    problems.push(
      new CcbenchError('duplicate-name', `another provider is already called "${provider.name}"`, {
        place: document.placeOf(['name']),
        hint: 'give this one another `name:`',
      }),
    );
  return { provider, document, problems };
}

/** What is wrong with a provider's representative model: it is unknown, or another provider serves it. */
export function modelProblem({ provider, document }: ProviderFile, models: ModelBook): CcbenchError | null {
  if (provider === null || document === null) return null;
  const place = document.placeOf(['model']);
  const { defaultModel, name, serves } = provider;
  const row = models.find(defaultModel);
  if (row !== null && isServedBy(provider, row)) return null;
  const whose = row === null ? 'is in no table' : `is a model of ${row.provider}`;
  return new CcbenchError(
    'bad-value',
    `\`${defaultModel}\` ${whose}, and ${name} serves those of ${serves}`,
    {
      place,
      hint: `write \`serves:\` and one of its models, or add the model in the scenario with \`provider: ${serves}\``,
    },
  );
}

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
