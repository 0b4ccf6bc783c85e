import type { Digest } from '../../core/base/digest.js';
import type { Breakpoint } from '../../core/model/prefix.js';
import type { BreakCause } from '../../core/run/break-causes.js';
import type { BreakEntry } from '../../core/run/log-entries.js';
import { type CacheOutcome, LOOKBACK_POSITIONS, type ShortCause } from './prompt-cache.js';
import { TTL_1H_MS, TTL_5M_MS } from './ttl.js';

/** One request of a thread after its response; the detector keeps it until the next, so pass a fresh object. */
export interface CacheObservation
  extends Pick<CacheOutcome, 'readTokens' | 'promptTokens' | 'sawUnreadable' | 'short'> {
  readonly startMs: number;
  /** Tokens read that the server leaves out (MIC-3), so that nobody pays for them; none unless given. */
  readonly leftOutTokens?: number;
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
  /** Names of the tools that changed, where known. */
  readonly changedTools?: readonly string[];
}

/** A drop of cache reads and what explains it. */
export interface BreakReport extends Pick<BreakEntry, 'cause' | 'expected' | 'lostTokens' | 'position'> {
  readonly readTokens: number;
  /** Between the starts of the two requests. */
  readonly gapMs: number;
  /** For `tools`: which, where known. */
  readonly tools: readonly string[] | null;
}

/** Watches the cache reads of one thread (BRD). */
export interface BreakDetector {
  /** What a miss of this request is attributed to; `announced` is what a layer said it would break (BRD-3). */
  causeOf(current: CacheObservation, announced: BreakCause | null): BreakCause;
  /** Compares a request with the previous one; null when nothing broke. */
  observe(current: CacheObservation, announced: BreakCause | null): BreakReport | null;
  /** A request beside the thread's own read what the previous one left: its lifetime begins again. */
  renew(atMs: number): void;
  /** The same for a request that renews it only if it is still alive then. */
  renewLive(atMs: number): void;
  /** The latest request of the thread; null before the first. */
  readonly previous: CacheObservation | null;
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

/** Last position that a request left in the cache. */
export function lastPosition(observation: CacheObservation): number {
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

/** What the client changed between two requests; null when the second only grew. */
function changeBetween(previous: CacheObservation, current: CacheObservation): BreakCause | null {
  if (current.model !== previous.model) return 'model';
  if (current.toolsDigest !== previous.toolsDigest) return 'tools';
  if (current.systemDigest !== previous.systemDigest) return 'system';
  if (current.parametersDigest !== previous.parametersDigest) return 'parameters';
  const changed = current.firstChangedPosition;
  return changed !== null && changed <= lastPosition(previous) ? 'messages' : null;
}

/** A miss before anybody asks how much time has passed: what changed, else whether the entry was in reach. */
export function timelessCause(previous: CacheObservation, current: CacheObservation): BreakCause {
  const change = changeBetween(previous, current);
  if (change !== null) return change;
  return reaches(current.breakpoints, lastPosition(previous)) ? 'server' : 'lookback';
}

/** What is known of a miss. */
export interface Miss {
  /** What it is attributed to when time does not explain it. */
  readonly timeless: BreakCause;
  readonly announced: BreakCause | null;
  /** Since what could have been read was last used. */
  readonly idleMs: number;
  /** How long that lives; null when there was nothing. */
  readonly ttlMs: number | null;
  readonly sawUnreadable: boolean;
  /** What the provider's rules tell; absent if they tell nothing. */
  readonly short?: ShortCause | undefined;
}

/**
 * The first explanation that holds (C11): time, unless a live entry was only not readable yet; then what a layer announced,
 * what the client changed, how the provider reads, reach, and the server.
 */
export function explainMiss({ timeless, announced, idleMs, ttlMs, sawUnreadable, short }: Miss): BreakCause {
  const nothingChanged = announced === null && (timeless === 'lookback' || timeless === 'server');
  if (nothingChanged && sawUnreadable) return 'not-readable-yet';
  if (ttlMs !== null && idleMs >= ttlMs) return expiryOf(ttlMs);
  if (short === 'expired') return 'expired';
  if (nothingChanged && short !== undefined) return short;
  return announced ?? timeless;
}

/** The end of a lifetime by its length. */
function expiryOf(ttlMs: number): BreakCause {
  if (ttlMs === TTL_5M_MS) return 'ttl-5m';
  return ttlMs === TTL_1H_MS ? 'ttl-1h' : 'expired';
}

function paidRead({ readTokens, leftOutTokens = 0 }: CacheObservation): number {
  return readTokens - leftOutTokens;
}

/** Creates a detector for one thread; it may go on from another thread's latest request. */
export function createBreakDetector(from: CacheObservation | null = null): BreakDetector {
  return new Detector(from);
}

class Detector implements BreakDetector {
  private usedMs: number;

  constructor(public previous: CacheObservation | null) {
    this.usedMs = previous?.startMs ?? 0;
  }

  causeOf(current: CacheObservation, announced: BreakCause | null): BreakCause {
    const { previous } = this;
    if (previous === null) return announced ?? 'server';
    return explainMiss({
      timeless: timelessCause(previous, current),
      announced,
      idleMs: current.startMs - this.usedMs,
      ttlMs: previous.entryTtlMs,
      sawUnreadable: current.sawUnreadable,
      short: current.short,
    });
  }

  observe(current: CacheObservation, announced: BreakCause | null): BreakReport | null {
    const before = this.previous;
    const broke = before !== null && isBreak(before.readTokens, current.readTokens);
    const cause = broke ? this.causeOf(current, announced) : null;
    this.previous = current;
    this.usedMs = current.startMs;
    if (before === null || cause === null) return null;
    return {
      cause,
      expected: cause === announced,
      readTokens: current.readTokens,
      lostTokens: Math.max(0, paidRead(before) - paidRead(current)),
      gapMs: current.startMs - before.startMs,
      position: cause === 'messages' || cause === 'thinking' ? current.firstChangedPosition : null,
      tools: cause === 'tools' ? (current.changedTools ?? null) : null,
    };
  }

  renew(atMs: number): void {
    this.usedMs = Math.max(this.usedMs, atMs);
  }

  renewLive(atMs: number): void {
    const ttlMs = this.previous?.entryTtlMs ?? null;
    if (ttlMs === null || atMs < this.usedMs + ttlMs) this.renew(atMs);
  }
}
