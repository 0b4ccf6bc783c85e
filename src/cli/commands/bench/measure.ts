/** Milliseconds one call takes. */
export function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Exponent of growth: the slope of log(time) over log(size), by least squares. 1 is linear. */
export function growthExponent(points: readonly { readonly size: number; readonly ms: number }[]): number {
  const xs = points.map((point) => Math.log(point.size));
  const ys = points.map((point) => Math.log(Math.max(point.ms, 1e-9)));
  const meanX = xs.reduce((a, b) => a + b, 0) / xs.length;
  const meanY = ys.reduce((a, b) => a + b, 0) / ys.length;
  let above = 0;
  let below = 0;
  xs.forEach((x, i) => {
    above += (x - meanX) * (ys[i]! - meanY);
    below += (x - meanX) ** 2;
  });
  return below === 0 ? 0 : above / below;
}
