import { isFileName } from '../../../config/files/file-name.js';
import { policyTexts } from '../../../config/files/policy-text.js';
import { modelProblem, readProviderFile } from '../../../config/files/provider-file.js';
import { scenarioProblems } from '../../../config/load.js';
import type { Provider } from '../../../core/run/provider.js';
import { MODELS } from '../../../provider/prices/models.js';
import { providerRegistry } from '../../../provider/providers/providers.js';

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
