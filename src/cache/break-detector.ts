import type { Digest } from '../base/digest.js';
import type { Breakpoint } from '../model/prefix.js';
import { LOOKBACK_POSITIONS } from './prompt-cache.js';
import { isLongTtl } from './ttl.js';

/** What a break was put down to (BRD-2). `parameters` covers betas and every other setting of the request. */
export type BreakCause =
  | 'model'
  | 'tools'
  | 'system'
  | 'parameters'
  | 'messages'
  | 'not-readable-yet'
  | 'ttl-5m'
  | 'ttl-1h'
  | 'lookback'
  | 'server';

/** What an agent announces before it breaks the cache on purpose (BRD-3). */
export type ExpectedCause = 'compaction' | 'microcompaction' | 'deletion';

/** One request of a thread after its response; the detector keeps it until the next, so pass a fresh object. */
export interface CacheObservation {
  readonly startMs: number;
  readonly readTokens: number;
  readonly promptTokens: number;
  readonly model: string;
  readonly toolsDigest: Digest;
  readonly systemDigest: Digest;
  readonly parametersDigest: Digest;
  /** First position at which the prompt differs from the previous one of the thread; null when it only grew. */
  readonly firstChangedPosition: number | null;
  /** The request's breakpoints, ascending. */
  readonly breakpoints: readonly Breakpoint[];
  /** Lifetime of the entry this request read or wrote last; null when it left nothing. */
  readonly entryTtlMs: number | null;
  /** The cache held a longer entry that was not readable yet. */
  readonly sawUnreadable: boolean;
  /** Names of the tools that changed, where known. */
  readonly changedTools?: readonly string[];
}

/** A drop of cache reads and what explains it. */
export type BreakReport = {
  readonly previousReadTokens: number;
  readonly readTokens: number;
  readonly lostTokens: number;
  /** Between the starts of the two requests. */
  readonly gapMs: number;
  /** For `messages`: the first position that changed. */
  readonly position: number | null;
  /** For `tools`: which, where known. */
  readonly tools: readonly string[] | null;
} & (
  | { readonly expected: false; readonly cause: BreakCause }
  | { readonly expected: true; readonly cause: ExpectedCause }
);

/** Watches the cache reads of one thread (BRD). */
export interface BreakDetector {
  /** Compares a request with the previous one; null when nothing broke. */
  observe(observation: CacheObservation): BreakReport | null;
  /** The next drop is on purpose. */
  announce(cause: ExpectedCause): void;
  /** Forgets the baseline: the next request is the first. */
  reset(): void;
}

/** Reads must drop by more than one part in twenty … (BRD-1). */
const DROP_PARTS = 20;

/** … and by more than this many tokens (BRD-1). */
const DROP_TOKENS = 2_000;

/** True when a drop of cache reads counts as a break (BRD-1). */
export function isBreak(previousReadTokens: number, readTokens: number): boolean {
  const lost = previousReadTokens - readTokens;
  return lost * DROP_PARTS > previousReadTokens && lost > DROP_TOKENS;
}

function lastPosition(observation: CacheObservation): number {
  return observation.breakpoints.at(-1)?.position ?? -1;
}

/** True when some breakpoint looks back far enough to find an entry at a position. */
function reaches(breakpoints: readonly Breakpoint[], position: number): boolean {
  for (const breakpoint of breakpoints) {
    const distance = breakpoint.position - position;
    if (distance >= 0 && distance < LOOKBACK_POSITIONS) return true;
  }
  return false;
}

/** The first explanation that holds: what the client changed, then time, then reach, then the server. */
export function causeOf(previous: CacheObservation, current: CacheObservation): BreakCause {
  if (current.model !== previous.model) return 'model';
  if (current.toolsDigest !== previous.toolsDigest) return 'tools';
  if (current.systemDigest !== previous.systemDigest) return 'system';
  if (current.parametersDigest !== previous.parametersDigest) return 'parameters';
  const changed = current.firstChangedPosition;
  if (changed !== null && changed <= lastPosition(previous)) return 'messages';
  if (current.sawUnreadable) return 'not-readable-yet';
  const ttlMs = previous.entryTtlMs;
  if (ttlMs !== null && current.startMs - previous.startMs >= ttlMs) {
    return isLongTtl(ttlMs) ? 'ttl-1h' : 'ttl-5m';
  }
  if (!reaches(current.breakpoints, lastPosition(previous))) return 'lookback';
  return 'server';
}

/** Creates a detector for one thread. */
export function createBreakDetector(): BreakDetector {
  let previous: CacheObservation | null = null;
  let announced: ExpectedCause | null = null;
  return {
    observe(current) {
      const before = previous;
      const expectedCause = announced;
      previous = current;
      announced = null;
      if (before === null || !isBreak(before.readTokens, current.readTokens)) return null;
      const cause = expectedCause ?? causeOf(before, current);
      return {
        previousReadTokens: before.readTokens,
        readTokens: current.readTokens,
        lostTokens: before.readTokens - current.readTokens,
        gapMs: current.startMs - before.startMs,
        expected: expectedCause !== null,
        cause,
        position: cause === 'messages' ? current.firstChangedPosition : null,
        tools: cause === 'tools' ? (current.changedTools ?? null) : null,
      } as BreakReport;
    },
    announce(cause) {
      announced = cause;
    },
    reset() {
      previous = null;
      announced = null;
    },
  };
}
