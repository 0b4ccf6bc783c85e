import { MS_PER_HOUR } from '../../core/base/clock.js';
import { chainDigest, type Digest } from '../../core/base/digest.js';
import { CcbenchError } from '../../core/base/errors.js';
import type { Breakpoint, PrefixView } from '../../core/model/prefix.js';
import type { CacheRules, HitChance } from '../../core/run/provider.js';
import type { ModelRow } from '../prices/model-row.js';
import { EntryTable } from './entry-table.js';
import type { LevelSalts } from './salts.js';
import { createLifetime, type FadeMode, isLongTtl } from './ttl.js';

/** Positions looked up per breakpoint, the breakpoint itself included (CCH-1). */
export const LOOKBACK_POSITIONS = 20;

/** How far back a breakpoint looks: as documented, or as recorded, one block further and past those of thinking (K7). */
export type Lookback = 'documented' | 'observed';

/** Lowest position that a breakpoint looks at. */
function lookbackStart(view: PrefixView, position: number, lookback: Lookback, positions: number): number {
  if (lookback === 'documented') return Math.max(0, position - positions + 1);
  const { uncounted } = view;
  let lowest = Math.max(0, position - positions);
  if (uncounted === undefined) return lowest;
  const counted = position - uncounted[position]! - positions;
  while (lowest > 0 && lowest - 1 - uncounted[lowest - 1]! >= counted) lowest--;
  return lowest;
}

/** How a cache behaves where the documentation leaves room. */
export interface PromptCacheOptions {
  readonly fade?: FadeMode;
  readonly seed?: number;
  readonly lookback?: Lookback;
  /** When what a request writes can be read: as its response begins, when it is complete, or some time later. */
  readonly visibleAfter?: CacheRules['visibleAfter'];
  /** Positions looked up per breakpoint, itself included; infinite without a limit. */
  readonly positions?: number;
  /** How long entries live for which requests ask five minutes or an hour; without a longer one all live the shorter. As asked where absent. */
  readonly lifetimes?: { readonly shortMs: number; readonly longMs: number | null };
}

/** One request as the cache sees it. */
export interface CacheRequest {
  readonly model: ModelRow;
  readonly salts: LevelSalts;
  readonly view: PrefixView;
  /** Ascending by position. */
  readonly breakpoints: readonly Breakpoint[];
  readonly startMs: number;
  /** When the response begins and what is written becomes readable; may depend on the tokens not read. */
  readonly readableAtMs: number | ((uncachedTokens: number) => number);
  /** When the response is complete. */
  readonly endsAtMs?: (uncachedTokens: number) => number;
  /** `read-only` looks up and renews but leaves nothing behind: what is not read is plain input. */
  readonly write: 'write' | 'read-only';
  /** Tokens of the answer and its first block, for caches that store it with its prompt. */
  readonly outputTokens?: number;
  readonly answer?: Digest | null;
  /** Whose request it is, for caches whose hits are chance: the session, and the request in it whatever the policy. */
  readonly luck?: Luck | null;
  /** Tokens at its beginning that others keep in a cache without marks. */
  readonly outsideTokens?: number;
}

/** What chance is drawn by: a changed policy leaves the luck of the other requests alone. */
export interface Luck {
  readonly session: Digest;
  readonly request: Digest;
}

/** What the cache did: promptTokens = inputTokens + readTokens + write5mTokens + write1hTokens (CCH-3). */
export interface CacheOutcome {
  readonly readTokens: number;
  readonly write5mTokens: number;
  readonly write1hTokens: number;
  readonly inputTokens: number;
  /** Position of the entry that was read; −1 when none was. */
  readonly hitPosition: number;
  /** Lifetime of the entry that was read. */
  readonly hitTtlMs: number | null;
  readonly promptTokens: number;
  /** A longer entry was there, but its first response had not begun (CCH-5). */
  readonly sawUnreadable: boolean;
  /** What chance had a say in; absent if it had none. */
  readonly odds?: HitOdds;
  /** How long what was read or stored lives; absent if the kind of the write says it. */
  readonly lifetimeMs?: number;
  /** Why less was read than had been stored; absent if nothing was missing, and where the client's marks decide. */
  readonly short?: ShortCause;
}

/** What keeps a provider from reading all that it has stored: its lifetime, chance, or the steps in which it reads. */
export type ShortCause = 'expired' | 'chance' | 'rounding';

/** What a request could read, and the chance that it comes up short. */
export interface HitOdds {
  readonly hit: HitChance;
  /** Since the entry was used last. */
  readonly gapMs: number;
  /** Tokens that are read where all is found. */
  readonly fullTokens: number;
  /** Whose luck it is. */
  readonly session: Digest;
}

