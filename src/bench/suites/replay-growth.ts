import { replay } from '../../engine/replay.js';
import { policyRegistry } from '../../policies/catalogue.js';
import { growthExponent, timeOf } from '../measure.js';
import { benchPlan, benchTranscript, NOWHERE } from '../plan.js';
import { type BenchResult, type GrowthResult, HIGHEST_EXPONENT } from '../result.js';

const SIZES = [1_000, 10_000, 100_000];
const ROUNDS = 3;
/** Sessions up to this many turns are short enough for a blip of the machine to hide in: each round repeats them. */
const SHORT_TURNS = 10_000;
const SHORT_REPEATS = 3;

/** Lowest time at each size; the longest goes first untimed and leaves the code compiled, then the sizes take turns. */
function lowestTimes(
  sizes: readonly number[],
  work: (index: number) => void,
): readonly { readonly size: number; readonly ms: number }[] {
  const lowest = sizes.map(() => Number.POSITIVE_INFINITY);
  for (let i = sizes.length - 1; i >= 0; i--) work(i);
  for (let round = 0; round < ROUNDS; round++) {
    sizes.forEach((size, i) => {
      for (let repeat = size <= SHORT_TURNS ? SHORT_REPEATS : 1; repeat > 0; repeat--)
        lowest[i] = Math.min(
          lowest[i]!,
          timeOf(() => work(i)),
        );
    });
  }
  return sizes.map((size, i) => ({ size, ms: lowest[i]! }));
}

function growthOf(name: string, exponent: number, input = 'every turn of the session'): GrowthResult {
  return { name, exponent, wholeWindow: false, promised: HIGHEST_EXPONENT, input };
}

/** Replay time from 1,000 to 100,000 turns for each profile: a turn must cost its new blocks, so growth is linear. */
export function replayGrowth(options: {
  readonly quick: boolean;
  readonly onProgress: (what: string) => void;
  readonly memory: () => number;
}): Partial<BenchResult> {
  const sizes = options.quick ? SIZES.slice(0, 2) : SIZES;
  const policies = policyRegistry
    .all()
    .filter((policy) => policy.kind !== 'baseline' && policy.name !== 'none');
  const transcripts = sizes.map((turns) => benchTranscript(turns));
  const growth: GrowthResult[] = [];
  const notes: string[] = [];
  for (const policy of policies) {
    options.onProgress(policy.name);
    const plan = benchPlan(policy.name);
    const points = lowestTimes(sizes, (i) => void replay(plan, transcripts[i]!, NOWHERE));
    growth.push(growthOf(`replay ${policy.name}`, growthExponent(points)));
    const perTurn = points.map(
      ({ size, ms }) => `${size} turns ${ms.toFixed(0)} ms (${((ms * 1_000) / size).toFixed(1)} µs a turn)`,
    );
    notes.push(`replay ${policy.name}: ${perTurn.join(', ')}`);
  }
  notes.push(`peak memory while replaying ${sizes.at(-1)} turns: ${Math.round(options.memory() / 1e6)} MB`);
  const worst = Math.max(...growth.map(({ exponent }) => exponent));
  return { growth: [growthOf('replay', worst, 'the profile that grows fastest'), ...growth], notes };
}
