import { ownValue } from '../../core/base/own-value.js';
import {
  isOutputEstimated,
  isSummaryFork,
  outputOf,
  type Thread,
  type Transcript,
} from '../../core/model/transcript.js';
import { cacheWriteTokens, promptTokens, type Usage } from '../../core/model/usage.js';
import type { OtherPrices } from '../../core/run/recorded-bill.js';
import { isBreak } from '../../provider/cache/break-detector.js';
import type { ModelBook } from '../../provider/prices/model-book.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { modelsOf } from '../../provider/prices/models.js';
import { type Cost, NO_COST, otherPrices, pricesFor, priceUsage } from '../../provider/prices/price.js';
import { billedUsage, hourPremium, writtenPremium } from '../../provider/prices/recorded-bill.js';
import { callKeys } from '../../transcripts/sessions/copy-keys.js';
import type { PredictedCause } from '../validate/predict.js';
import { type RecordedRequest, startsMidSession, type Truth } from '../validate/truth.js';
import { REPORTED_CAUSES, SWITCH_CAUSES, WALK_CAUSES, type WhyCause } from './causes.js';
import { lifetimeMs, partings } from './pauses.js';

/** Tokens of one request that were paid in full, and what for. */
export interface PaidPart {
  readonly cause: WhyCause;
  /** Tokens written to the cache. */
  readonly written: number;
  /** Tokens paid without a write, where the provider does not tell writes or makes none. */
  readonly uncached: number;
  readonly nano: number;
  /** What of it a user could have kept. */
  readonly avoidableNano: number;
  /** Set where a compaction before the pause would have kept some of it. */
  readonly isCompactable?: true;
}

/** A stretch of a prompt that was billed at one price. */
export interface BilledStretch {
  readonly tokens: number;
  readonly nano: number;
}

/** One request of a recording with all of its money. */
export interface AttributedRequest
  extends Pick<RecordedRequest, 'threadId' | 'startMs' | 'gapMs' | 'model' | 'prompt' | 'read'> {
  /** What the call is known by in other files. */
  readonly key: string;
  readonly isMain: boolean;
  /** It answers something that the user said: the first request of a turn. */
  readonly startsTurn: boolean;
  /** Place among the requests of its thread, from 1. */
  readonly number: number;
  readonly output: number;
  readonly readNano: number;
  readonly uncachedNano: number;
  readonly uncached: number;
  readonly outputNano: number;
  /** Tokens written for an hour; what else is written lives five minutes. */
  readonly writtenHour: number;
  /** List price of its input, dollars per million tokens; null if none is known. */
  readonly inputUsd: number | null;
  /** It asks for the summary of a compaction. */
  readonly isSummary: boolean;
  /** The recording holds a placeholder instead of its output. */
  readonly isOutputEstimated: boolean;
  /** What it would have cost more had all that was not read been written, where the recording tells no writes. */
  readonly untoldNano: number;
  /** The same had all its writes been for an hour, where the recording does not tell for how long they were. */
  readonly untoldHourNano: number;
  /** Which prices it has; null for the newest of its model. */
  readonly otherPrices: Omit<OtherPrices, 'calls'> | null;
  /** A lifetime ran out before it, and something else would have broken its prompt in any case: a longer one keeps nothing. */
  readonly isBrokenAnyway: boolean;
  /** The prompt from its beginning to its end: read, written for an hour and for five minutes, neither; those without tokens left out. */
  readonly stretches: readonly BilledStretch[];
  /** What was written, or paid in full: empty if nothing was. */
  readonly parts: readonly PaidPart[];
}

/** True for a request of a model whose price is not known: its money is in no sum. */
export function isUnpriced({ inputUsd }: Pick<AttributedRequest, 'inputUsd'>): boolean {
  return inputUsd === null;
}

/** Why a request reads less than the prompt before it, as the simulator sees it with the unexplained breaks given. */
interface Loss {
  /** Null if it says nothing of the request. */
  readonly cause: PredictedCause | null;
  /** Tokens that it would have read all the same, and that were not. */
  readonly missed: number;
  /** What would have broken it had no lifetime run out; null if nothing would have. */
  readonly besides: PredictedCause | null;
}

/** What is lost before the requests of a thread. */
export type LossOf = (request: RecordedRequest) => Loss;

/** Tokens behind system and tools after a compaction, and those of its summary: what recorded ones left and the fake LLM writes. */
const COMPACTED_TOKENS = 18_000;
const SUMMARY_TOKENS = 4_400;

