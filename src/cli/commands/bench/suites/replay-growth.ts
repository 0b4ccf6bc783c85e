import { createHash } from 'node:crypto';
import { policyRegistry } from '../../../../agent/policies/catalogue.js';
import type { Block } from '../../../../core/model/block.js';
import type { Transcript } from '../../../../core/model/transcript.js';
import type { RunPlan } from '../../../../core/run/run-plan.js';
import { replay } from '../../../../engine/run/replay.js';
import { countEntries, growthExponent, interleave, timeOf } from '../measure.js';
import { benchPlan, benchTranscript, compiledTranscript, NOWHERE } from '../plan.js';
import { peakOfReplay } from '../recording-file.js';
import { type BenchResult, type GrowthResult, HIGHEST_EXPONENT, type SuiteOptions } from '../result.js';

const WINDOW_TOKENS = 187_000;

/**
 * A straightforward replay for comparison: before each call it builds the request from the whole history, counts it again and
 * hashes it again as JSON, and drops the oldest half when the window is full. Correct, simple, and quadratic.
 */
export function naiveReplay(transcript: Transcript, turns: number): number {
  let history: Block[] = [];
  let done = 0;
  let checksum = 0;
  for (const step of transcript.threads[0]!.steps) {
    if (step.kind === 'message') history.push(...step.message.blocks);
    else if (step.kind === 'call') {
      let tokens = 0;
      const content = history.map((block) => ({
        role: block.role,
        type: block.kind,
        text: block.text?.read() ?? '',
      }));
      for (const { text } of content) tokens += Math.round(text.length / 4);
      checksum += createHash('sha256').update(JSON.stringify(content)).digest()[0]!;
      if (tokens >= WINDOW_TOKENS) history = history.slice(history.length >> 1);
      history.push(...step.call.response.blocks);
      if (++done >= turns) break;
    }
  }
  return checksum;
}

/** How much faster the replay is than the naive one, at 10,000 turns of a 200 K window (1,000 with `--quick`); the naive one is timed on a part. */
export function naiveReplayRatio(options: { readonly quick: boolean }): Partial<BenchResult> {
  const turns = options.quick ? 1_000 : 10_000;
  const [untimed, sample] = options.quick ? [30, 30] : [300, 1_500];
  const transcript = benchTranscript(turns);
  const plan = benchPlan('claude-code/2.0');
  naiveReplay(transcript, untimed);
  replay(plan, transcript, NOWHERE);
  let naiveMs = Number.POSITIVE_INFINITY;
  let ourMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const warm = timeOf(() => naiveReplay(transcript, untimed));
    const whole = timeOf(() => naiveReplay(transcript, untimed + sample));
    naiveMs = Math.min(naiveMs, ((whole - warm) / sample) * turns);
    ourMs = Math.min(
      ourMs,
      timeOf(() => replay(plan, transcript, NOWHERE)),
    );
  }
  return {
    ratios: [
      {
        name: 'naive-replay',
        ratio: naiveMs / ourMs,
        promised: 200,
        detail: `${turns} turns: ${naiveMs.toFixed(0)} ms naive (extrapolated from ${sample} turns), ${ourMs.toFixed(0)} ms here`,
      },
    ],
  };
}

/** Turns replayed before the timed ones: what a layer does once in a hundred turns takes that many to run as compiled code. */
const UNTIMED_TURNS = 400_000;

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
    return `${perSecond(turns)} turns/s, ${perSecond(countEntries(plan, transcript, ({ type }) => type === 'request'))} requests/s`;
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

const SIZES = [1_000, 10_000, 100_000];
const ROUNDS = 3;
const QUICK = { sizes: [100, 300], rounds: 1 };
/** Sessions up to this many turns are short enough for a blip of the machine to hide in: each round repeats them. */
const SHORT_TURNS = 10_000;
const SHORT_REPEATS = 3;

/** Profiles whose memory is measured: one that forgets, one that keeps everything. */
const MEASURED_POLICIES = ['claude-code/2026', 'unbounded'];

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

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
  for (const policy of MEASURED_POLICIES) {
    options.onProgress(`memory, ${policy}`);
    const turns = sizes.at(-1)!;
    const peak = await peakOfReplay(policy, turns);
    if (peak !== null)
      notes.push(`peak memory of a process that replays ${turns} turns under ${policy}: ${megabytes(peak)}`);
  }
  const worst = Math.max(...growth.map(({ exponent }) => exponent));
  return { growth: [growthOf('replay', worst, 'the profile that grows fastest'), ...growth], notes };
}
