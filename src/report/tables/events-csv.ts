import { canonicalJson } from '../../core/base/digest.js';
import { exactUsd } from '../../core/base/format.js';
import type { LogEntry } from '../../core/run/run-log.js';
import { shownName } from '../text/metric-words.js';
import { type Cell, csvLines } from './csv.js';

const COLUMNS = [
  'timeMs',
  'thread',
  'turn',
  'event',
  'name',
  'action',
  'trigger',
  'outcome',
  'reason',
  'failure',
  'estimatedBefore',
  'estimatedAfter',
  'trueBefore',
  'trueAfter',
  'savedTokens',
  'cacheLostTokens',
  'calls',
  'costUsd',
  'details',
] as const;

type Row = Partial<Record<(typeof COLUMNS)[number], Cell>>;

function detailsOf(details: Readonly<Record<string, unknown>>): Cell {
  return Object.keys(details).length === 0 ? null : canonicalJson(details);
}

function rowOf(entry: LogEntry): Row | null {
  switch (entry.type) {
    case 'thread':
      return {
        name: entry.label,
        details: detailsOf({ parent: entry.parent, prefixTokens: entry.prefixTokens, window: entry.window }),
      };
    case 'break':
      return {
        name: entry.cause,
        outcome: entry.expected ? 'expected' : 'unexpected',
        cacheLostTokens: entry.lostTokens,
        details: detailsOf({
          request: entry.n,
          position: entry.position,
          ...(entry.tools && { tools: entry.tools }),
        }),
      };
    case 'refused':
      return {
        turn: entry.turn,
        name: entry.error,
        action: entry.purpose,
        reason: entry.message,
        details: detailsOf({ status: entry.status, prompt: entry.prompt, limit: entry.limit }),
      };
    case 'lost':
    case 'ended':
      return { reason: entry.reason, calls: entry.calls };
    case 'layer':
      return {
        turn: entry.turn,
        name: entry.layer,
        action: entry.action,
        trigger: entry.trigger,
        outcome: entry.outcome,
        reason: entry.reason,
        failure: entry.failure,
        estimatedBefore: entry.estimatedBefore,
        estimatedAfter: entry.estimatedAfter,
        trueBefore: entry.trueBefore,
        trueAfter: entry.trueAfter,
        savedTokens: entry.saved,
        cacheLostTokens: entry.cacheLost,
        calls: entry.calls,
        costUsd: exactUsd(entry.cost),
        details: detailsOf(entry.details),
      };
    case 'returned':
      return { turn: entry.turn, name: entry.layer, reason: entry.why, savedTokens: -entry.tokens };
    case 'crossing':
      return {
        turn: entry.turn,
        name: entry.layers.join(' '),
        outcome: entry.state,
        details: detailsOf({
          threshold: entry.threshold,
          estimatedTokens: entry.estimatedTokens,
          uncompactedTokens: entry.uncompactedTokens,
        }),
      };
    case 'status':
      return {
        turn: entry.turn,
        name: shownName(entry),
        estimatedAfter: entry.estimatedTokens,
        details: detailsOf({ request: entry.n, limit: entry.limit, percentLeft: entry.percentLeft }),
      };
    case 'fault': {
      const { use, kind, what, tokens, cost, tool, path, origin, seenAt } = entry;
      return {
        turn: entry.turn,
        name: kind,
        reason: what,
        details: detailsOf({ use, tokens, cost, tool, path, origin, seenAt }),
      };
    }
    case 'breaker':
      return { turn: entry.turn, name: entry.state, details: detailsOf({ failures: entry.failures }) };
    case 'notice':
      return { name: entry.what, reason: entry.message, details: detailsOf(entry.details) };
    case 'skipped':
      return { name: entry.what, reason: `needs ${entry.needs}` };
    case 'warning':
      return {
        name: entry.code,
        reason: entry.message,
        details: detailsOf({ count: entry.count, remedy: entry.remedy }),
      };
    default:
      return null;
  }
}

/** events.csv: one line per thing that happened besides answered requests, in the order of the log. */
export function eventsCsv(entries: Iterable<LogEntry>): string {
  return `${csvLines([COLUMNS])}${eventLines(entries)}`;
}

/** The lines of some entries, without the header. */
export function eventLines(entries: Iterable<LogEntry>): string {
  const rows: Cell[][] = [];
  for (const entry of entries) {
    const row = rowOf(entry);
    if (row === null) continue;
    const common: Row = {
      timeMs: 't' in entry ? entry.t : null,
      thread: 'thread' in entry ? entry.thread : null,
      event: entry.type,
    };
    const full = { ...common, ...row };
    rows.push(COLUMNS.map((column) => full[column] ?? null));
  }
  return csvLines(rows);
}
