import type { WarningList } from '../../core/run/warning.js';

/** Fewest characters of system and tools for a token: English text and schemas have 4.5, less with newer tokenizers. */
const LEAST_RATIO = 3.4;

/** Characters of the system prompt and of the tools, where a recording tells them (R13). */
export interface PrefixShape {
  readonly systemChars: number;
  readonly toolChars: number;
}

/** What the tokens of a thread are computed from, besides its steps. */
export interface CalibrateOptions {
  readonly charsPerToken: number;
  readonly warnings: WarningList;
  readonly shape?: PrefixShape | null;
}

/** Tokens of system and tools by their part of a prompt's characters; the prompt may hold more that no line shows. */
export function prefixTokensOf(
  shape: PrefixShape | null,
  prompt: number,
  messageChars: number,
): number | null {
  if (shape === null) return null;
  const chars = shape.systemChars + shape.toolChars;
  return Math.round(Math.min((prompt * chars) / (chars + messageChars), chars / LEAST_RATIO));
}