/** Causes that a compaction before the pause takes part of the cost from. */
const PAUSE_CAUSES: readonly WhyCause[] = ['lifetime-5m', 'lifetime-1h'];

/** Nano-dollars for a token at a dollar per million. */
export const PER_TOKEN_NANO = 1_000;

interface Place {
  readonly thread: Thread;
  readonly models: ModelBook;
  readonly request: RecordedRequest;
  readonly first: RecordedRequest;
  readonly tellsWrites: boolean;
  readonly tellsLifetimes: boolean;
  /** The user could have compacted before the pause. */
  readonly hasParting: boolean;
  readonly summary: SummaryRequest;
}

/** What the request for a summary sends: the prompt as it stands, which is read; or the messages behind a prompt of its own, which are written. */
export type SummaryRequest = 'same-prompt' | 'own-prompt';

/** What the API reported as the reason of a miss; else it is unexplained. */
function reportedCause({ missReason }: RecordedRequest): WhyCause {
  return (missReason === null ? undefined : ownValue(REPORTED_CAUSES, missReason)) ?? 'unexplained';
}

/** What a request paid again of the prompt before it, by what made it do so. */
function lossesOf(request: RecordedRequest, lossOf: LossOf, again: number): readonly [WhyCause, number][] {
  const { cause, missed } = lossOf(request);
  const known = WALK_CAUSES[cause ?? 'given-break'];
  const reported = reportedCause(request);
  if (known === 'unexplained' || known === 'growth') return [[reported, again]];
  const riddle = Math.min(again, missed);
  const losses: [WhyCause, number][] = [
    [known, again - riddle],
    [reported, riddle],
  ];
  return losses.filter(([, tokens]) => tokens > 0);
}

/** What a user could have kept of the tokens that were paid for again; where a lifetime ran out, by a compaction before the pause. */
function avoidable(place: Place, cause: WhyCause, tokens: number, nano: number): number {
  const { request, first, models } = place;
  const { cacheRead, cacheWrite5m, output } = pricesFor(
    models.orUnknown(request.model),
    request.prompt,
    request.pricedAtMs,
  );
  const isSwitch = SWITCH_CAUSES.includes(cause);
  const isWarm = cause === 'resume' && request.gapMs! <= lifetimeMs(request);
  if (isSwitch || isWarm) return Math.max(0, nano - Math.round(tokens * cacheRead * PER_TOKEN_NANO));
  if (!PAUSE_CAUSES.includes(cause) || !place.hasParting) return 0;
  const price = tokens === 0 ? 0 : nano / tokens;
  // What other sessions keep warm is read with and without a compaction.
  const rest = Math.min(tokens, Math.max(0, first.cached + COMPACTED_TOKENS - request.read));
  const summed = request.previous!.cached;
  const sent =
    place.summary === 'same-prompt' ? summed * cacheRead : Math.max(0, summed - first.cached) * cacheWrite5m;
  const asking = (sent + SUMMARY_TOKENS * (output + cacheWrite5m)) * PER_TOKEN_NANO;
  return Math.max(0, Math.round(nano - rest * price - asking));
}

/** Splits what a request paid in full: content that is new, and content that was there before. */
function partsOf(place: Place, lossOf: LossOf, paid: number, nano: number): readonly PaidPart[] {
  if (paid === 0) return [];
  const { thread, request, tellsWrites } = place;
  const { previous } = request;
  const part = (cause: WhyCause, tokens: number, own: number, kept = 0): PaidPart => ({
    cause,
    written: tellsWrites ? tokens : 0,
    uncached: tellsWrites ? 0 : tokens,
    nano: own,
    avoidableNano: kept,
    ...(kept > 0 && PAUSE_CAUSES.includes(cause) ? { isCompactable: true } : {}),
  });
  if (previous === null) {
    const isResumed = thread.parentId === null && startsMidSession(thread);
    return [part(isResumed ? 'resume' : 'first-write', paid, nano)];
  }
  const fresh = Math.min(paid, Math.max(0, request.cached - previous.cached));
  const again = paid - fresh;
  const isQuiet = !isBreak(Math.min(previous.cached, request.cached), request.read);
  if (again === 0 || isQuiet) return [part('growth', paid, nano)];
  let [tokensLeft, nanoLeft] = [paid, nano];
  const parts = lossesOf(request, lossOf, again).map(([cause, tokens]) => {
    const own = Math.round((nanoLeft * tokens) / tokensLeft);
    tokensLeft -= tokens;
    nanoLeft -= own;
    return part(cause, tokens, own, avoidable(place, cause, tokens, own));
  });
  return fresh === 0 ? parts : [part('growth', fresh, nanoLeft), ...parts];
}

