import { formatCount, formatCounted } from '../../core/base/format.js';
import type { FaultEntry } from '../../core/run/log-entries.js';
import type { LogEntry } from '../../core/run/run-log.js';
import type { PageEvent } from '../page-data/page-data.js';
import { shownName } from './metric-words.js';

/** What happened besides an answered request: the table of events and the page say the same of it. */
export interface EventDescription
  extends Pick<PageEvent, 'name'>,
    Partial<Pick<PageEvent, 'action' | 'outcome' | 'reason' | 'destroyed' | 'readDrop' | 'details'>> {
  /** What the page draws it as; null if only the table has it. */
  readonly kind: PageEvent['kind'] | null;
}

/** What was needed and gone, with the words that show it. */
function faultText({ what, tool, path, origin, tokens }: FaultEntry): string {
  const where = [tool ?? origin, path].filter((part) => part !== null).join(' ');
  return `“${what}” of ${where}, ${formatCounted(tokens, 'token')}`;
}

/** Describes an entry of a log; null for requests and what belongs to the whole run. */
export function describeEvent(entry: LogEntry): EventDescription | null {
  switch (entry.type) {
    case 'thread': {
      const { label, parent, prefixTokens, window } = entry;
      return { kind: null, name: label, details: { parent, prefixTokens, window } };
    }
    case 'layer': {
      const { layer: name, action, outcome, reason, cacheLost: destroyed, details } = entry;
      return { kind: 'layer', name, action, outcome, reason, destroyed, details };
    }
    case 'break':
      return {
        kind: 'break',
        name: entry.cause,
        action: 'cache break',
        outcome: entry.expected ? 'expected' : 'unexpected',
        reason: entry.expected ? 'it had been announced' : 'nothing had announced it',
        readDrop: entry.lostTokens,
        details: {
          request: entry.n,
          position: entry.position,
          ...(entry.tools === undefined ? {} : { tools: entry.tools }),
        },
      };
    case 'refused': {
      const { status, prompt, limit } = entry;
      return {
        kind: 'refused',
        name: entry.error,
        action: entry.purpose,
        outcome: `refused with ${status}`,
        reason: entry.message,
        details: { status, prompt, limit },
      };
    }
    case 'lost':
    case 'ended': {
      const { type: outcome, calls, reason } = entry;
      const of =
        outcome === 'lost' ? (['lost', 'lost calls'] as const) : (['notice', 'calls not made'] as const);
      return { kind: of[0], name: of[1], action: `${calls}`, outcome, reason, details: { calls } };
    }
    case 'returned': {
      const { layer, tokens, why } = entry;
      const reason =
        why === 'expired'
          ? `${formatCount(tokens)} deleted tokens are sent again: the cache is gone`
          : `${formatCount(tokens)} cleared tokens are sent again: the record still had them`;
      return {
        kind: 'notice',
        name: 'content returned',
        action: layer,
        outcome: why,
        reason,
        details: { layer, tokens },
      };
    }
    case 'crossing': {
      const { threshold, estimatedTokens, uncompactedTokens, layers, state } = entry;
      return {
        kind: 'notice',
        name: state === 'avoided' ? 'compaction prevented' : 'compaction only deferred',
        action: layers.join(', '),
        outcome: state,
        reason: `uncompacted, the context would have ${formatCount(uncompactedTokens)} tokens; it has ${formatCount(estimatedTokens)}, the threshold is ${formatCount(threshold)}`,
        details: { threshold, estimatedTokens, uncompactedTokens, layers },
      };
    }
    case 'status': {
      const { n: request, estimatedTokens, limit, percentLeft } = entry;
      return {
        kind: 'notice',
        name: 'context left',
        action: shownName(entry),
        outcome: `${percentLeft} %`,
        reason: `${formatCount(estimatedTokens)} tokens are used of ${formatCount(limit)}`,
        details: { request, estimatedTokens, limit, percentLeft },
      };
    }
    case 'fault': {
      const { use, kind, what, tokens, cost, tool, path, origin, seenAt } = entry;
      return {
        kind: 'notice',
        name: 'needed and gone',
        action: use,
        outcome: kind,
        reason: faultText(entry),
        details: { what, tokens, cost, tool, path, origin, seenAt },
      };
    }
    case 'breaker': {
      const { state, failures } = entry;
      const reason = `${formatCounted(failures, 'failure')} in a row`;
      return {
        kind: 'breaker',
        name: 'breaker',
        action: state,
        outcome: state,
        reason,
        details: { failures },
      };
    }
    case 'notice':
      return { kind: 'notice', name: entry.what, reason: entry.message, details: entry.details };
    case 'skipped':
      return { kind: null, name: entry.what, reason: `needs ${entry.needs}` };
    case 'warning': {
      const { code, message, count, remedy } = entry;
      return { kind: null, name: code, reason: message, details: { count, remedy } };
    }
    default:
      return null;
  }
}
