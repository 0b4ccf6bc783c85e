/** Sums of a Gemini CLI chat, taken from the text of the file alone. */
export interface GeminiCount {
  readonly calls: number;
  readonly prompt: number;
  readonly cached: number;
  readonly output: number;
}

const TOKENS = /"tokens":\s*\{([^}]*)\}/g;

function numberAfter(name: string, text: string): number {
  return Number(new RegExp(`"${name}":\\s*(\\d+)`).exec(text)?.[1] ?? 0);
}

/** Adds up the counts of every message that was billed. */
export function countGemini(text: string): GeminiCount {
  let count: GeminiCount = { calls: 0, prompt: 0, cached: 0, output: 0 };
  for (const [, body] of text.matchAll(TOKENS)) {
    if (numberAfter('total', body!) === 0) continue;
    count = {
      calls: count.calls + 1,
      prompt: count.prompt + numberAfter('input', body!),
      cached: count.cached + numberAfter('cached', body!),
      output: count.output + numberAfter('output', body!) + numberAfter('thoughts', body!),
    };
  }
  return count;
}
