import { quantile, sum } from '../../core/base/stats.js';
import { type Block, CHARS_PER_TOKEN, IMAGE_TOKENS, mediaCount } from '../../core/model/block.js';
import { promptTokens } from '../../core/model/usage.js';
import type { DraftMessage, DraftStep } from './draft.js';

/** Characters of a thinking signature per token of the thinking it seals. */
export const SIGNATURE_CHARS_PER_TOKEN = 3;

/** Tokens a block is worth at a ratio of characters per token. */
function weightOf(block: Block, ratio: number): number {
  if (block.kind === 'image' || block.kind === 'document') return IMAGE_TOKENS;
  const sealed = block.kind === 'thinking' && (block.text?.chars ?? 0) === 0;
  if (sealed) return block.chars / SIGNATURE_CHARS_PER_TOKEN;
  return (block.text?.chars ?? block.chars) / ratio + mediaCount(block.facts) * IMAGE_TOKENS;
}

/** Tokens of every block of some messages at a ratio. */
export function weightsOf(messages: readonly DraftMessage[], ratio: number): number[] {
  const weights: number[] = [];
  for (const message of messages) for (const block of message.blocks) weights.push(weightOf(block, ratio));
  return weights;
}

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

/** At most this many weights are scanned again for each number; more are sorted. */
const FEW = 12;

/** The indices of the largest remainders come first; ties in order. */
function byRemainder(left: readonly number[]): number[] {
  return [...left.keys()].sort((a, b) => left[b]! - left[a]! || a - b);
}

/** The index of the largest remainder, the first of equal ones. */
function largest(left: readonly number[]): number {
  let found = 0;
  for (let i = 1; i < left.length; i++) if (left[i]! > left[found]!) found = i;
  return found;
}

/** Whole numbers in proportion to the weights whose sum is exactly the total (largest remainders, ties in order). */
export function spread(total: number, weights: readonly number[]): number[] {
  if (weights.length === 0) return [];
  if (weights.length === 1 && Number.isInteger(total)) return [total];
  const all = sum(weights);
  const whole: number[] = [];
  const left: number[] = [];
  let rest = total;
  for (const weight of weights) {
    const share = all > 0 ? (total * weight) / all : total / weights.length;
    const part = Math.floor(share);
    whole.push(part);
    left.push(share - part);
    rest -= part;
  }
  if (rest <= 0) return whole;
  if (weights.length <= FEW && rest < weights.length) {
    for (; rest > 0; rest--) {
      const next = largest(left);
      whole[next]!++;
      left[next] = -1;
    }
    return whole;
  }
  const order = byRemainder(left);
  for (let k = 0; rest > 0; k = (k + 1) % order.length, rest--) whole[order[k]!]!++;
  return whole;
}
