import { formatCount, formatCounted, printable } from '../../core/base/format.js';
import { completionOf } from '../../metrics/completion.js';
import type { RunFacts } from '../../metrics/facts.js';

/** What went unanswered in a run that did not finish, and why; null for one that did. */
export function unfinishedText(facts: RunFacts): string | null {
  const { calls, answered, lost, finished, reason } = completionOf(facts);
  if (finished) return null;
  if (!facts.complete) return 'unfinished: the run did not come to its end, and its numbers are partial';
  if (calls === 0) return 'unfinished: the transcript holds no calls, so nothing was answered';
  const why = reason === null ? '' : ` (${printable(reason)})`;
  if (answered === 0) return `unfinished: none of ${formatCounted(calls, 'call')} was answered${why}`;
  return `unfinished: ${formatCount(lost)} of ${formatCounted(calls, 'call')} ${lost === 1 ? 'was' : 'were'} not answered${why}; every number is of the other ${formatCount(answered)}`;
}
