import { formatCounted } from '../../core/base/format.js';
import type { Usage } from '../../core/model/usage.js';
import { modelOrUnknown } from '../../provider/prices/models.js';
import type { AttributedRequest } from '../why/attribute.js';
import type { WhyCause } from '../why/causes.js';
import type { Counted } from '../why/count-once.js';
import { WEIGHTS } from './weights.generated.js';

/** Kinds of tokens that weigh differently by list price. */
export type TokenKind = keyof typeof WEIGHTS.kinds;

/** Tokens of one kind that a request was charged for, and what for. */
interface ChargedTokens {
  readonly cause: WhyCause;
  readonly kind: TokenKind;
  readonly tokens: number;
}

/** Who asked: the main thread, a subagent, or a compaction for its summary. */
export type Asker = 'main' | 'subagent' | 'summary';

/** One request as a meter sees it. */
export interface LimitRequest {
  /** Ms since 1970. */
  readonly atMs: number;
  readonly file: string;
  readonly model: string;
  readonly asker: Asker;
  /** Input price of its model, dollars per million tokens. */
  readonly inputUsd: number;
  readonly parts: readonly ChargedTokens[];
}

/** Something that is in no window. */
export interface NotCounted {
  readonly what: string;
  readonly why: string;
}

/** The requests of one vendor's plan in the order of time, and what is left out. */
export interface LimitRequests {
  /** Whose plan it is; null without a request. */
  readonly vendor: string | null;
  readonly requests: readonly LimitRequest[];
  readonly leftOut: readonly NotCounted[];
}

/** The family of a model, whose weights are fitted together. */
export function familyOf(model: string): string {
  return WEIGHTS.families.find((family) => model.includes(family)) ?? model;
}

/** What tokens weigh by list price: tokens of Sonnet input. */
export function priceWeight(
  { kind, tokens }: Pick<ChargedTokens, 'kind' | 'tokens'>,
  inputUsd: number,
): number {
  return (tokens * WEIGHTS.kinds[kind] * inputUsd) / WEIGHTS.unit.inputUsd;
}

/** Whose plan a model is charged to: generations of a vendor's cache share one. */
export function vendorOf(model: string): string {
  return modelOrUnknown(model).provider.split('-')[0]!;
}

/** The tokens of a request by kind and cause; writes of an hour are spread over its parts. */
function chargedTokens(request: AttributedRequest): readonly ChargedTokens[] {
  const { read, output, uncached, parts } = request;
  const charged: ChargedTokens[] = [
    { cause: 'read', kind: 'read', tokens: read },
    { cause: 'output', kind: 'output', tokens: output },
    { cause: 'uncached', kind: 'input', tokens: uncached },
  ];
  let hourLeft = request.writtenHour;
  let writtenLeft = parts.reduce((sum, { written }) => sum + written, 0);
  for (const { cause, written, uncached: bare } of parts) {
    const hour = writtenLeft === 0 ? 0 : Math.round((hourLeft * written) / writtenLeft);
    hourLeft -= hour;
    writtenLeft -= written;
    charged.push(
      { cause, kind: 'writeHour', tokens: hour },
      { cause, kind: 'write', tokens: written - hour },
      { cause, kind: 'input', tokens: bare },
    );
  }
  return charged.filter(({ tokens }) => tokens > 0);
}

/** A usage by kind. */
export function usageByKind(usage: Usage): readonly Pick<ChargedTokens, 'kind' | 'tokens'>[] {
  return [
    { kind: 'input', tokens: usage.input },
    { kind: 'read', tokens: usage.cacheRead },
    { kind: 'write', tokens: usage.cacheWrite5m },
    { kind: 'writeHour', tokens: usage.cacheWrite1h },
    { kind: 'output', tokens: usage.output },
  ];
}

function askerOf({ isMain, isSummary }: AttributedRequest): Asker {
  if (isSummary) return 'summary';
  return isMain ? 'main' : 'subagent';
}

