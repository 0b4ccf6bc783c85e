import { MS_PER_MINUTE } from '../../../core/base/clock.js';
import type { Block } from '../../../core/model/block.js';
import type { Breakpoint, PrefixView } from '../../../core/model/prefix.js';
import { addUsage, NO_USAGE, promptTokens, type Usage } from '../../../core/model/usage.js';
import type { BreakCause } from '../../../core/run/break-causes.js';
import { usd } from '../../../metrics/metric.js';
import { isBreak } from '../../../provider/cache/break-detector.js';
import { minimumOf } from '../../../provider/cache/cache-rules.js';
import { TTL_1H_MS, TTL_5M_MS } from '../../../provider/cache/ttl.js';
import type { PromptView } from '../../../provider/fake-api/api-request.js';
import type { Conversation } from '../../../provider/fake-api/conversations.js';
import type { AnsweredCall, ApiCall } from '../../../provider/fake-api/fake-api.js';
import { sharedEnd } from '../../../provider/fake-api/messages/messages-api.js';
import { addCost, type Cost, NO_COST, type PriceTimes, priceUsage } from '../../../provider/prices/price.js';
import { cacheRulesOf } from '../../../provider/providers/providers.js';
import { spread } from '../../../transcripts/drafts/weights.js';

/** The first difference between a prompt and the one before it. */
export interface PromptChange {
  /** Where it is, such as `tool 3 (Read)`, `system block 1`, `message block 12 (tool_result)`. */
  readonly place: string;
  /** The first characters that differ, with some before them; null if there is no text or nothing in its place. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Characters shown of each text, and of what is the same before them. */
const SHOWN_CHARS = 40;
const LEAD_CHARS = 16;

function placeOf(block: Block, position: number, { toolsEnd, systemEnd }: PromptView): string {
  if (position < toolsEnd) return `tool ${position + 1} (${block.tool})`;
  if (position < systemEnd) return `system block ${position - toolsEnd + 1}`;
  return `message block ${position - systemEnd + 1} (${block.role} ${block.kind})`;
}

function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - LEAD_CHARS);
  const part = text.slice(from, at + SHOWN_CHARS).replaceAll(/\s+/g, ' ');
  return `${from > 0 ? '…' : ''}${part}${at + SHOWN_CHARS < text.length ? '…' : ''}`;
}

/** What differs at a position of the prompt. */
function promptChange(before: PromptView, view: PromptView, position: number): PromptChange {
  const [was, is] = [before.blocks[position], view.blocks[position]];
  const place = placeOf((is ?? was)!, position, view);
  const [old, now] = [was?.text?.read() ?? null, is?.text?.read() ?? null];
  if (old === null || now === null || old === now) return { place, before: null, after: null };
  let at = 0;
  while (at < old.length && old[at] === now[at]) at++;
  return { place, before: excerpt(old, at), after: excerpt(now, at) };
}

/** Why a request read nothing, or less than the one before it had left. */
export type MissReason = BreakCause | 'first' | 'no-marker' | 'too-short';

/** A call as it is shown and counted. */
export interface ServedCall extends ApiCall {
  /** Counted from 1. */
  readonly number: number;
  /** The conversation it belongs to; null for a refusal and for calls that bill nothing. */
  readonly conversation: number | null;
  readonly model: string | null;
  /** What the real API says it billed; null if it did not answer. */
  readonly billed: Usage | null;
  /** What is predicted for a prompt as long as the billed one; null if nothing was billed. */
  readonly predicted: Usage | null;
  /** What was billed, else what the simulated cache predicts; null also if the model has no price. */
  readonly costUsd: number | null;
  /** How long what was written lives, where the provider's rules say so; null if the kind of the write does. */
  readonly writtenForMs: number | null;
  readonly missReason: MissReason | null;
  /** Tokens that were in the cache before and were not read. */
  readonly missedTokens: number;
  /** What differs from the request before, where the cache broke over it. */
  readonly change: PromptChange | null;
}

/** What came together over all calls. */
export interface ServedTotals {
  readonly calls: number;
  readonly answered: number;
  readonly refused: number;
  readonly conversations: number;
  /** Conversations that continued after a summary. */
  readonly compactions: number;
  /** Tokens that were in the cache before and were not read. */
  readonly missedTokens: number;
  readonly usage: Usage;
  readonly costUsd: number;
  /** The same tokens at the price of plain input. */
  readonly uncachedUsd: number;
  /** Times that the cache broke, by cause. */
  readonly breaks: Readonly<Record<string, number>>;
  /** How the bills of the real API compare with the predicted ones; null if there are none. */
  readonly upstream: BilledTotals | null;
}

