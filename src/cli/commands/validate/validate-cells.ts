import { formatFixed, printable } from '../../../core/base/format.js';
import { inputId } from '../../../transcripts/files/read-input.js';

/** Longest name of a file in a table. */
const NAME_CHARS = 34;

/** A share as a percentage with two decimals. */
export function percent(share: number | null): string {
  return share === null ? '–' : `${formatFixed(share * 100, 2)}%`;
}

/** The same with its sign. */
export function signedPercent(share: number | null): string {
  if (share === null) return '–';
  const size = percent(Math.abs(share));
  if (Math.round(Math.abs(share) * 10_000) === 0) return size;
  return `${share < 0 ? '−' : '+'}${size}`;
}

/** The name of a file, cut where it is long. */
export function shortName(path: string): string {
  const name = printable(inputId(path));
  return name.length <= NAME_CHARS ? name : `${name.slice(0, NAME_CHARS - 1)}…`;
}

/** A request by its file and thread, counted from 1 as `why` counts. */
export function requestName(file: string, thread: string, index: number): string {
  return `${shortName(file)} ${printable(thread)}#${index + 1}`;
}
