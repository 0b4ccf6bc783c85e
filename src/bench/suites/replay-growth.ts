import { replay } from '../../engine/replay.js';
import { policyRegistry } from '../../policies/catalogue.js';
import { growthExponent, timeOf } from '../measure.js';
import { benchPlan, benchTranscript, NOWHERE } from '../plan.js';
import type { BenchResult } from '../result.js';

const SIZES = [1_000, 10_000, 100_000];

/** Replay time from 1,000 to 100,000 turns for each profile: a turn must cost its new blocks, so growth is linear. */
export function replayGrowth(options: {
  readonly quick: boolean;
  readonly memory: () => number;
}): Partial<BenchResult> {
  const sizes = options.quick ? SIZES.slice(0, 2) : SIZES;
  const policies = policyRegistry
    .all()
    .filter((policy) => policy.kind !== 'baseline' && policy.name !== 'none');
  const transcripts = sizes.map((turns) => benchTranscript(turns));
  const growth: { name: string; exponent: number; wholeWindow: boolean }[] = [];
  const notes: string[] = [];
  let worst = 0;
  for (const policy of policies) {
    const plan = benchPlan(policy.name);
    replay(plan, transcripts[0]!, NOWHERE);
    const points = sizes.map((size, i) => {
      const rounds = size <= 10_000 ? 5 : 2;
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < rounds; round++)
        best = Math.min(
          best,
          timeOf(() => replay(plan, transcripts[i]!, NOWHERE)),
        );
      return { size, ms: best };
    });
    const exponent = growthExponent(points);
    worst = Math.max(worst, exponent);
    growth.push({ name: `replay ${policy.name}`, exponent, wholeWindow: false });
    const perTurn = points.map(
      ({ size, ms }) => `${size} turns ${ms.toFixed(0)} ms (${((ms * 1_000) / size).toFixed(1)} µs a turn)`,
    );
    notes.push(`replay ${policy.name}: ${perTurn.join(', ')}`);
  }
  notes.push(`peak memory while replaying ${sizes.at(-1)} turns: ${Math.round(options.memory() / 1e6)} MB`);
  return { growth: [{ name: 'replay', exponent: worst, wholeWindow: false }, ...growth], notes };
}