/** How far a prompt was read and written, from its beginning. */
interface Reached
  extends Pick<CacheOutcome, 'readTokens' | 'promptTokens' | 'hitPosition' | 'hitTtlMs' | 'sawUnreadable'> {
  /** End of what is written to live an hour, and of all that is written. */
  readonly longEnd: number;
  readonly writtenEnd: number;
  readonly odds: HitOdds | null;
}

/** The outcome of a request: what is neither read nor written is plain input. */
export function outcomeOf(reached: Reached): CacheOutcome {
  const { readTokens, longEnd, writtenEnd, promptTokens, hitPosition, hitTtlMs, sawUnreadable, odds } =
    reached;
  const outcome = {
    readTokens,
    write5mTokens: writtenEnd - longEnd,
    write1hTokens: longEnd - readTokens,
    inputTokens: promptTokens - writtenEnd,
    hitPosition,
    hitTtlMs,
    promptTokens,
    sawUnreadable,
  };
  return odds === null ? outcome : { ...outcome, odds };
}

/** The server's prompt cache (CCH-1 … CCH-5). Requests come in the order of their starts. */
export interface PromptCache {
  request(request: CacheRequest): CacheOutcome;
  /** Entries held, expired ones included until they are swept. */
  readonly size: number;
  /** Whether an entry for a prefix that ends at one of these positions can be read then; absent if nobody can tell. */
  isLive?(view: PrefixView, salts: LevelSalts, from: number, to: number, atMs: number): boolean;
  /** Loses everything, as a server may. */
  clear(): void;
  /** A cache of the same rules that holds the same entries; absent if that is not known to be all there is. */
  copy?(): PromptCache;
}

/** Few enough that the table of a session stays small: checkpoints copy it. */
const SWEEP_MIN_ENTRIES = 1_024;

function checkBreakpoints(breakpoints: readonly Breakpoint[], length: number): void {
  let previous = -1;
  for (let i = 0; i < breakpoints.length; i++) {
    const { position } = breakpoints[i]!;
    if (position <= previous || position >= length) {
      throw new CcbenchError(
        'invariant',
        `breakpoint ${position} is out of order or outside ${length} positions`,
      );
    }
    previous = position;
  }
}

/** Key of the entry for the prefix that ends at a position. */
export function keyAt(view: PrefixView, salts: LevelSalts, position: number): Digest {
  return keyOf(view.digests, view.toolsEnd, view.systemEnd, salts, position);
}

/** The same for whoever has the parts of the view at hand. */
function keyOf(
  digests: ArrayLike<number>,
  toolsEnd: number,
  systemEnd: number,
  salts: LevelSalts,
  position: number,
): Digest {
  const salt = position < toolsEnd ? salts.tools : position < systemEnd ? salts.system : salts.messages;
  return chainDigest(digests[position]!, salt);
}

/** When what a request writes becomes readable. */
export function readyTime(
  { readableAtMs, endsAtMs }: CacheRequest,
  uncachedTokens: number,
  { event, plusMs }: CacheRules['visibleAfter'],
): number {
  if (event === 'response-end' && endsAtMs !== undefined) return endsAtMs(uncachedTokens) + plusMs;
  return (typeof readableAtMs === 'number' ? readableAtMs : readableAtMs(uncachedTokens)) + plusMs;
}

const AT_START: CacheRules['visibleAfter'] = { event: 'response-start', plusMs: 0 };

/** Creates an empty cache. */
export function createPromptCache(options: PromptCacheOptions = {}): PromptCache {
  return createCacheOf(new EntryTable(), SWEEP_MIN_ENTRIES, options);
}

