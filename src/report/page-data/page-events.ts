import { formatCounted } from '../../core/base/format.js';
import type { FaultEntry, LogEntry } from '../../core/run/run-log.js';
import { causeWords } from '../text/cause-words.js';
import { shownName } from '../text/metric-words.js';
import type { PageEvent } from './page-data.js';

/** What is true of an event unless its description says otherwise. */
const PLAIN = { turn: null, action: '', outcome: '', lost: 0, details: {} } as const;

/** What was needed and gone, with the words that show it. */
function faultText({ what, tool, path, origin, tokens }: FaultEntry): string {
  const where = [tool ?? origin, path].filter((part) => part !== null).join(' ');
  return `“${what}” of ${where}, ${formatCounted(tokens, 'token')}`;
}

type Described = Pick<PageEvent, 'kind' | 'name' | 'reason'> & Partial<PageEvent>;

function describe(entry: LogEntry): Described | null {
  switch (entry.type) {
    case 'layer': {
      const { trigger, estimatedBefore, estimatedAfter, trueBefore, trueAfter, saved, calls, cost } = entry;
      return {
        kind: 'layer',
        turn: entry.turn,
        name: entry.layer,
        action: entry.action,
        outcome: entry.failure === null ? entry.outcome : `${entry.outcome}: ${entry.failure}`,
        reason: entry.reason,
        layer: { trigger, estimatedBefore, estimatedAfter, trueBefore, trueAfter, saved, calls, cost },
        lost: entry.cacheLost,
        details: entry.details,
      };
    }
    case 'break':
      return {
        kind: 'break',
        name: causeWords(entry.cause),
        action: 'cache break',
        outcome: entry.expected ? 'expected' : 'unexpected',
        reason: entry.expected ? 'it had been announced' : 'nothing had announced it',
        lost: entry.lostTokens,
        details: { request: entry.n, position: entry.position },
      };
    case 'refused':
      return {
        kind: 'refused',
        turn: entry.turn,
        name: entry.error,
        action: entry.purpose,
        outcome: `refused with ${entry.status}`,
        reason: entry.message,
        details: { status: entry.status, prompt: entry.prompt, limit: entry.limit },
      };
    case 'lost':
    case 'ended': {
      const { type: outcome, calls, reason } = entry;
      const isLost = outcome === 'lost';
      const name = isLost ? 'lost calls' : 'calls not made';
      return {
        kind: isLost ? outcome : 'notice',
        name,
        action: `${calls}`,
        outcome,
        reason,
        details: { calls },
      };
    }
    case 'returned':
      return {
        kind: 'notice',
        turn: entry.turn,
        name: 'content returned',
        action: entry.layer,
        outcome: entry.why,
        reason:
          entry.why === 'expired'
            ? `${entry.tokens} deleted tokens are sent again: the cache is gone`
            : `${entry.tokens} cleared tokens are sent again: the record still had them`,
        details: { layer: entry.layer, tokens: entry.tokens },
      };
    case 'crossing':
      return {
        kind: 'notice',
        turn: entry.turn,
        name: entry.state === 'avoided' ? 'compaction prevented' : 'compaction only deferred',
        action: entry.layers.join(', '),
        outcome: entry.state,
        reason: `untouched, the context would have ${entry.uncompactedTokens} tokens; it has ${entry.estimatedTokens}, the threshold is ${entry.threshold}`,
        details: {
          threshold: entry.threshold,
          seen: entry.estimatedTokens,
          untouched: entry.uncompactedTokens,
          layers: entry.layers,
        },
      };
    case 'status':
      return {
        kind: 'notice',
        turn: entry.turn,
        name: 'context left',
        action: shownName(entry),
        outcome: `${entry.percentLeft} %`,
        reason: `${entry.estimatedTokens} tokens are used of ${entry.limit}`,
        details: {
          request: entry.n,
          seen: entry.estimatedTokens,
          limit: entry.limit,
          percentLeft: entry.percentLeft,
        },
      };
    case 'fault': {
      const { use, kind, tokens, tool, path, origin, seenAt } = entry;
      return {
        kind: 'notice',
        turn: entry.turn,
        name: 'needed and gone',
        action: use,
        outcome: kind,
        reason: faultText(entry),
        details: { tokens, tool, path, origin, seenAt },
      };
    }
    case 'breaker':
      return {
        kind: 'breaker',
        turn: entry.turn,
        name: 'breaker',
        action: entry.state,
        outcome: entry.state,
        reason: `${formatCounted(entry.failures, 'failure')} in a row`,
      };
    case 'notice':
      return { kind: 'notice', name: entry.what, reason: entry.message, details: entry.details };
    default:
      return null;
  }
}

/** What happened besides answered requests, in the order of the log. */
export function pageEvents(entries: Iterable<LogEntry>): readonly PageEvent[] {
  const events: PageEvent[] = [];
  let after = 0;
  for (const entry of entries) {
    if (entry.type === 'request') after += 1;
    const described = describe(entry);
    if (described === null || !('t' in entry) || !('thread' in entry)) continue;
    events.push({ t: entry.t, thread: entry.thread, after, ...PLAIN, ...described });
  }
  return events;
}