/** The vendor that most list price went to. */
function mainVendor(requests: readonly LimitRequest[]): string | null {
  const sums = new Map<string, number>();
  for (const { model, inputUsd, parts } of requests) {
    const vendor = vendorOf(model);
    const own = parts.reduce((sum, part) => sum + priceWeight(part, inputUsd), 0);
    sums.set(vendor, (sums.get(vendor) ?? 0) + own);
  }
  const [first] = [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return first?.[0] ?? null;
}

/** Requests as meters see them. Those of a session without times, of a model without a price and of another vendor are in no window. */
export function limitRequests(sessions: readonly Counted[]): LimitRequests {
  const all: LimitRequest[] = [];
  const leftOut: NotCounted[] = [];
  const unpriced = new Map<string, number>();
  for (const { session, requests } of sessions) {
    const { file, startedAtMs } = session;
    if (startedAtMs === null) {
      leftOut.push({ what: file, why: 'it has no times' });
      continue;
    }
    for (const request of requests) {
      const { model, inputUsd, startMs } = request;
      if (inputUsd === null) unpriced.set(model, (unpriced.get(model) ?? 0) + 1);
      else
        all.push({
          atMs: startedAtMs + startMs,
          file,
          model,
          asker: askerOf(request),
          inputUsd,
          parts: chargedTokens(request),
        });
    }
  }
  const leaveOut = (counts: ReadonlyMap<string, number>, why: string): void => {
    for (const [name, calls] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
      leftOut.push({ what: `${formatCounted(calls, 'request')} of ${name}`, why });
  };
  leaveOut(unpriced, 'no price is known; give one with --price');
  const vendor = mainVendor(all);
  const others = new Map<string, number>();
  for (const { model } of all) {
    const other = vendorOf(model);
    if (other !== vendor) others.set(other, (others.get(other) ?? 0) + 1);
  }
  leaveOut(others, 'another plan (name only its sessions)');
  const requests = all
    .filter(({ model }) => vendorOf(model) === vendor)
    .sort((a, b) => a.atMs - b.atMs || (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  return { vendor, requests, leftOut };
}

/** Something that happened at a time and weighs something. */
export interface Weighed {
  readonly atMs: number;
  readonly weighted: number;
}

/** A window by the items in it, which are those from `first` up to and with `last`. */
export interface WindowSpan {
  /** Its end is the time of its last item; what happened a whole length before that has left it. */
  readonly endMs: number;
  readonly first: number;
  readonly last: number;
  readonly weighted: number;
}

/** The window that ends with each item, by the last item of each time. Items are in the order of time. */
export function windowsOf(items: readonly Weighed[], lengthMs: number): readonly WindowSpan[] {
  const found: WindowSpan[] = [];
  let first = 0;
  let weighted = 0;
  for (const [last, { atMs: endMs, weighted: own }] of items.entries()) {
    weighted += own;
    for (; items[first]!.atMs <= endMs - lengthMs; first++) weighted -= items[first]!.weighted;
    if (items[last + 1]?.atMs !== endMs) found.push({ endMs, first, last, weighted });
  }
  return found;
}

/** The items within a window that ends at any moment. */
export function itemsAt<T extends { readonly atMs: number }>(
  items: readonly T[],
  endMs: number,
  lengthMs: number,
): readonly T[] {
  return items.filter(({ atMs }) => atMs <= endMs && atMs > endMs - lengthMs);
}

/** The fullest windows that have no item in common, the fullest first; of equal ones that with more items, then the earlier. */
export function fullestOf(windows: readonly WindowSpan[], most: number): readonly WindowSpan[] {
  const items = ({ first, last }: WindowSpan): number => last - first;
  const ranked = [...windows].sort(
    (a, b) => b.weighted - a.weighted || items(b) - items(a) || a.endMs - b.endMs,
  );
  const found: WindowSpan[] = [];
  for (const window of ranked) {
    if (found.length === most) break;
    if (found.every(({ first, last }) => window.last < first || window.first > last)) found.push(window);
  }
  return found;
}
