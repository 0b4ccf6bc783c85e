import { CcbenchError, type Place } from '../../core/base/errors.js';
import type { PartProblem, Problems } from '../../core/base/shape.js';
import type { ScenarioDocument } from './document.js';

/** What is wrong with a file: what keeps it from being used, and what leaves it usable. */
export interface FoundProblems {
  readonly problems: CcbenchError[];
  readonly warnings: CcbenchError[];
}

/** Puts what shapes find into lists, each with its place in the document. */
export function placedProblems(
  document: ScenarioDocument,
  text: string | null,
  { problems, warnings }: FoundProblems,
): Problems {
  return (problem) => {
    const { message, hint, weight } = problem;
    const place = placeOf(document, problem, text);
    const error = new CcbenchError('bad-value', message, { place, ...(hint === null ? {} : { hint }) });
    (weight === 'error' ? problems : warnings).push(error);
  };
}

/** Where a problem stands; one about a character of a value is shown at that character. */
function placeOf(
  document: ScenarioDocument,
  { path, side, offset }: PartProblem,
  text: string | null,
): Place {
  if (side === 'key') return document.placeOfKey(path);
  const place = document.placeOf(path);
  if (offset === null || place.line === undefined || place.column === undefined) return place;
  const line = text?.split(/\r?\n/)[place.line - 1] ?? '';
  const quote = /["']/.test(line[place.column - 1] ?? '') ? 1 : 0;
  return { ...place, column: place.column + quote + offset };
}
