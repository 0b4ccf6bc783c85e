/** Cases of the long properties: as many as usual, few enough for every check, or what CCBENCH_RUNS says (`npm run soak -- --runs`); the seed is CCBENCH_SEED (`property-settings.ts`). */
export function propertyRuns(usual: number): number {
  return Number(process.env.CCBENCH_RUNS ?? usual);
}
