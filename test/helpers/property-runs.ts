/** Cases of the long properties: as many as usual, or what CCBENCH_RUNS says; the seed is CCBENCH_SEED (`property-settings.ts`). */
export function propertyRuns(usual: number): number {
  return Number(process.env.CCBENCH_RUNS ?? usual);
}
