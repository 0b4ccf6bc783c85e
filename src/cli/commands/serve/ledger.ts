import { addUsage, NO_USAGE, promptTokens, type Usage } from '../../../core/model/usage.js';
import type { BreakCause } from '../../../core/run/run-log.js';
import { usd } from '../../../metrics/metric.js';
import { isBreak } from '../../../provider/cache/break-detector.js';
import { TTL_1H_MS, TTL_5M_MS } from '../../../provider/cache/ttl.js';
import type { Conversation } from '../../../provider/fake-api/conversations.js';
import { sharedEnd } from '../../../provider/fake-api/diagnostics.js';
import type { AnsweredCall, ApiCall } from '../../../provider/fake-api/fake-api.js';
import { addCost, type Cost, NO_COST, priceUsage } from '../../../provider/prices/price.js';
import type { PriceTimes } from '../../../provider/prices/price-days.js';

/** Why a request read nothing, or less than the one before it had left. */
export type MissReason = BreakCause | 'first' | 'no-marker' | 'too-short';

/** A call as it is shown and counted. */
export interface ServedCall extends ApiCall {
  /** Counted from 1. */
  readonly number: number;
  /** The conversation it belongs to; null for a refusal and for calls that bill nothing. */
  readonly conversation: number | null;
  readonly model: string | null;
  readonly costUsd: number | null;
  readonly missReason: MissReason | null;
  /** Tokens that were in the cache before and were not read. */
  readonly missedTokens: number;
}

/** What came together over all calls. */
export interface ServedTotals {
  readonly calls: number;
  readonly answered: number;
  readonly refused: number;
  readonly conversations: number;
  readonly usage: Usage;
  readonly costUsd: number;
  /** The same tokens at the price of plain input. */
  readonly uncachedUsd: number;
  /** Times that the cache broke, by cause. */
  readonly breaks: Readonly<Record<string, number>>;
}

/** Keeps account of the calls of a server. */
export class Ledger {
  /** It hears when a call counts for prices, by its time since the start. */
  constructor(private readonly pricedAt: PriceTimes) {}

  readonly #conversations = new Set<number>();
  readonly #calls: ServedCall[] = [];
  readonly #breaks = new Map<string, number>();
  #usage: Usage = NO_USAGE;
  #cost: Cost = NO_COST;
  #uncached: Cost = NO_COST;

  get calls(): readonly ServedCall[] {
    return this.#calls;
  }

  get totals(): ServedTotals {
    const answered = this.#calls.filter(({ usage }) => usage !== null).length;
    return {
      calls: this.#calls.length,
      answered,
      refused: this.#calls.filter(({ status }) => status !== 200).length,
      conversations: this.#conversations.size,
      usage: this.#usage,
      costUsd: usd(this.#cost.totalNano),
      uncachedUsd: usd(this.#uncached.totalNano),
      breaks: Object.fromEntries([...this.#breaks].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }

  /** Takes a call into account. */
  add(call: ApiCall, answered: AnsweredCall | null): ServedCall {
    const number = this.#calls.length + 1;
    const served: ServedCall =
      answered === null || call.usage === null
        ? {
            ...call,
            number,
            conversation: null,
            model: null,
            costUsd: null,
            missReason: null,
            missedTokens: 0,
          }
        : { ...call, number, ...this.#answered(call.startMs, call.usage, answered) };
    this.#calls.push(served);
    return served;
  }

  #answered(startMs: number, usage: Usage, answered: AnsweredCall) {
    const { request, place } = answered;
    const { conversation, how } = place;
    this.#conversations.add(conversation.id);
    const miss = explain(conversation, startMs, answered, how === 'after-summary' ? 'compaction' : null);
    if (miss.missedTokens > 0)
      this.#breaks.set(miss.missReason!, (this.#breaks.get(miss.missReason!) ?? 0) + 1);
    const atMs = this.pricedAt(startMs);
    const cost = priceUsage(request.model, usage, atMs);
    this.#usage = addUsage(this.#usage, usage);
    this.#cost = addCost(this.#cost, cost);
    const plain = { ...NO_USAGE, input: promptTokens(usage), output: usage.output };
    this.#uncached = addCost(this.#uncached, priceUsage(request.model, plain, atMs));
    return {
      conversation: conversation.id,
      model: request.modelName,
      costUsd: usd(cost.totalNano),
      ...miss,
    };
  }
}

/** Compares a request with what the one before it in the conversation had left in the cache. */
function explain(
  conversation: Conversation,
  startMs: number,
  { request, outcome }: AnsweredCall,
  announced: BreakCause | null,
): Pick<ServedCall, 'missReason' | 'missedTokens'> {
  const { view, salts, model, breakpoints } = request;
  const { latest, cachedTokens, detector } = conversation;
  const { readTokens, write1hTokens, write5mTokens, hitTtlMs } = outcome;
  const shared = latest === null ? -1 : sharedEnd(latest, request);
  const wroteTtlMs = write1hTokens > 0 ? TTL_1H_MS : write5mTokens > 0 ? TTL_5M_MS : null;
  const observation = {
    startMs,
    readTokens,
    promptTokens: outcome.promptTokens,
    model: model.id,
    toolsDigest: view.toolsEnd === 0 ? 0 : view.digests[view.toolsEnd - 1]!,
    systemDigest: view.systemEnd === 0 ? 0 : view.digests[view.systemEnd - 1]!,
    parametersDigest: salts.messages,
    firstChangedPosition: latest !== null && shared + 1 < latest.view.length ? shared + 1 : null,
    breakpoints,
    entryTtlMs: wroteTtlMs ?? hitTtlMs,
    sawUnreadable: outcome.sawUnreadable,
  };
  const missedTokens = Math.max(0, cachedTokens - readTokens);
  const hasBroken = isBreak(cachedTokens, readTokens) || (readTokens === 0 && missedTokens > 0);
  const cause = hasBroken ? (uncachable(request) ?? detector.causeOf(observation, announced)) : null;
  detector.observe(observation, announced);
  conversation.latest = { model, view, salts };
  conversation.cachedTokens = readTokens + write5mTokens + write1hTokens;
  if (cause !== null) return { missReason: cause, missedTokens };
  return { missReason: readTokens > 0 ? null : (uncachable(request) ?? 'first'), missedTokens: 0 };
}

/** Why nothing of a request could be read or written; null where something could. */
function uncachable({ breakpoints, view, model }: AnsweredCall['request']): MissReason | null {
  const last = breakpoints.at(-1);
  if (last === undefined) return 'no-marker';
  return view.sums[last.position]! < model.minCacheableTokens ? 'too-short' : null;
}