/** A cache that holds some entries, and sweeps when there are that many. */
function createCacheOf(entries: EntryTable, firstSweepAt: number, options: PromptCacheOptions): PromptCache {
  const lifetime = createLifetime(options.fade ?? 'off', options.seed ?? 0);
  const lookback = options.lookback ?? 'documented';
  const visibleAfter = options.visibleAfter ?? AT_START;
  const positions = options.positions ?? LOOKBACK_POSITIONS;
  const { lifetimes } = options;
  const hasLong = lifetimes === undefined || lifetimes.longMs !== null;
  let sweepAt = firstSweepAt;

  function renew(slot: number, key: Digest, startMs: number): void {
    const expiresAtMs = startMs + lifetime(entries.ttlMs[slot]!, key, startMs);
    if (expiresAtMs > entries.expiresAtMs[slot]!) entries.expiresAtMs[slot] = expiresAtMs;
  }

  function renewAt(request: CacheRequest, position: number): void {
    const key = keyAt(request.view, request.salts, position);
    const slot = entries.find(key);
    if (slot === -1 || request.startMs < entries.readyAtMs[slot]!) return;
    if (request.startMs < entries.expiresAtMs[slot]!) renew(slot, key, request.startMs);
  }

  /** Live entries below the hit are renewed at the request's own breakpoints; the documentation is silent on it. */
  function renewBelow(request: CacheRequest, hitPosition: number): void {
    for (let i = 0; i < request.breakpoints.length; i++) {
      const { position } = request.breakpoints[i]!;
      if (position < hitPosition) renewAt(request, position);
    }
  }

  /** An entry that is alive but not yet readable keeps the earlier readiness and the longer life. */
  function writeAt(request: CacheRequest, position: number, ttlMs: number, readyAtMs: number): void {
    const { startMs } = request;
    const key = keyAt(request.view, request.salts, position);
    const expiresAtMs = startMs + lifetime(ttlMs, key, startMs);
    const slot = entries.find(key);
    if (slot === -1) entries.add(key, readyAtMs, expiresAtMs, ttlMs);
    else if (startMs >= entries.expiresAtMs[slot]!) {
      entries.readyAtMs[slot] = readyAtMs;
      entries.expiresAtMs[slot] = expiresAtMs;
      entries.ttlMs[slot] = ttlMs;
    } else {
      if (readyAtMs < entries.readyAtMs[slot]!) entries.readyAtMs[slot] = readyAtMs;
      if (expiresAtMs > entries.expiresAtMs[slot]!) entries.expiresAtMs[slot] = expiresAtMs;
      if (ttlMs > entries.ttlMs[slot]!) entries.ttlMs[slot] = ttlMs;
    }
  }

  /** Drops entries dead for an hour once the store has doubled; no lookup can tell the difference. */
  function sweep(nowMs: number): void {
    if (entries.size < sweepAt) return;
    entries.dropBefore(nowMs - MS_PER_HOUR);
    sweepAt = Math.max(SWEEP_MIN_ENTRIES, entries.size * 2);
  }

  function handle(request: CacheRequest): CacheOutcome {
    const { view, salts, breakpoints, startMs, model } = request;
    const { length, digests, sums, toolsEnd, systemEnd } = view;
    checkBreakpoints(breakpoints, length);
    const promptTokens = length === 0 ? 0 : sums[length - 1]!;

    let hitPosition = -1;
    let hitTtlMs: number | null = null;
    let sawUnreadable = false;
    let unexamined = length - 1;
    for (let b = breakpoints.length - 1; b >= 0 && hitPosition < 0; b--) {
      const { position } = breakpoints[b]!;
      if (sums[position]! < model.minCacheableTokens) break;
      // Most requests read what lies close by: how far one may look in all is computed when it gets there.
      let lowest = Math.max(0, position - positions + 1);
      let isWhole = false;
      for (let i = Math.min(position, unexamined); ; i--) {
        if (i < lowest && !isWhole) {
          lowest = lookbackStart(view, position, lookback, positions);
          isWhole = true;
        }
        if (i < lowest) break;
        const key = keyOf(digests, toolsEnd, systemEnd, salts, i);
        const slot = entries.find(key);
        if (slot === -1 || startMs >= entries.expiresAtMs[slot]!) continue;
        if (startMs < entries.readyAtMs[slot]!) {
          sawUnreadable = true;
          continue;
        }
        hitPosition = i;
        hitTtlMs = entries.ttlMs[slot]!;
        renew(slot, key, startMs);
        break;
      }
      unexamined = Math.min(unexamined, lowest - 1);
    }
    const readTokens = hitPosition < 0 ? 0 : sums[hitPosition]!;
    if (hitPosition >= 0) renewBelow(request, hitPosition);

    let longEnd = readTokens;
    let writtenEnd = readTokens;
    if (request.write === 'write') {
      const readyAtMs = readyTime(request, promptTokens - readTokens, visibleAfter);
      for (let b = 0; b < breakpoints.length; b++) {
        const { position } = breakpoints[b]!;
        const asked = breakpoints[b]!.ttlMs;
        const isLong = hasLong && isLongTtl(asked);
        const ttlMs = lifetimes === undefined ? asked : isLong ? lifetimes.longMs! : lifetimes.shortMs;
        const tokens = sums[position]!;
        if (position <= hitPosition || tokens < model.minCacheableTokens) continue;
        writeAt(request, position, ttlMs, readyAtMs);
        writtenEnd = tokens;
        if (isLong) longEnd = tokens;
      }
      sweep(startMs);
    }
    return outcomeOf({
      readTokens,
      longEnd,
      writtenEnd,
      promptTokens,
      hitPosition,
      hitTtlMs,
      sawUnreadable,
      odds: null,
    });
  }

  return {
    request: handle,
    get size() {
      return entries.size;
    },
    isLive(view, salts, from, to, atMs) {
      for (let i = to; i >= from; i--) {
        const slot = entries.find(keyAt(view, salts, i));
        if (slot !== -1 && atMs < entries.expiresAtMs[slot]! && atMs >= entries.readyAtMs[slot]!) return true;
      }
      return false;
    },
    clear() {
      entries.clear();
    },
    copy() {
      return createCacheOf(new EntryTable(entries), sweepAt, options);
    },
  };
}
