import { CcbenchError, type ErrorDetails, isGroup, type Path } from '../../core/base/errors.js';
import type { ScenarioContext } from '../context.js';
import type { ScenarioDocument } from '../files/document.js';
import type { ProblemCollector } from '../load.js';

/** What the checks of meaning work with. Values may have any shape: what the schema refused is passed over. */
export interface Checker {
  readonly document: ScenarioDocument;
  readonly context: ScenarioContext;
  readonly problems: ProblemCollector;
}

/** The value as a group; empty when it is something else. */
export function group(value: unknown): Readonly<Record<string, unknown>> {
  return isGroup(value) ? value : {};
}

/** The value as a list; empty when it is something else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Adds a problem at the value of a path. */
export function refuse({ document, problems }: Checker, path: Path, sentence: string, hint?: string): void {
  const place = document.placeOf(path);
  problems.add(
    path,
    new CcbenchError('bad-value', sentence, hint === undefined ? { place } : { place, hint }),
  );
}

/** Runs the check of another part and adds the place to what it throws. */
export function consult(checker: Checker, path: Path, side: 'key' | 'value', ask: () => void): void {
  try {
    ask();
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    const place = side === 'key' ? checker.document.placeOfKey(path) : checker.document.placeOf(path);
    const details: ErrorDetails = error.hint === null ? { place } : { place, hint: error.hint };
    checker.problems.add(path, new CcbenchError(error.code, error.message, { ...details, cause: error }));
  }
}
