import { quantile, ratio, sum } from '../../core/base/stats.js';
import type { Transcript } from '../../core/model/transcript.js';
import { changedPlan, runChanged } from '../what-if.js';

/** A recording as the base of a what-if, and with its compactions left to the policy; nano-dollars of input. */
export interface WhatIfSession {
  readonly recordedNano: number;
  readonly simulatedNano: number;
  /** What the policy makes of it when it decides for itself, and how far that may be off; 0 where it never compacts. */
  readonly freeNano: number;
  readonly offNano: number;
}

/** How well what-ifs start from what happened, as shares; null where there is nothing to compare. */
export interface WhatIfFigures {
  readonly sessions: number;
  /** Relative error of a session's input cost under its own client. */
  readonly costErrorMedian: number | null;
  readonly costErrorP90: number | null;
  /** Signed error of all sessions together. */
  readonly net: number | null;
  /** Sessions that the policy compacts by itself, and the share of them whose recorded cost lies in the stated 90 % interval. */
  readonly compacted: number;
  readonly intervalCoverage90: number | null;
}

/** Runs a recording as the base of a what-if; null where nothing can be taken from it. */
export function runWhatIf(transcript: Transcript): WhatIfSession | null {
  const plan = changedPlan(transcript);
  const found = runChanged(plan, transcript).run?.transcript.reproduced;
  if (found === undefined || found.recordedNano === 0) return null;
  let freeNano = 0;
  const { costInterval } = runChanged(plan, transcript, {
    course: 'free',
    hear(entry) {
      if (entry.type === 'request' && (entry.purpose === 'main' || entry.purpose === 'subagent'))
        freeNano += entry.cost - entry.outputCost;
    },
  });
  const offNano = costInterval === null ? 0 : (costInterval.high - costInterval.low) / 2;
  return { recordedNano: found.recordedNano, simulatedNano: found.simulatedNano, freeNano, offNano };
}

/** The figures of several sessions. */
export function whatIfFigures(sessions: readonly WhatIfSession[]): WhatIfFigures {
  const errors = sessions.map(({ recordedNano, simulatedNano }) =>
    Math.abs(simulatedNano / recordedNano - 1),
  );
  const recorded = sum(sessions.map(({ recordedNano }) => recordedNano));
  const simulated = sum(sessions.map(({ simulatedNano }) => simulatedNano));
  const compacted = sessions.filter(({ offNano }) => offNano > 0);
  const held = compacted.filter(
    ({ recordedNano, freeNano, offNano }) => Math.abs(freeNano - recordedNano) <= offNano,
  );
  return {
    sessions: sessions.length,
    costErrorMedian: quantile(errors, 0.5),
    costErrorP90: quantile(errors, 0.9),
    net: ratio(simulated - recorded, recorded),
    compacted: compacted.length,
    intervalCoverage90: ratio(held.length, compacted.length),
  };
}