/** Attributes every dollar of a recording: tokens beyond the prompt before are growth, the rest has a cause. */
export function attributeRequests(
  transcript: Transcript,
  truth: Truth,
  lossOf: LossOf,
  summary: SummaryRequest,
): readonly AttributedRequest[] {
  const tellsWrites = transcript.carries.includes('cache-writes');
  const tellsLifetimes = transcript.carries.includes('lifetimes');
  const models = modelsOf(transcript);
  const found: AttributedRequest[] = [];
  const parted = transcript.threads.map((thread) => partings(thread, truth));
  for (const { thread: t, step: s, key } of callKeys(transcript)) {
    const thread = transcript.threads[t]!;
    const step = thread.steps[s]!;
    if (step.kind !== 'call') continue;
    const request = truth.byCall.get(step.call);
    if (request === undefined) continue;
    const first = truth.threads.get(thread.id)![0]!;
    const hasParting = parted[t]!.has(step.call.id);
    const startsTurn = thread.parentId === null && isSpokenBefore(thread, s);
    found.push({
      ...attributed(
        { thread, models, request, first, tellsWrites, tellsLifetimes, hasParting, summary },
        key,
        lossOf,
      ),
      startsTurn,
    });
  }
  return found;
}

/** Whether the user said something between a call and the one before it. */
function isSpokenBefore({ steps }: Thread, call: number): boolean {
  for (let i = call - 1; i >= 0; i--) {
    const step = steps[i]!;
    if (step.kind === 'call') return false;
    if (step.kind === 'message' && step.message.origin === 'human') return true;
  }
  return false;
}

function attributed(place: Place, key: string, lossOf: LossOf): Omit<AttributedRequest, 'startsTurn'> {
  const { request, thread, models, tellsWrites, tellsLifetimes } = place;
  const { call } = request;
  const usage = billedUsage(call)!;
  const row = models.find(request.model);
  const cost = row === null ? NO_COST : priceUsage(row, usage, request.pricedAtMs);
  const paid = tellsWrites ? cacheWriteTokens(usage) : usage.input;
  const paidNano = tellsWrites ? cost.cacheWrite5mNano + cost.cacheWrite1hNano : cost.inputNano;
  return {
    key,
    threadId: thread.id,
    isMain: thread.parentId === null,
    number: request.index + 1,
    startMs: request.startMs,
    gapMs: request.gapMs,
    model: request.model,
    prompt: promptTokens(usage),
    read: request.read,
    output: outputOf(call),
    readNano: cost.cacheReadNano,
    uncachedNano: tellsWrites ? cost.inputNano : 0,
    uncached: tellsWrites ? usage.input : 0,
    outputNano: cost.outputNano,
    writtenHour: tellsWrites ? usage.cacheWrite1h : 0,
    inputUsd: row === null ? null : pricesFor(row, promptTokens(usage), request.pricedAtMs).input,
    isSummary: isSummaryFork(thread),
    isOutputEstimated: isOutputEstimated(call),
    untoldNano: tellsWrites || row === null ? 0 : writtenPremium(row, usage, request.pricedAtMs, cost),
    untoldHourNano: tellsLifetimes || row === null ? 0 : hourPremium(row, usage, request.pricedAtMs, cost),
    otherPrices: otherPricesOf(row, request.pricedAtMs),
    isBrokenAnyway: lossOf(request).besides !== null,
    stretches: stretchesOf(usage, cost),
    parts: partsOf(place, lossOf, paid, paidNano),
  };
}

function otherPricesOf(row: ModelRow | null, atMs: number): AttributedRequest['otherPrices'] {
  const other = row === null ? null : otherPrices(row, atMs);
  return other === null ? null : { model: row!.id, ...other };
}

/** The prompt of a request by what its stretches cost: longer lifetimes come before shorter ones (api.md 1.4). */
function stretchesOf(usage: Usage, cost: Cost): readonly BilledStretch[] {
  return [
    { tokens: usage.cacheRead, nano: cost.cacheReadNano },
    { tokens: usage.cacheWrite1h, nano: cost.cacheWrite1hNano },
    { tokens: usage.cacheWrite5m, nano: cost.cacheWrite5mNano },
    { tokens: usage.input, nano: cost.inputNano },
  ].filter(({ tokens }) => tokens > 0);
}
