import { MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../../core/base/clock.js';
import { chainDigest, type Digest, digestParts } from '../../core/base/digest.js';
import type { ModelRow } from '../prices/model-row.js';

/**
 * How five-minute entries end: exactly on time, where fewer than half are left (`expected`), where no more than half
 * are (`likely`), or drawn from the recorded curve.
 */
export type FadeMode = 'off' | 'expected' | 'likely' | 'sampled';

/** Recorded share of full hits for gaps between request starts that end here; the first begins at five minutes (evidence E6). */
export interface FadeBin {
  readonly toMs: number;
  readonly fullHitShare: number;
}

function bin(toSeconds: number, fullHitShare: number): FadeBin {
  return { toMs: toSeconds * MS_PER_SECOND, fullHitShare };
}

/** What is left of five-minute entries after their time; beyond the last bin 1 to 4 % of requests hit, taken as none. @internal */
export const FADE_BINS: readonly FadeBin[] = [
  bin(310, 0.8889),
  bin(330, 0.5),
  bin(360, 0.2609),
  bin(420, 0.0323),
];

/** Share from which the deterministic mode counts an entry as alive. */
const EXPECTED_SHARE = 0.5;
/** Share that the cautious mode asks for: more than half. */
const LIKELY_SHARE = 0.51;

const TWO_TO_53 = 2 ** 53;

/** The lifetime of an entry that was written or read at a time. Only five-minute entries fade. */
export type Lifetime = (ttlMs: number, key: Digest, startMs: number) => number;

/** Longest recorded lifetime whose share of survivors is above the mark. */
function lifetimeAt(mark: number): number {
  let lifetime = TTL_5M_MS;
  for (let i = 0; i < FADE_BINS.length; i++) {
    const { toMs, fullHitShare } = FADE_BINS[i]!;
    if (fullHitShare < mark) break;
    lifetime = toMs;
  }
  return lifetime;
}

/** Creates the lifetime rule of a fade mode. A sampled lifetime depends on seed, key and time alone, never on order. */
export function createLifetime(mode: FadeMode, seed: number): Lifetime {
  if (mode === 'off') return (ttlMs) => ttlMs;
  if (mode === 'expected' || mode === 'likely') {
    const expectedMs = lifetimeAt(mode === 'expected' ? EXPECTED_SHARE : LIKELY_SHARE);
    return (ttlMs) => (ttlMs === TTL_5M_MS ? expectedMs : ttlMs);
  }
  const salt = digestParts(['fade', seed]);
  return (ttlMs, key, startMs) => {
    if (ttlMs !== TTL_5M_MS) return ttlMs;
    return lifetimeAt((chainDigest(chainDigest(salt, key), startMs) + 1) / TWO_TO_53);
  };
}

/** The short lifetime of a cache entry (CCH-2). */
export const TTL_5M_MS = 5 * MS_PER_MINUTE;

/** The long lifetime of a cache entry (CCH-2). */
export const TTL_1H_MS = MS_PER_HOUR;

/** The lifetime class a billed write belongs to: anything beyond five minutes is billed as an hour. */
export function isLongTtl(ttlMs: number): boolean {
  return ttlMs > TTL_5M_MS;
}

/** Whether a model offers entries that live an hour: they have a price of their own, and a higher one. */
export function offersHour({ pricesPerMTok }: Pick<ModelRow, 'pricesPerMTok'>): boolean {
  return pricesPerMTok.cacheWrite1h > pricesPerMTok.cacheWrite5m;
}

/** The lifetime that a setting stands for with a model: an hour is had only where it is offered. */
export function chosenTtlMs(setting: '5m' | '1h', model: Pick<ModelRow, 'pricesPerMTok'>): number {
  return setting === '1h' && offersHour(model) ? TTL_1H_MS : TTL_5M_MS;
}
