import { policyRegistry } from '../../../agent/policies/catalogue.js';
import type { Transcript } from '../../../core/model/transcript.js';
import type { RunPlan } from '../../../core/run/run-plan.js';
import { replay } from '../../../engine/run/replay.js';
import { growthExponent, timeOf } from './measure.js';
import { benchPlan, benchTranscript, NOWHERE } from './plan.js';
import { type BenchResult, type GrowthResult, HIGHEST_EXPONENT, type SuiteOptions } from './result.js';

const SIZES = [1_000, 10_000, 100_000];
const ROUNDS = 3;
const QUICK = { sizes: [100, 300], rounds: 1 };
/** Sessions up to this many turns are short enough for a blip of the machine to hide in: each round repeats them. */
const SHORT_TURNS = 10_000;
const SHORT_REPEATS = 3;

interface Point {
  /** Turns of the session. */
  readonly size: number;
  /** Turns that were played: fewer where a profile comes to have every request refused. */
  readonly played: number;
  readonly ms: number;
}

function turnsPlayed(plan: RunPlan, transcript: Transcript): number {
  let turns = 0;
  replay(plan, transcript, {
    write(entry) {
      if (entry.type === 'end') turns = entry.turns;
    },
  });
  return turns;
}

/** Lowest time at each size; the longest goes first untimed and leaves the code compiled, then the sizes take turns. */
function lowestTimes(
  plan: RunPlan,
  transcripts: readonly Transcript[],
  { sizes, rounds }: typeof QUICK,
): readonly Point[] {
  const lowest = sizes.map(() => Number.POSITIVE_INFINITY);
  const played = [...transcripts].reverse().map((transcript) => turnsPlayed(plan, transcript));
  for (let round = 0; round < rounds; round++) {
    sizes.forEach((size, i) => {
      for (let repeat = size <= SHORT_TURNS ? SHORT_REPEATS : 1; repeat > 0; repeat--)
        lowest[i] = Math.min(
          lowest[i]!,
          timeOf(() => replay(plan, transcripts[i]!, NOWHERE)),
        );
    });
  }
  return sizes.map((size, i) => ({ size, played: played.at(-1 - i)!, ms: lowest[i]! }));
}

function pointText({ size, played, ms }: Point): string {
  if (played < size) return `${played} of ${size} turns ${ms.toFixed(0)} ms, the others refused`;
  return `${size} turns ${ms.toFixed(0)} ms (${((ms * 1_000) / size).toFixed(1)} µs a turn)`;
}

function growthOf(name: string, exponent: number, input: string): GrowthResult {
  return { name, exponent, wholeWindow: false, promised: HIGHEST_EXPONENT, input };
}

/** Replay time from 1,000 to 100,000 turns for each profile: a turn must cost its new blocks, so growth is linear. */
export async function replayGrowth(options: SuiteOptions): Promise<Partial<BenchResult>> {
  const effort = options.quick ? QUICK : { sizes: SIZES, rounds: ROUNDS };
  const { sizes } = effort;
  const policies = policyRegistry
    .all()
    .filter(({ kind, name }) => kind !== 'baseline' && kind !== 'peer' && name !== 'none');
  const transcripts = sizes.map((turns) => benchTranscript(turns));
  const growth: GrowthResult[] = [];
  const notes: string[] = [];
  for (const policy of policies) {
    options.onProgress(policy.name);
    const plan = benchPlan(policy.name);
    const points = lowestTimes(plan, transcripts, effort);
    const isStuck = points.some(({ size, played }) => played < size);
    const input = isStuck ? 'turns until all are refused' : 'every turn';
    growth.push(growthOf(`replay ${policy.name}`, growthExponent(points), input));
    notes.push(`replay ${policy.name}: ${points.map(pointText).join(', ')}`);
  }
  const worst = Math.max(...growth.map(({ exponent }) => exponent));
  return { growth: [growthOf('replay', worst, 'the profile that grows fastest'), ...growth], notes };
}
