/** Percent of a limit that is left, rounded, never below 0 (WIN-5). */
export function percentLeft(limit: number, used: number): number {
  return limit <= 0 ? 0 : Math.max(0, Math.round(((limit - used) / limit) * 100));
}
