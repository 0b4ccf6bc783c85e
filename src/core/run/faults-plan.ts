/** How much of what a compaction summarises its summary still tells: nothing, everything, or as fitted to recordings. */
export const SURVIVALS = ['none', 'all', 'fitted'] as const;
export type Survival = (typeof SURVIVALS)[number];

/** What a run does about content that is needed and gone. */
export interface FaultsPlan {
  readonly survival: Survival;
  /** `on`: what is fetched again is part of the run: its request, its result, its time. */
  readonly refetch: 'on' | 'off';
}

/** Bounds are shown; nothing is added to a run. */
export const DEFAULT_FAULTS: FaultsPlan = { survival: 'fitted', refetch: 'off' };

/**
 * Share of the tokens needed within 24 calls of a compaction that are fetched again in them, beyond what sessions without one fetch:
 * 30 compactions of Claude Code, 32 of Codex. 90 % intervals 0.34 to 0.61 and 0.23 to 0.55 (docs/faults.md).
 */
const FETCHED_AGAIN = { codex: 0.36, other: 0.46 } as const;

/** What became of an item that is needed: `told` where a summary may tell it. */
type Fate = 'told' | 'untold';

/** Chance that an item of a recording has to be fetched, as fitted. */
export function fittedChance(fate: Fate, source: string): number {
  if (fate === 'untold') return 1;
  return source === 'codex' ? FETCHED_AGAIN.codex : FETCHED_AGAIN.other;
}

/** The same where summaries tell nothing, everything, or what is fitted. A chance of 1 is that of an item that no summary tells. */
export function chanceUnder(survival: Survival, fitted: number): number {
  if (survival === 'fitted' || fitted === 1) return fitted;
  return survival === 'none' ? 1 : 0;
}

/** The least that faults come to in the window of a run, whatever is kept: how many if summaries tell nothing, and what fetching again brings and costs at once under the survival of the plan, in nano-dollars. */
export interface LeastFaults {
  readonly leastFaults: number;
  readonly leastRefetchTokens: number;
  readonly leastRefetchCost: number;
}
