import { CcbenchError, type Place } from '../../core/base/errors.js';
import { isGroup, type Problem, type Problems } from '../../core/base/problem.js';
import type { ScenarioDocument } from './document.js';

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

/** Takes in problems and hands them on as errors with their places in a document, whose text shows where values begin. */
export function placedProblems(
  document: ScenarioDocument,
  text: string | null,
  add: (error: CcbenchError, problem: Problem) => void,
): Problems {
  return (problem) => {
    const { code, message, hint } = problem;
    const place = placeOf(document, problem, text);
    add(new CcbenchError(code, message, { place, ...(hint === null ? {} : { hint }) }), problem);
  };
}

/** Where a problem is; one about a character of a value is shown at that character. */
function placeOf(document: ScenarioDocument, { path, side, offset }: Problem, text: string | null): Place {
  if (side === 'key') return document.placeOfKey(path);
  const place = document.placeOf(path);
  if (offset === null || place.line === undefined || place.column === undefined) return place;
  const line = text?.split(/\r?\n/)[place.line - 1] ?? '';
  const quote = /["']/.test(line[place.column - 1] ?? '') ? 1 : 0;
  return { ...place, column: place.column + quote + offset };
}
