import { createHash } from 'node:crypto';
import { timeOf } from '../../src/cli/commands/bench/measure.js';
import { benchPlan, benchTranscript, NOWHERE } from '../../src/cli/commands/bench/plan.js';
import type { BenchResult, SuiteOptions } from '../../src/cli/commands/bench/result.js';
import type { Block } from '../../src/core/model/block.js';
import type { Transcript } from '../../src/core/model/transcript.js';
import type { RunPlan } from '../../src/core/run/run-plan.js';
import { replay } from '../../src/engine/run/replay.js';
import { compiledTranscript, countEntries, interleave } from '../measure.js';
import { peakOfReplay } from '../recording-file.js';

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

/** Profiles whose memory is measured: one that forgets, one that keeps everything. */
const MEASURED_POLICIES = ['claude-code/2026', 'unbounded'];

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** The most memory that a process holds which replays a long session under some profiles. */
export async function replayMemory(options: SuiteOptions): Promise<Partial<BenchResult>> {
  const turns = options.quick ? 300 : 100_000;
  const notes: string[] = [];
  for (const policy of MEASURED_POLICIES) {
    options.onProgress(policy);
    const peak = await peakOfReplay(policy, turns);
    if (peak === null) return { notes: ['replay-memory: needs Linux and the built program'] };
    notes.push(`peak memory of a process that replays ${turns} turns under ${policy}: ${megabytes(peak)}`);
  }
  return { notes };
}
