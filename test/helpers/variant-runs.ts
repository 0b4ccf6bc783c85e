import type { VariantRuns } from '../../src/study/completeness.js';

/** Runs by session: calls answered, calls lost, cost and kept share; null for a run that failed. */
export type Runs = Readonly<Record<string, readonly [number, number, number, number?] | null>>;

/** A variant with such runs. */
export function variantOf(name: string, runs: Runs): VariantRuns {
  return {
    name,
    byTranscript: new Map(
      Object.entries(runs).map(([session, run]) => {
        if (run === null) return [session, null];
        const [callsAnswered, callsLost, costUsd, contentRetention = 1] = run;
        const calls = callsAnswered + callsLost;
        const finishedShare = calls === 0 ? null : callsAnswered / calls;
        return [session, { finishedShare, callsAnswered, callsLost, costUsd, contentRetention }];
      }),
    ),
  };
}
