import { canonicalJson } from '../../core/base/digest.js';
import { exactUsd } from '../../core/base/format.js';
import type { LogEntry } from '../../core/run/run-log.js';
import { describeEvent } from '../text/describe-event.js';
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
  'destroyedTokens',
  'readDropTokens',
  'calls',
  'costUsd',
  'details',
] as const;

type Row = Partial<Record<(typeof COLUMNS)[number], Cell>>;

/** The figures of an entry that have columns of their own. */
function figuresOf(entry: LogEntry): Row {
  if (entry.type === 'lost' || entry.type === 'ended') return { calls: entry.calls };
  if (entry.type === 'returned') return { savedTokens: -entry.tokens };
  if (entry.type === 'status') return { estimatedAfter: entry.estimatedTokens };
  if (entry.type !== 'layer') return {};
  const { trigger, failure, estimatedBefore, estimatedAfter, trueBefore, trueAfter, saved, calls, cost } =
    entry;
  return {
    trigger,
    failure,
    estimatedBefore,
    estimatedAfter,
    trueBefore,
    trueAfter,
    savedTokens: saved,
    calls,
    costUsd: exactUsd(cost),
  };
}

/** The header of events.csv, which has one line per thing that happened besides answered requests, in the order of the log. */
export const EVENTS_HEAD = csvLines([COLUMNS]);

/** The lines of some entries, without the header. */
export function eventLines(entries: Iterable<LogEntry>): string {
  const rows: Cell[][] = [];
  for (const entry of entries) {
    const described = describeEvent(entry);
    if (described === null) continue;
    const { name, action, outcome, reason, destroyed, readDrop, details = {} } = described;
    const row: Row = {
      timeMs: 't' in entry ? entry.t : null,
      thread: 'thread' in entry ? entry.thread : null,
      turn: 'turn' in entry ? entry.turn : null,
      event: entry.type,
      name,
      action: action ?? null,
      outcome: outcome ?? null,
      reason: reason ?? null,
      destroyedTokens: destroyed ?? null,
      readDropTokens: readDrop ?? null,
      ...figuresOf(entry),
      details: Object.keys(details).length === 0 ? null : canonicalJson(details),
    };
    rows.push(COLUMNS.map((column) => row[column] ?? null));
  }
  return csvLines(rows);
}
