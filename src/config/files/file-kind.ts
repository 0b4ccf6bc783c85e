import { CcbenchError } from '../../core/base/errors.js';
import { isGroup } from '../../core/base/problem.js';

/** What a YAML file is meant as, where its keys leave no doubt. */
export function kindOfFile(value: unknown): 'scenario' | 'policy' | null {
  if (!isGroup(value)) return null;
  const isScenario = ['transcript', 'transcripts', 'sessions'].some((key) => Object.hasOwn(value, key));
  const isPolicy = Object.hasOwn(value, 'rules');
  if (isScenario === isPolicy) return null;
  return isScenario ? 'scenario' : 'policy';
}

/** The error where a file of one kind is given for another: the keys that it lacks would say less. */
export function wrongKind(file: string, is: string, wanted: string, hint: string): CcbenchError {
  return new CcbenchError('bad-scenario', `this is ${is}, not ${wanted}`, {
    place: { file, line: 1, column: 1 },
    hint,
  });
}
