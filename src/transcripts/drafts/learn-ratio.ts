import { quantile } from '../../core/base/stats.js';
import { CHARS_PER_TOKEN } from '../../core/model/block.js';
import { promptTokens } from '../../core/model/usage.js';
import type { DraftMessage, DraftStep } from './draft.js';
import { weightOf } from './weights.js';

/** Fewer steps than this say nothing about a file's own ratio. */
const FEWEST_SAMPLES = 3;
/** Bounds of a believable ratio (E6: p5 1.88, p95 3.72, with room on both sides). */
const SLOWEST_RATIO = 1.25;
const FASTEST_RATIO = 6;

/** Median characters per token over the steps of a recording that only grew; the general median when there are few. */
export function learnRatio(threads: readonly (readonly DraftStep[])[]): number {
  const samples: number[] = [];
  for (const steps of threads) {
    let before: number | null = null;
    let chars = 0;
    for (const step of steps) {
      if (step.kind === 'message') chars += charsOf(step.message);
      else if (step.kind === 'event') before = step.event.rebuild === 'none' ? before : null;
      else {
        if (step.call.usage !== null) {
          const prompt = promptTokens(step.call.usage);
          if (before !== null && prompt > before && chars > 0) samples.push(chars / (prompt - before));
          before = prompt;
          chars = 0;
        }
        chars += charsOf(step.call.message);
      }
    }
  }
  const median = samples.length < FEWEST_SAMPLES ? null : quantile(samples, 0.5);
  return Math.min(FASTEST_RATIO, Math.max(SLOWEST_RATIO, median ?? CHARS_PER_TOKEN));
}

/** Characters that explain growth; images and sealed thinking count as the text they weigh as. */
function charsOf(message: DraftMessage): number {
  let chars = 0;
  for (const block of message.blocks) chars += weightOf(block, CHARS_PER_TOKEN) * CHARS_PER_TOKEN;
  return chars;
}
