import type { Usage } from '../../core/model/usage.js';

/** Counts of a client that speaks to many providers; null where it has none. */
export interface PromptCounts {
  readonly prompt: number | null;
  readonly read: number | null;
  readonly written: number | null;
  readonly output: number | null;
}

/** Whether the prompt holds what was read and written. More read than the prompt is long cannot be inside it. */
export function promptRule(all: readonly PromptCounts[]): 'inside' | 'apart' {
  return all.some(({ prompt, read }) => (read ?? 0) > (prompt ?? 0)) ? 'apart' : 'inside';
}

/** Usage in the normal form; null where nothing was counted. */
export function litellmUsage(counts: PromptCounts, rule: 'inside' | 'apart'): Usage | null {
  const prompt = counts.prompt ?? 0;
  const output = counts.output ?? 0;
  const cacheRead = counts.read ?? 0;
  const cacheWrite5m = counts.written ?? 0;
  if (prompt + cacheRead + cacheWrite5m + output <= 0) return null;
  const input = rule === 'apart' ? prompt : Math.max(0, prompt - cacheRead - cacheWrite5m);
  return { input, cacheRead, cacheWrite5m, cacheWrite1h: 0, output };
}
