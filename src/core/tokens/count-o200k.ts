import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Special tokens count as the text they are. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/**
 * Counts tokens of o200k with the fast library. The only file that holds it: the build puts the one encoding that is used into it, and
 * an installation needs none of the others.
 */
export function countO200k(text: string): number {
  return countTokens(text, AS_TEXT);
}
