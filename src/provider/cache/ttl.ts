import { MS_PER_HOUR, MS_PER_MINUTE } from '../../core/base/clock.js';
import type { ModelRow } from '../prices/model-row.js';

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
