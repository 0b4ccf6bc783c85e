/** Results that are kept at hand; beyond that they are computed again. */
const MAX_KEPT = 20_000;

/** The same work on sentences, done once for each: a session says the same again with every replay. */
export function remembered<T extends object>(workOut: (sentence: string) => T): (sentence: string) => T {
  const known = new Map<string, T>();
  return (sentence) => {
    let result = known.get(sentence);
    if (result === undefined) {
      result = workOut(sentence);
      if (known.size >= MAX_KEPT) known.clear();
      known.set(sentence, result);
    }
    return result;
  };
}
