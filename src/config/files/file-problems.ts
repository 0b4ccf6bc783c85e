import { CcbenchError, type Place } from '../../core/base/errors.js';
import type { Problem, Problems } from '../../core/base/problem.js';
import type { ScenarioDocument } from './document.js';

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
