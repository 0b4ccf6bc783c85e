import { CcbenchError } from '../../core/base/errors.js';
import type { Provider } from '../../core/run/provider.js';
import type { ModelBook } from '../../provider/prices/model-book.js';
import { isServedBy, providerRegistry } from '../../provider/providers/providers.js';
import { readProvider } from '../../provider/providers/read-provider.js';
import { readDocument, type ScenarioDocument } from './document.js';
import { stem } from './file-name.js';
import { placedProblems } from './file-problems.js';

/** What a provider file says: the provider unless it cannot be used, and what is wrong with it. */
export interface ProviderFile {
  readonly provider: Provider | null;
  readonly document: ScenarioDocument | null;
  readonly problems: readonly CcbenchError[];
}

/** Reads a provider file; every problem has its place. */
export function readProviderFile(text: string, file: string): ProviderFile {
  const { document, problems: found } = readDocument(text, file, 'provider');
  if (document === null) return { provider: null, document, problems: found };
  const problems: CcbenchError[] = [...found];
  const tell = placedProblems(document, text, (error) => problems.push(error));
  const provider = readProvider(document.value, { name: stem(file) }, tell);
  if (provider !== null && providerRegistry.has(provider.name))
    problems.push(
      new CcbenchError('duplicate-name', `another provider is called "${provider.name}" already`, {
        place: document.placeOf(['name']),
        hint: 'give this one another `name:`',
      }),
    );
  return { provider, document, problems };
}

/** What is wrong with the model that stands for a provider: nobody knows it, or another one serves it. */
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
