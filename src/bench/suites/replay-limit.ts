import { replay } from '../../engine/replay.js';
import { interleave } from '../measure.js';
import { benchPlan, benchTranscript, NOWHERE } from '../plan.js';
import type { BenchResult } from '../result.js';

/** What all layers together cost: `claude-code/2026` against `unbounded` with the cache off, on the same session. */
export function replayLimit(options: { readonly quick: boolean }): Partial<BenchResult> {
  const turns = options.quick ? 2_000 : 10_000;
  const transcript = benchTranscript(turns);
  const bare = benchPlan('unbounded', 'off');
  const full = benchPlan('claude-code/2026');
  const [bareTimes, fullTimes] = interleave(
    [() => replay(bare, transcript, NOWHERE), () => replay(full, transcript, NOWHERE)],
    options.quick ? 3 : 7,
  );
  const rate = (ms: number): string => `${Math.round(turns / (ms / 1_000)).toString()} turns/s`;
  return {
    ratios: [
      {
        name: 'replay-limit',
        ratio: bareTimes!.median / fullTimes!.median,
        promised: 0.33,
        detail: `${turns} turns: bare ${rate(bareTimes!.median)}, claude-code/2026 ${rate(fullTimes!.median)}`,
      },
    ],
  };
}
