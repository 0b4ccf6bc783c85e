/** Fails with a sentence: cheaper than an expectation for each block of each request. */
export function must(holds: boolean, sentence: () => string): asserts holds {
  if (!holds) throw new Error(sentence());
}
