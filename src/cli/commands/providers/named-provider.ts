import { MODELS } from '../../../cache/models.js';
import { providerRegistry } from '../../../cache/providers.js';
import { policyTexts } from '../../../files/policy-text.js';
import type { Provider } from '../../../model/provider.js';
import { isFileName } from '../../../scenario/file-name.js';
import { scenarioProblems } from '../../../scenario/load.js';
import { modelProblem, readProviderFile } from '../../../scenario/provider-file.js';

/** A provider by its name or its file; a file that cannot be used is refused with every problem, for a `replay` also one without a model. */
export function namedProvider(name: string, cwd: string, use: 'show' | 'replay'): Provider {
  if (providerRegistry.has(name) || !isFileName(name)) return providerRegistry.get(name);
  const { text } = policyTexts(null, cwd)(name, { file: name });
  const file = readProviderFile(text, name);
  const wrongModel = use === 'show' ? null : modelProblem(file, MODELS);
  const problems = wrongModel === null ? file.problems : [...file.problems, wrongModel];
  if (file.provider !== null && problems.length === 0) return file.provider;
  throw problems.length === 1 ? problems[0]! : scenarioProblems(name, problems);
}
