import { ownValue } from '../../core/base/own-value.js';
import type { StatusEntry } from '../../core/run/log-entries.js';

/** Metrics whose names are not words already. */
const WORDS: Readonly<Record<string, string>> = {
  cacheHitRate: 'cache-hit rate',
  finishedShare: 'finished',
  peakContextTokens: 'largest context',
  contentRetention: 'content kept',
  apiCalls: 'requests',
  faultsNone: 'faults, if summaries keep nothing',
  faultsAll: 'faults, if summaries keep all',
  faultsFitted: 'faults, fitted',
  faultsLeast: 'fewest faults possible',
};

/** A metric as people read it: `costUsd` is the cost, `compactionsPrevented` are compactions prevented. */
export function metricWords(name: string): string {
  const known = ownValue(WORDS, name);
  if (known !== undefined) return known;
  const [first = '', ...rest] = name.split('.');
  const words = first
    .replace(/Usd/g, '')
    .split(/(?=[A-Z])/)
    .map((word) => word.toLowerCase());
  return [...words, ...rest].join(' ');
}

/** What a client shows, in a word or two (WIN-5). */
export function shownName({ warning, error }: Pick<StatusEntry, 'warning' | 'error'>): string {
  if (warning) return error ? 'warning and error' : 'warning';
  return error ? 'error' : 'no warning';
}
