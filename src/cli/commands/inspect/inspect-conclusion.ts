import { formatCounted, formatShare } from '../../../core/base/format.js';
import { formatAtLeast, unpricedText } from '../../../report/text/at-least.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import type { SessionsTotal } from './session-facts.js';

function counted(sessions: number, calls: number): string {
  return `${formatCounted(sessions, 'session')} with ${formatCounted(calls, 'call')}`;
}

/** What was found in transcripts, and where to go on. */
export function inspectConclusion(total: SessionsTotal, findings: number): Conclusion {
  const { sessions, calls, costUsd, costCalls, withoutCost, unpricedCalls, hitRate } = total;
  const who = counted(sessions, calls);
  const found = findings === 0 ? 'no problems found' : `${formatCounted(findings, 'finding')} above`;
  if (costUsd === null)
    return {
      result: `${who}, of which no cost is recorded; ${found}.`,
      advice: 'ccbench ttl says what lifetimes of the cache would make of them.',
    };
  const payers = withoutCost === 0 ? who : `Of ${who}, ${counted(sessions - withoutCost, costCalls)}`;
  const priced = { calls: costCalls, unpricedCalls };
  const unpriced = unpricedText(priced);
  const read = hitRate === null ? '' : `, ${formatShare(hitRate)} of the prompts read from the cache`;
  return {
    result: `${payers} cost ${formatAtLeast(costUsd, priced)} as recorded${unpriced === null ? '' : ` (${unpriced})`}${read}; ${found}.`,
    advice: 'Where the money went, and what would have been cheaper: ccbench why, with the same names.',
  };
}
