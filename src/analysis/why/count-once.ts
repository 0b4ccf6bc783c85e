import { groupBy } from '../../core/base/groups.js';
import { sum } from '../../core/base/stats.js';
import type { OtherPrices, RecordedBill } from '../../core/run/recorded-bill.js';
import { type AttributedRequest, isUnpriced } from './attribute.js';
import type { JudgedCompaction } from './judge-compactions.js';
import type { SessionWhy } from './session-why.js';

/** A session with what no session before it holds: its calls in the order of time, and their bill. */
export interface Counted {
  readonly session: SessionWhy;
  readonly requests: readonly AttributedRequest[];
  readonly compactions: readonly JudgedCompaction[];
  /** Calls, estimates and compactions that others hold left out; tokens and costs as in the session. */
  readonly noted: RecordedBill;
}

/** Copies of calls count once, where they first appear. */
export function countOnce(sessions: readonly SessionWhy[]): readonly Counted[] {
  const seen = new Set<string>();
  return sessions.map((session) => countNew(session, seen));
}

/** What of a session was not seen before; from here on it was. */
export function countNew(session: SessionWhy, seen: Set<string>): Counted {
  const isNew = (key: string): boolean => !seen.has(key) && seen.add(key) !== undefined;
  const requests = session.requests.filter(({ key }) => isNew(key)).sort((a, b) => a.startMs - b.startMs);
  const keys = new Set(session.compactionKeys.filter(isNew));
  const compactions = keys.size;
  const noted = {
    ...session.bill,
    calls: requests.length,
    estimatedOutputs: requests.filter(({ isOutputEstimated }) => isOutputEstimated).length,
    compactions,
    summaries: Math.min(session.bill.summaries, compactions),
    unpriced: countBy(requests.filter(isUnpriced), ({ model }) => model),
    otherPrices: otherPricesOf(requests),
    untoldWritesNano: sum(requests.map(({ untoldNano }) => untoldNano)),
    untoldLifetimesNano: sum(requests.map(({ untoldHourNano }) => untoldHourNano)),
  };
  return { session, requests, compactions: session.compactions.filter(({ key }) => keys.has(key)), noted };
}

function countBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Record<string, number> {
  return Object.fromEntries([...groupBy(items, nameOf)].map(([name, own]) => [name, own.length]));
}

/** How many requests of each model do not have its newest prices. */
function otherPricesOf(requests: readonly AttributedRequest[]): readonly OtherPrices[] {
  const found = requests.flatMap(({ otherPrices }) => otherPrices ?? []);
  return [...groupBy(found, ({ model, day, kind }) => `${model} ${day} ${kind}`).values()].map((own) => ({
    ...own[0]!,
    calls: own.length,
  }));
}
