/** An exponent of growth in two decimals, never a negative zero. */
export function exponentText(exponent: number): string {
  return (Math.round(exponent * 100) / 100 + 0).toFixed(2);
}
