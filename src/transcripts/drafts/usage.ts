import type { Usage } from '../../core/model/usage.js';

/** Counts of a request as a record tells them; null where it has none. */
export interface Counts {
  readonly prompt: number | null;
  readonly read: number | null;
  readonly written: number | null;
  readonly output: number | null;
}

/** Whether the prompt of a record holds what was read and written. */
export type PromptRule = 'inside' | 'apart';

/** More read than the prompt is long cannot be inside it. */
export function promptRule(all: readonly Counts[]): PromptRule {
  return all.some(({ prompt, read }) => (read ?? 0) > (prompt ?? 0)) ? 'apart' : 'inside';
}

/** Usage in the normal form; null where nothing was counted. */
export function usageOf(counts: Counts, rule: PromptRule): Usage | null {
  const prompt = counts.prompt ?? 0;
  const output = counts.output ?? 0;
  const cacheRead = counts.read ?? 0;
  const cacheWrite5m = counts.written ?? 0;
  if (prompt + cacheRead + cacheWrite5m + output <= 0) return null;
  const input = rule === 'apart' ? prompt : Math.max(0, prompt - cacheRead - cacheWrite5m);
  return { input, cacheRead, cacheWrite5m, cacheWrite1h: 0, output };
}

/** Usage of a prompt that is as long as it says: no more was read and written than it holds. */
export function usageWithin(prompt: number, counts: Omit<Counts, 'prompt'>): Usage {
  const cacheRead = Math.min(prompt, counts.read ?? 0);
  const cacheWrite5m = Math.min(prompt - cacheRead, counts.written ?? 0);
  const input = prompt - cacheRead - cacheWrite5m;
  return { input, cacheRead, cacheWrite5m, cacheWrite1h: 0, output: counts.output ?? 0 };
}
