import type { StatusEntry } from '../../core/run/run-log.js';

/** What a client shows, in a word or two (WIN-5). */
export function shownName({ warning, error }: Pick<StatusEntry, 'warning' | 'error'>): string {
  if (warning) return error ? 'warning and error' : 'warning';
  return error ? 'error' : 'no warning';
}
