import { lazyText, type Text } from '../../../core/model/text.js';

/** A message as a summary quotes it. */
export interface Quote {
  readonly text: Text;
  readonly tokens: number;
}

/** True tokens of the mark between head and tail. */
const MARK_TOKENS = 15;

/** Half of a surrogate pair at either end of a cut. */
const HALF_AT_END = /[\ud800-\udbff]$/;
const HALF_AT_START = /^[\udc00-\udfff]/;

/** Quotes a text whole, or by its head and tail with a mark between them where it has more tokens than the limit (C19). */
export function quoteLong(text: Text, tokens: number, limit: number): Quote {
  if (tokens <= limit) return { text, tokens };
  const mark = `\n[… ${tokens - limit} tokens of this message are left out …]\n`;
  const kept = Math.floor((text.chars * limit) / tokens);
  const head = Math.ceil(kept / 2);
  const tail = kept - head;
  const quoted = Math.min(tokens, limit + MARK_TOKENS);
  if (kept + mark.length >= text.chars) return { text, tokens: quoted };
  return {
    tokens: quoted,
    text: lazyText(kept + mark.length, () => {
      const words = text.read();
      const first = words.slice(0, head).replace(HALF_AT_END, '.');
      const last = words.slice(words.length - tail).replace(HALF_AT_START, '.');
      return first + mark + (tail === 0 ? '' : last);
    }),
  };
}
