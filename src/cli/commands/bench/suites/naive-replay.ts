import { createHash } from 'node:crypto';
import type { Block } from '../../../../core/model/block.js';
import type { Transcript } from '../../../../core/model/transcript.js';
import { replay } from '../../../../engine/run/replay.js';
import { timeOf } from '../measure.js';
import { benchPlan, benchTranscript, NOWHERE } from '../plan.js';
import type { BenchResult } from '../result.js';

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
