import { CcbenchError, ProblemList } from '../../src/core/base/errors.js';

/** What an act throws; null where it throws nothing. */
export function thrownBy(act: () => unknown): unknown {
  try {
    act();
    return null;
  } catch (error) {
    return error;
  }
}

/** How the program refuses an act; null where it does not. */
export function refusalOf(act: () => unknown): CcbenchError | null {
  const error = thrownBy(act);
  if (error !== null && !(error instanceof CcbenchError)) throw error;
  return error;
}

/** All problems for which the program refuses an act. */
export function refusalsOf(act: () => unknown): readonly CcbenchError[] {
  const refusal = refusalOf(act);
  if (refusal !== null && !(refusal instanceof ProblemList)) throw refusal;
  return refusal?.problems ?? [];
}
