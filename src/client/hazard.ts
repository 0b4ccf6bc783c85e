import { MS_PER_MINUTE } from '../base/clock.js';

/** What a break that nothing foretells depends on (K14). */
export interface Exposure {
  /** Somebody spoke since the previous request of the thread; else it goes on with results of tools. */
  readonly spoken: 'spoken' | 'silent';
  /** Between the starts of the two requests. */
  readonly gapMs: number;
}

/**
 * Chance that a request inside the lifetime finds system and tools alone, for no reason in the recording: 59 of 25,027
 * requests in all (K14), divided as in the recordings at hand (2 of 4,872 that nobody spoke before, 3 of 189 within a minute
 * of the one before, 11 of 217 later).
 */
const SILENT_CHANCE = 0.0003;
const PROMPT_CHANCE = 0.012;
const LATE_PROMPT_CHANCE = 0.037;

/** Chance of a break that nothing foretells, for one request. */
export function hazardOf({ spoken, gapMs }: Exposure): number {
  if (spoken === 'silent') return SILENT_CHANCE;
  return gapMs < MS_PER_MINUTE ? PROMPT_CHANCE : LATE_PROMPT_CHANCE;
}
