/** Compares two dotted versions by number; what is not a number counts as 0. */
export function compareVersions(a: string, b: string): number {
  const left = a.split(/[.-]/);
  const right = b.split(/[.-]/);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = numberAt(left, i) - numberAt(right, i);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numberAt(parts: readonly string[], index: number): number {
  const value = Number.parseInt(parts[index] ?? '0', 10);
  return Number.isNaN(value) ? 0 : value;
}
