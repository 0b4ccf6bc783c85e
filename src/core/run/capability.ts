/** What a source can provide, in the order in which it is listed; layers and metrics that need more are skipped visibly. */
export const CAPABILITIES = [
  'text',
  'timestamps',
  'usage',
  'lifetimes',
  'cache-writes',
  'tools',
  'subagents',
  'boundaries',
  'output-tokens',
  'latency',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** What is left without some of it. */
export function less(carries: readonly Capability[], missing: Iterable<Capability>): readonly Capability[] {
  const left = new Set(missing);
  return carries.filter((each) => !left.has(each));
}

/** Everything that a source can provide except these. */
export function allBut(...missing: readonly Capability[]): readonly Capability[] {
  return less(CAPABILITIES, missing);
}
