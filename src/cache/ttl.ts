import { MS_PER_HOUR, MS_PER_MINUTE } from '../base/clock.js';

/** The short lifetime of a cache entry (CCH-2). */
export const TTL_5M_MS = 5 * MS_PER_MINUTE;

/** The long lifetime of a cache entry (CCH-2). */
export const TTL_1H_MS = MS_PER_HOUR;

/** The lifetime class a billed write belongs to: anything beyond five minutes is billed as an hour. */
export function isLongTtl(ttlMs: number): boolean {
  return ttlMs > TTL_5M_MS;
}
