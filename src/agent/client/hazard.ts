import { MS_PER_MINUTE } from '../../core/base/clock.js';

/** What an unpredictable break depends on (K14). */
export interface Exposure {
  /** Somebody spoke since the previous request of the thread; else it goes on with results of tools. */
  readonly spoken: 'spoken' | 'silent';
  /** Between the starts of the two requests. */
  readonly gapMs: number;
}

/**
 * Chance that a request inside the lifetime finds system and tools alone, for no reason in the recording. Its share by speaker
 * and pause is that of the recordings at hand (2 of 4,872 requests that nobody spoke before, 3 of 189 within a minute of the
 * one before, 11 of 217 later), its sum lies between theirs (0.29 %) and that of 272 others (59 of 25,027).
 */
const SILENT_CHANCE = 0.0004;
const PROMPT_CHANCE = 0.013;
const LATE_PROMPT_CHANCE = 0.04;

/** Chance of an unpredictable break, for one request. */
export function hazardOf({ spoken, gapMs }: Exposure): number {
  if (spoken === 'silent') return SILENT_CHANCE;
  return gapMs < MS_PER_MINUTE ? PROMPT_CHANCE : LATE_PROMPT_CHANCE;
}
