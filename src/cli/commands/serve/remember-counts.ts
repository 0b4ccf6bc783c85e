/** Characters of texts that are remembered; a conversation of a million tokens fits several times. */
const MOST_CHARS = 32_000_000;

/** A counter that counts a text once: a conversation comes again whole with every request. */
export function rememberCounts(counter: { count(text: string): number }): { count(text: string): number } {
  const known = new Map<string, number>();
  let chars = 0;
  return {
    count(text) {
      let tokens = known.get(text);
      if (tokens !== undefined) return tokens;
      tokens = counter.count(text);
      if (chars > MOST_CHARS) {
        known.clear();
        chars = 0;
      }
      chars += text.length;
      known.set(text, tokens);
      return tokens;
    },
  };
}
