import type { Usage } from '../../../core/model/usage.js';

/** Counts as the Gemini API names them; null where the record has none. */
export interface GoogleCounts {
  /** The whole prompt, cached tokens included. */
  readonly prompt: number | null;
  readonly cached: number | null;
  readonly candidates: number | null;
  readonly thoughts: number | null;
  /** Results of tools that run on the server; billed as input. */
  readonly tool: number | null;
  readonly total: number | null;
}

/**
 * Usage in the normal form; null where nothing was counted. Clients in front of other APIs count thoughts with the answer, and
 * the total tells: it is the sum of what stands apart.
 */
export function googleUsage(counts: GoogleCounts): Usage | null {
  const prompt = counts.prompt ?? 0;
  const candidates = counts.candidates ?? 0;
  if (prompt <= 0 && candidates <= 0) return null;
  const thoughts = counts.thoughts ?? 0;
  const tool = counts.tool ?? 0;
  const cacheRead = Math.min(Math.max(0, counts.cached ?? 0), prompt);
  const isThoughtInside = counts.total !== null && counts.total === prompt + candidates + tool;
  const isToolInside = counts.total !== null && counts.total === prompt + candidates + thoughts;
  return {
    input: prompt - cacheRead + (isToolInside ? 0 : tool),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: candidates + (isThoughtInside ? 0 : thoughts),
  };
}