/** Bills of a real API beside what was predicted for the same prompts. */
export interface BilledTotals {
  readonly billed: number;
  /** Requests that read as much as was predicted, within `AGREEING_SHARE` of the prompt. */
  readonly agreeing: number;
  readonly billedUsd: number;
  readonly predictedUsd: number;
}

/** Reads that differ by at most this share of the prompt agree: the counter only approximates the model's tokenizer. */
const AGREEING_SHARE = 0.05;

/** Whether as much was read as predicted; null if nothing was billed. */
export function agrees({ billed, predicted }: Pick<ServedCall, 'billed' | 'predicted'>): boolean | null {
  if (billed === null || predicted === null) return null;
  return Math.abs(predicted.cacheRead - billed.cacheRead) <= AGREEING_SHARE * promptTokens(billed);
}

/** The prediction for a prompt that is as long as the billed one, so that only the cache makes a difference. */
function predictedFor(billed: Usage, { input, cacheRead, cacheWrite5m, cacheWrite1h }: Usage): Usage {
  const parts = spread(promptTokens(billed), [input, cacheRead, cacheWrite5m, cacheWrite1h]);
  const [plain, read, short, long] = parts as [number, number, number, number];
  return { input: plain, cacheRead: read, cacheWrite5m: short, cacheWrite1h: long, output: billed.output };
}

/** Calls that are listed, the latest; a recording has all of them. */
export const MOST_CALLS = 10_000;

/** Entries may outlive their time by so much (E6). */
const SLACK_MS = 2 * MS_PER_MINUTE;

/** Keeps account of the calls of a server: sums of all, and the latest one by one. */
export class Ledger {
  /** Called when a call counts for prices, with its time since the start. */
  constructor(private readonly pricedAt: PriceTimes) {}

  readonly #calls: ServedCall[] = [];
  readonly #breaks = new Map<string, number>();
  #count = 0;
  #answeredCount = 0;
  #refused = 0;
  #conversations = 0;
  #billedCount = 0;
  #agreeing = 0;
  #compactions = 0;
  #missedTokens = 0;
  #usage: Usage = NO_USAGE;
  #cost: Cost = NO_COST;
  #uncached: Cost = NO_COST;
  #billed: Cost = NO_COST;
  #predicted: Cost = NO_COST;

  get calls(): readonly ServedCall[] {
    return this.#calls.slice(-MOST_CALLS);
  }

