/** Times below this are seconds, those above it milliseconds: it is 2001 in one unit and 33658 in the other. */
const FIRST_MS = 1e12;

const HAS_ZONE = /(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * Milliseconds since 1970 of a time as records write it: ISO text, milliseconds or seconds. A text without a zone is taken for UTC,
 * so that it is the same on every machine. Null when it is none.
 */
export function timeOf(value: unknown): number | null {
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || value <= 0) return null;
    return Math.round(value < FIRST_MS ? value * 1_000 : value);
  }
  if (typeof value !== 'string') return null;
  const ms = Date.parse(HAS_ZONE.test(value) ? value : `${value}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/** The latest of some times; null when none is known. */
export function latestOf(times: readonly (number | null)[]): number | null {
  let latest: number | null = null;
  for (const time of times) if (time !== null && (latest === null || time > latest)) latest = time;
  return latest;
}
