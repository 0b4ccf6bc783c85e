import { formatCount } from '../../core/base/format.js';

/** A difference with its sign; one that is rounded to nothing has none. */
export function formatSigned(value: number | null, format: (size: number) => string): string {
  if (value === null) return formatCount(null);
  const size = format(Math.abs(value));
  if (size === format(0)) return size;
  return `${value < 0 ? '−' : '+'}${size}`;
}
