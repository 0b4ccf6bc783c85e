import type { Transcript } from '../../../../core/model/transcript.js';
import type { RunPlan } from '../../../../core/run/run-plan.js';
import { replay } from '../../../../engine/run/replay.js';
import { interleave } from '../measure.js';
import { benchPlan, compiledTranscript, NOWHERE } from '../plan.js';
import type { BenchResult } from '../result.js';

/** Turns replayed before the timed ones: what a layer does once in a hundred turns takes that many to run as compiled code. */
const UNTIMED_TURNS = 400_000;

function countRequests(plan: RunPlan, transcript: Transcript): number {
  let requests = 0;
  replay(plan, transcript, {
    write(entry) {
      if (entry.type === 'request') requests++;
    },
  });
  return requests;
}

/** What all layers together cost: `claude-code/2026` against `unbounded` with the cache off, on the same session. */
export function replayLimit(options: { readonly quick: boolean }): Partial<BenchResult> {
  const turns = options.quick ? 500 : 10_000;
  const transcript = compiledTranscript(turns);
  const plans = [benchPlan('unbounded', 'off'), benchPlan('claude-code/2026')] as const;
  const [bare, full] = interleave(
    plans.map((plan) => () => replay(plan, transcript, NOWHERE)),
    options.quick ? 1 : { untimed: UNTIMED_TURNS / turns, timed: 25 },
  );
  const rates = (plan: RunPlan, ms: number): string => {
    const perSecond = (count: number): string => Math.round(count / (ms / 1_000)).toString();
    return `${perSecond(turns)} turns/s, ${perSecond(countRequests(plan, transcript))} requests/s`;
  };
  return {
    ratios: [
      {
        name: 'replay-limit',
        ratio: bare!.median / full!.median,
        promised: 0.33,
        detail: `${turns} turns: bare ${rates(plans[0], bare!.median)}; claude-code/2026 ${rates(plans[1], full!.median)}`,
      },
    ],
  };
}
