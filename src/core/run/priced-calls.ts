/** How many calls a cost is of, and how many of them it leaves out, their models having no price. */
export interface PricedCalls {
  readonly calls: number;
  readonly unpricedCalls: number;
}

/** Adds up the calls of several costs. */
export function addPricedCalls(parts: readonly PricedCalls[]): PricedCalls {
  let calls = 0;
  let unpricedCalls = 0;
  for (const part of parts) {
    calls += part.calls;
    unpricedCalls += part.unpricedCalls;
  }
  return { calls, unpricedCalls };
}

/** True where no call has a price, so that nothing can be said of the cost. */
export function isUnpriced({ calls, unpricedCalls }: PricedCalls): boolean {
  return calls > 0 && unpricedCalls === calls;
}
