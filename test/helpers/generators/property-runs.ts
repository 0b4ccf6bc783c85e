import { IN_FULL } from '../setup/in-full.js';

/** The fast suite runs a tenth of the cases of the long properties. */
const FAST_SHARE = 10;
const FEWEST = 4;

/**
 * Cases of a long property: as many as usual in the full suite, few in the fast one, or what CCBENCH_RUNS says (`npm run soak -- --runs`). The
 * seed is CCBENCH_SEED (`property-settings.ts`).
 */
export function propertyRuns(usual: number): number {
  const { CCBENCH_RUNS } = process.env;
  if (CCBENCH_RUNS !== undefined) return Number(CCBENCH_RUNS);
  return IN_FULL ? usual : Math.max(FEWEST, Math.round(usual / FAST_SHARE));
}