  get totals(): ServedTotals {
    return {
      calls: this.#count,
      answered: this.#answeredCount,
      refused: this.#refused,
      conversations: this.#conversations,
      compactions: this.#compactions,
      missedTokens: this.#missedTokens,
      usage: this.#usage,
      costUsd: usd(this.#cost.totalNano),
      uncachedUsd: usd(this.#uncached.totalNano),
      breaks: Object.fromEntries([...this.#breaks].sort(([a], [b]) => (a < b ? -1 : 1))),
      upstream: this.#billedTotals(),
    };
  }

  #billedTotals(): BilledTotals | null {
    if (this.#billedCount === 0) return null;
    return {
      billed: this.#billedCount,
      agreeing: this.#agreeing,
      billedUsd: usd(this.#billed.totalNano),
      predictedUsd: usd(this.#predicted.totalNano),
    };
  }

  /** Takes a call into account, with what the real API billed where it answered. */
  add(call: ApiCall, answered: JudgedCall | null, billed: Usage | null = null): ServedCall {
    const number = ++this.#count;
    const served: ServedCall =
      answered === null || call.usage === null
        ? {
            ...call,
            number,
            conversation: null,
            model: null,
            billed,
            predicted: null,
            costUsd: null,
            writtenForMs: null,
            missReason: null,
            missedTokens: 0,
            change: null,
          }
        : { ...call, number, ...this.#answered(call.startMs, call.usage, answered, billed) };
    if (served.usage !== null) this.#answeredCount += 1;
    if (served.status !== 200) this.#refused += 1;
    const verdict = agrees(served);
    if (verdict !== null) this.#billedCount += 1;
    if (verdict === true) this.#agreeing += 1;
    this.#calls.push(served);
    if (this.#calls.length >= 1.1 * MOST_CALLS) this.#calls.splice(0, this.#calls.length - MOST_CALLS);
    return served;
  }

  #answered(startMs: number, simulated: Usage, answered: JudgedCall, billed: Usage | null) {
    const { request, place } = answered;
    const { conversation, how } = place;
    if (conversation.detector.previous === null) this.#conversations += 1;
    const miss = explain(conversation, startMs, answered, how === 'after-summary' ? 'compaction' : null);
    if (how === 'after-summary') this.#compactions += 1;
    this.#missedTokens += miss.missedTokens;
    if (miss.missedTokens > 0)
      this.#breaks.set(miss.missReason!, (this.#breaks.get(miss.missReason!) ?? 0) + 1);
    const atMs = this.pricedAt(startMs);
    const usage = billed ?? simulated;
    const cost = priceUsage(request.model, usage, atMs);
    const predicted = billed === null ? null : predictedFor(billed, simulated);
    if (predicted !== null) {
      this.#billed = addCost(this.#billed, cost);
      this.#predicted = addCost(this.#predicted, priceUsage(request.model, predicted, atMs));
    }
    this.#usage = addUsage(this.#usage, usage);
    this.#cost = addCost(this.#cost, cost);
    const plain = { ...NO_USAGE, input: promptTokens(usage), output: usage.output };
    this.#uncached = addCost(this.#uncached, priceUsage(request.model, plain, atMs));
    return {
      conversation: conversation.id,
      model: request.modelName,
      billed,
      predicted,
      costUsd: request.model.pricesAreKnown ? usd(cost.totalNano) : null,
      writtenForMs: answered.outcome.lifetimeMs ?? null,
      ...miss,
    };
  }
}

/** What of an answered call is accounted for. */
type JudgedCall = Pick<AnsweredCall, 'request' | 'outcome' | 'place'>;

/** Compares a request with what the one before it in the conversation had left in the cache. */
function explain(
  conversation: Conversation,
  startMs: number,
  { request, outcome }: Pick<JudgedCall, 'request' | 'outcome'>,
  announced: BreakCause | null,
): Pick<ServedCall, 'missReason' | 'missedTokens' | 'change'> {
  const { view, salts, model, breakpoints } = request;
  const { latest, cachedTokens, detector } = conversation;
  const { readTokens, write1hTokens, write5mTokens, hitTtlMs, lifetimeMs, short } = outcome;
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
    breakpoints: lifetimeMs === undefined ? breakpoints : everywhere(view, latest?.view ?? view, lifetimeMs),
    entryTtlMs: lifetimeMs ?? wroteTtlMs ?? hitTtlMs,
    sawUnreadable: outcome.sawUnreadable,
    ...(short === undefined ? {} : { short }),
  };
  const missedTokens = Math.max(0, cachedTokens - readTokens);
  const hasBroken = isBreak(cachedTokens, readTokens) || (readTokens === 0 && missedTokens > 0);
  const cause = hasBroken ? (uncachable(request) ?? detector.causeOf(observation, announced)) : null;
  detector.observe(observation, announced);
  const changed = observation.firstChangedPosition;
  conversation.latest = { model, view, salts };
  // Without marks all of a prompt is kept that is long enough, whether the provider reports it or not.
  const isKept = lifetimeMs !== undefined && uncachable(request) === null;
  const lifeMs = Math.max(lifetimeMs ?? 0, ...breakpoints.map(({ ttlMs }) => ttlMs));
  conversation.expiresAtMs = Math.max(conversation.expiresAtMs, startMs + lifeMs + SLACK_MS);
  conversation.cachedTokens = isKept ? outcome.promptTokens : readTokens + write5mTokens + write1hTokens;
  if (cause === null) {
    const missReason = readTokens > 0 ? null : (uncachable(request) ?? 'first');
    return { missReason, missedTokens: 0, change: null };
  }
  const change = changed === null || announced !== null ? null : promptChange(latest!.view, view, changed);
  return { missReason: cause, missedTokens, change };
}

/** Marks for a cache that has none: at the end of the prompt, and where the one before it ended. */
function everywhere(view: PrefixView, before: PrefixView, ttlMs: number): readonly Breakpoint[] {
  const last = view.length - 1;
  const reached = before.length - 1;
  return (reached < last ? [reached, last] : [last]).map((position) => ({ position, ttlMs }));
}

/** Why nothing of a request could be read or written; null if something could. */
function uncachable({ breakpoints, view, model, promptTokens }: AnsweredCall['request']): MissReason | null {
  const rules = cacheRulesOf(model.provider, model.id);
  const last = breakpoints.at(-1);
  if (rules.written === 'marks' && last === undefined) return 'no-marker';
  const tokens = rules.written === 'marks' ? view.sums[last!.position]! : promptTokens;
  return tokens < minimumOf(model, rules) ? 'too-short' : null;
}
