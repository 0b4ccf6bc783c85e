import { type Message, messageTokens, tokensOf, withBlocks } from '../../../core/model/message.js';
import type { ShrinkStep } from './rule-state.js';
import { charsOf, cutTo, dropHead, dropTail, groupByRound, shorter } from './split-history.js';

const MOST_CUTS = 10_000;

/** What a summary that was too long is shortened by. */
interface ShrinkOrder {
  /** The conversation before anything was left out. */
  readonly whole: readonly Message[];
  /** Tokens too many; null if the error does not say. */
  readonly gapTokens: number | null;
  readonly now: number;
}

/** The steps one by one, each when it is asked for: most summaries need none. Dropping items goes on until nothing is left to drop. */
export function* shrinkSteps(parts: readonly ShrinkStep[]): Generator<ShrinkStep, undefined, void> {
  for (const part of parts) {
    const times =
      part.kind === 'drop-newest'
        ? MOST_CUTS
        : part.kind === 'drop-oldest'
          ? Math.min(part.times, MOST_CUTS)
          : 1;
    for (let i = 0; i < times; i++) yield part;
  }
}

/** A conversation that steps have made short enough to be asked about again; null when they are used up. */
export function shorterRequest(
  messages: readonly Message[],
  steps: Generator<ShrinkStep, undefined, void>,
  order: ShrinkOrder,
  isShorter: (rest: readonly Message[]) => boolean,
): readonly Message[] | null {
  let rest = messages;
  do {
    const step = steps.next().value;
    if (step === undefined) return null;
    const candidate = shrunk(rest, step, order);
    if (candidate === null && step.kind === 'drop-newest') return null;
    if (candidate !== null && tokensOf(candidate) < tokensOf(rest)) rest = candidate;
  } while (!isShorter(rest));
  return rest;
}

/** The conversation after one step; null when the step finds nothing to leave out. @internal */
export function shrunk(
  about: readonly Message[],
  step: ShrinkStep,
  { whole, gapTokens, now }: ShrinkOrder,
): readonly Message[] | null {
  switch (step.kind) {
    case 'drop-oldest':
      return dropHead(about, { gapTokens: step.share === null ? 1 : gapTokens, share: step.share ?? 0 }, now);
    case 'drop-newest':
      return dropTail(about, { gapTokens, share: step.share }, step.minMessages);
    case 'drop-results':
      return withoutResults(whole, step.share);
    case 'cap-messages': {
      const largest = Math.max(...about.map(messageTokens));
      return about.map((message) => cutTo(message, Math.floor(largest * step.share)));
    }
    case 'chars':
      return newestRounds(whole, step.chars, charsOf);
    default:
      return newestRounds(whole, tokensOf(whole) * step.share, messageTokens);
  }
}

/** The newest rounds within a budget, the latest in any case. */
function newestRounds(
  messages: readonly Message[],
  budget: number,
  size: (message: Message) => number,
): readonly Message[] {
  const groups = groupByRound(messages);
  let from = groups.length - 1;
  let sum = 0;
  for (let i = groups.length - 1; i >= 0; i--) {
    sum += groups[i]!.reduce((all, message) => all + size(message), 0);
    if (sum > budget) break;
    from = i;
  }
  return groups.slice(from).flat();
}

/** A conversation in which a share of the results, from the middle outwards, is only named. */
function withoutResults(messages: readonly Message[], share: number): readonly Message[] | null {
  const results = messages.flatMap((message, m) =>
    message.blocks.flatMap((block, b) => (block.kind === 'tool_result' ? [{ m, b }] : [])),
  );
  const count = Math.ceil(results.length * share);
  if (count === 0) return null;
  const middle = (results.length - 1) / 2;
  const gone = new Set(
    results
      .map((place, i) => ({ place, far: Math.abs(i - middle) }))
      .sort((a, b) => a.far - b.far || a.place.m - b.place.m)
      .slice(0, count)
      .map(({ place }) => `${place.m} ${place.b}`),
  );
  return messages.map((message, m) =>
    withBlocks(
      message,
      message.blocks.map((block, b) => (gone.has(`${m} ${b}`) ? shorter(block, 12) : block)),
    ),
  );
}
