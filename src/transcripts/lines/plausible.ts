import { formatCount } from '../../core/base/format.js';
import { promptTokens, type Usage } from '../../core/model/usage.js';
import type { WarningList } from '../../core/run/warning.js';
import { decodeBytes, type JsonLinesOptions, streamJsonLines } from './json-lines.js';

/** No request has more tokens: twenty times the largest window. */
export const MOST_TOKENS = 20_000_000;

function isPlausible(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS;
}

/**
 * A token count of a record: null if there is none, NaN if no request can have it (negative, fractional, too large). NaN goes
 * through all sums, so that the whole usage it is part of is left out where a response is taken in.
 */
export function tokensOf(value: unknown): number | null {
  if (typeof value !== 'number') return null;
  return isPlausible(value) ? value : Number.NaN;
}

/** A token count that nothing is computed from: null if it is implausible. */
export function knownTokens(value: unknown): number | null {
  return typeof value === 'number' && isPlausible(value) ? value : null;
}

/** Whether a request can have been billed so. */
export function isPlausibleUsage(usage: Usage): boolean {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = usage;
  return (
    [input, cacheRead, cacheWrite5m, cacheWrite1h, output].every(isPlausible) &&
    isPlausible(promptTokens(usage))
  );
}

/** Warns of usage that was left out, with the first line that has it. */
export function warnOfUsage(warnings: WarningList, line: number | null, count = 1): void {
  warnings.add(
    'bad-usage',
    `usage that no request can have (negative, fractional or above ${formatCount(MOST_TOKENS)} tokens) was left out${line === null ? '' : `, first in line ${line}`}`,
    'the prompts of these requests are sized by estimate',
    count,
  );
}

const COUNTED = /token|usage|cache|input|output|prompt|reads|writes/i;

/** The first line of a file of JSON lines with an implausible count; null if the file is one document. Read only for the warning. */
export function implausibleLine(
  bytes: Uint8Array,
  options: Omit<JsonLinesOptions, 'warnings'>,
): number | null {
  const quiet = { ...options, warnings: { add: () => undefined, list: () => [] } };
  try {
    for (const { line, value } of streamJsonLines([decodeBytes(bytes, quiet)], quiet))
      if (hasImplausible(value, '')) return line;
  } catch {
    // One document over several lines has no readable line.
  }
  return null;
}

function hasImplausible(value: unknown, key: string): boolean {
  if (typeof value === 'number') return COUNTED.test(key) && !isPlausible(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => hasImplausible(inner, `${key}.${name}`));
}
