import type { Conclusion } from '../../../report/conclusion.js';
import { formatCounted, formatMoney, formatShare } from '../../../report/format.js';
import type { SessionsTotal } from './session-facts.js';

/** What was found in transcripts, and where to go on. */
export function inspectConclusion(total: SessionsTotal, findings: number): Conclusion {
  const { sessions, calls, costUsd, hitRate } = total;
  const who = `${formatCounted(sessions, 'session')} with ${formatCounted(calls, 'call')}`;
  const found = findings === 0 ? 'no problems found' : `${formatCounted(findings, 'finding')} above`;
  if (costUsd === null)
    return {
      result: `${who}, of which no cost is recorded; ${found}.`,
      advice: 'ccbench ttl says what lifetimes of the cache would make of them.',
    };
  const read = hitRate === null ? '' : `, ${formatShare(hitRate)} of the prompts read from the cache`;
  return {
    result: `${who} cost ${formatMoney(costUsd)} as recorded${read}; ${found}.`,
    advice: 'Where the money went, and what would have been cheaper: ccbench why, with the same names.',
  };
}
