import type { Prices } from '../../provider/prices/model-row.js';

/** A clearing: tokens behind the edit that must be written again, and tokens that are gone from then on. */
export interface Clearing {
  readonly rewritten: number;
  readonly freed: number;
}

/** Further requests after which clearing has paid for itself; null where reads are free and it never does. */
export function clearingBreakEven(
  { cacheWrite5m, cacheRead }: Pick<Prices, 'cacheWrite5m' | 'cacheRead'>,
  { rewritten, freed }: Clearing,
): number | null {
  const savedByRequest = cacheRead * freed;
  return savedByRequest === 0 ? null : ((cacheWrite5m - cacheRead) * rewritten) / savedByRequest;
}
