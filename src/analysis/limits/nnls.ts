/** A pivot below this share of its column means that columns say the same. */
const SINGULAR = 1e-10;

/** Solves a symmetric positive definite system by Cholesky's method; null where it is singular. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] | null {
  const size = right.length;
  const low: number[][] = [];
  for (let i = 0; i < size; i++) {
    const row: number[] = [];
    for (let j = 0; j <= i; j++) {
      let rest = matrix[i]![j]!;
      for (let k = 0; k < j; k++) rest -= row[k]! * (j === i ? row[k]! : low[j]![k]!);
      if (j < i) row.push(rest / low[j]![j]!);
      else if (rest <= SINGULAR * matrix[i]![i]!) return null;
      else row.push(Math.sqrt(rest));
    }
    low.push(row);
  }
  const y: number[] = [];
  for (let i = 0; i < size; i++) {
    let rest = right[i]!;
    for (let k = 0; k < i; k++) rest -= low[i]![k]! * y[k]!;
    y.push(rest / low[i]![i]!);
  }
  const x = new Array<number>(size).fill(0);
  for (let i = size - 1; i >= 0; i--) {
    let rest = y[i]!;
    for (let k = i + 1; k < size; k++) rest -= low[k]![i]! * x[k]!;
    x[i] = rest / low[i]![i]!;
  }
  return x;
}

/**
 * Least squares without negative values (Lawson and Hanson): the x ≥ 0 for which rows · x is nearest to the values. Null where columns
 * say the same, or one is empty.
 */
export function leastSquares(
  rows: readonly (readonly number[])[],
  values: readonly number[],
): readonly number[] | null {
  const size = rows[0]?.length ?? 0;
  const columns = Array.from({ length: size }, (_, j) => rows.map((row) => row[j]!));
  const norms = columns.map((column) => Math.hypot(...column));
  if (size === 0 || norms.includes(0)) return null;
  const unit = columns.map((column, j) => column.map((value) => value / norms[j]!));
  const dot = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const gram = unit.map((a) => unit.map((b) => dot(a, b)));
  const right = unit.map((column) => dot(column, values));
  if (solve(gram, right) === null) return null;
  const free: number[] = [];
  let x: number[] = new Array<number>(size).fill(0);
  const within = (): readonly number[] | null =>
    solve(
      free.map((i) => free.map((j) => gram[i]![j]!)),
      free.map((i) => right[i]!),
    );
  // Each round frees one value; a value may be fixed at zero again, so rounds are bounded.
  for (let round = 0; round < 3 * size; round++) {
    const slope = right.map((value, i) => value - dot(gram[i]!, x));
    const fixed = slope.map((_, i) => i).filter((i) => !free.includes(i));
    const next = fixed.sort((a, b) => slope[b]! - slope[a]! || a - b)[0];
    if (next === undefined || slope[next]! <= 1e-12 * Math.hypot(...right)) break;
    free.push(next);
    for (let found = within(); found !== null; found = within()) {
      const own = found;
      const negative = free.map((_, k) => k).filter((k) => own[k]! <= 0);
      if (negative.length === 0) {
        x = x.map((_, i) => (free.includes(i) ? own[free.indexOf(i)]! : 0));
        break;
      }
      const step = Math.min(...negative.map((k) => x[free[k]!]! / (x[free[k]!]! - own[k]!)));
      for (const [k, i] of free.entries()) x[i] = x[i]! + step * (own[k]! - x[i]!);
      const kept = free.filter((i) => x[i]! > 1e-15);
      free.splice(0, free.length, ...kept);
      x = x.map((value, i) => (kept.includes(i) ? value : 0));
      if (kept.length === 0) break;
    }
  }
  return x.map((value, i) => value / norms[i]!);
}
