import { CcbenchError } from '../../core/base/errors.js';

/** A constant, or quantiles: a share `p[i]` of the values is at most `v[i]`; between them the logarithm is linear. */
export type Distribution = number | QuantileTable;

/** Quantiles of a distribution: `p` rises from 0 to 1, `v` never falls. */
export interface QuantileTable {
  readonly p: readonly number[];
  readonly v: readonly number[];
}

/** The value below which a share u (0…1) of a distribution lies. */
export type Sampler = (u: number) => number;

/** Prepares a distribution for sampling; the name is for the error when it is malformed. */
export function compileDistribution(name: string, distribution: Distribution): Sampler {
  if (typeof distribution === 'number') {
    if (!(distribution >= 0 && Number.isFinite(distribution)))
      throw malformed(name, 'a constant must not be negative');
    return () => distribution;
  }
  const { p, v } = distribution;
  check(name, p, v);
  const shares = Float64Array.from(p);
  const values = Float64Array.from(v);
  const logs = values.map((value) => Math.log(value));
  const last = shares.length - 1;
  return (u) => {
    let i = 1;
    while (i < last && u > shares[i]!) i++;
    const low = values[i - 1]!;
    const width = shares[i]! - shares[i - 1]!;
    const part = width === 0 ? 1 : (u - shares[i - 1]!) / width;
    if (low <= 0) return low + (values[i]! - low) * part;
    return Math.exp(logs[i - 1]! + (logs[i]! - logs[i - 1]!) * part);
  };
}

function check(name: string, p: readonly number[], v: readonly number[]): void {
  if (p.length < 2 || p.length !== v.length)
    throw malformed(name, '`p` and `v` need the same length, at least two');
  if (p[0] !== 0 || p.at(-1) !== 1) throw malformed(name, '`p` must begin with 0 and end with 1');
  for (let i = 0; i < p.length; i++) {
    if (!(v[i]! >= 0 && Number.isFinite(v[i]))) throw malformed(name, 'values must not be negative');
    if (i > 0 && (p[i]! <= p[i - 1]! || v[i]! < v[i - 1]!))
      throw malformed(name, '`p` must rise and `v` must not fall');
  }
}

function malformed(name: string, sentence: string): CcbenchError {
  return new CcbenchError('bad-value', `the distribution "${name}" is malformed: ${sentence}`, {
    hint: 'give a number, or { p: [0, 0.5, 1], v: [10, 100, 1000] }',
  });
}
