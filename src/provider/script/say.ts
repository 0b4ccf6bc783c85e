import { fillerText } from '../../core/model/filler.js';
import type { CountTokens } from '../fake-api/api-request.js';
import type { Said } from './script.js';

/** Characters of a token, to begin with. */
const CHARS_PER_TOKEN = 4;

/** How often the length is corrected: tokens go nearly in proportion to it. */
const MOST_TRIES = 8;

/** The words themselves, or filler of that size in tokens, which depends on the seed alone. */
export function say(said: Said, count: CountTokens, seed: string): string {
  if (typeof said === 'string') return said;
  let chars = said * CHARS_PER_TOKEN;
  let text = fillerText(chars, seed);
  for (let i = 0; i < MOST_TRIES; i++) {
    const tokens = count(text);
    if (tokens === said) break;
    chars = Math.max(1, Math.round((chars * said) / Math.max(1, tokens)));
    text = fillerText(chars, seed);
  }
  return text;
}
