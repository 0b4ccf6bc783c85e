import type { Digest } from '../../core/base/digest.js';
import type { Random } from '../../core/base/random.js';
import type { Breakpoint, DeletedContent, PrefixView } from '../../core/model/prefix.js';
import { promptTokens, type Usage } from '../../core/model/usage.js';
import type { Amount, CallPurpose, FakeLlmPlan, FaultRule } from '../../core/run/run-plan.js';
import type { ApiError } from '../cache/api-error.js';
import type { CacheOutcome, CacheRequest, Luck, PromptCache } from '../cache/prompt-cache.js';
import type { LevelSalts } from '../cache/salts.js';
import type { ModelRow } from '../prices/model-row.js';
import { type FaultPlan, faultDelayMs, faultError, promptTooLong } from './faults.js';

/** How the fake LLM answers unless somebody says otherwise. */
export const DEFAULT_FAKE_LLM: FakeLlmPlan = {
  summaryTokens: { median: 4_400, p90: 6_500, min: 1_600, max: 9_000 }, // E6: 4.4–24.5 K characters, median 12 K, 2.75 a token
  scratchpadTokens: { median: 900, p90: 1_800, min: 200, max: 4_000 }, // assumed: a fifth of a summary
  notesTokens: { median: 350, p90: 900, min: 60, max: 3_000 }, // assumed: 7 % of the growth of 5,000 tokens that leads to an update
  latencyScale: 1,
};

/** The standard normal quantile at 0.9. */
const Z90 = 1.2815515655446004;

/** A whole number as planned: the fixed one, or a draw from a log-normal held between its limits. */
export function drawAmount(amount: Amount, random: Random): number {
  if ('fixed' in amount) return Math.round(amount.fixed);
  const { median, p90, min, max } = amount;
  if (median <= 0) return Math.round(min);
  const sigma = Math.log(Math.max(p90, median) / median) / Z90;
  const drawn = median * Math.exp(sigma * random.normal());
  return Math.round(Math.min(max, Math.max(min, drawn)));
}

/** Milliseconds until a response begins: overhead plus the prefill of what the cache did not serve. */
export function firstTokenMs(model: ModelRow, uncachedTokens: number, scale: number): number {
  const { overheadMs, prefillTokensPerSecond } = model.latency;
  return Math.round((overheadMs + (uncachedTokens / prefillTokensPerSecond) * 1_000) * scale);
}

/** Milliseconds until a response is complete. */
function responseMs(model: ModelRow, uncachedTokens: number, outputTokens: number, scale: number): number {
  const decodeMs = (outputTokens / model.latency.decodeTokensPerSecond) * 1_000;
  return firstTokenMs(model, uncachedTokens, scale) + Math.round(decodeMs * scale);
}

/**
 * What is billed for a request: what the cache did with its bytes, less what was deleted on the server (C7). Where the cache
 * was hit, reads drop by exactly the deleted tokens; deleted content behind the hit is not written either. @internal
 */
export function usageOf(
  outcome: CacheOutcome,
  outputTokens: number,
  deleted: DeletedContent | null,
  view: Pick<PrefixView, 'sums' | 'length'>,
): Usage {
  const { readTokens, write5mTokens, write1hTokens, inputTokens } = outcome;
  if (deleted === null || deleted.tokens === 0) {
    return {
      input: inputTokens,
      cacheRead: readTokens,
      cacheWrite5m: write5mTokens,
      cacheWrite1h: write1hTokens,
      output: outputTokens,
    };
  }
  const ofRead = deletedInRead(outcome, deleted, view);
  const behind = deleted.tokens - ofRead;
  const of1h = Math.min(behind, write1hTokens);
  const of5m = Math.min(behind - of1h, write5mTokens);
  return {
    input: inputTokens - (behind - of1h - of5m),
    cacheRead: readTokens - ofRead,
    cacheWrite5m: write5mTokens - of5m,
    cacheWrite1h: write1hTokens - of1h,
    output: outputTokens,
  };
}

/**
 * Deleted tokens among those that were read. A read on steps, or one by chance, may end before the entry does, even inside of a
 * block; one that a recording shows may go further than any entry.
 */
function deletedInRead(
  { readTokens, hitPosition }: CacheOutcome,
  deleted: DeletedContent,
  { sums, length }: Pick<PrefixView, 'sums' | 'length'>,
): number {
  let whole = hitPosition;
  while (whole >= 0 && sums[whole]! > readTokens) whole--;
  while (whole + 1 < length && sums[whole + 1]! <= readTokens) whole++;
  const ofWhole = deleted.upTo(whole);
  const ofNext = deleted.upTo(whole + 1) - ofWhole;
  return ofWhole + Math.min(ofNext, readTokens - (whole < 0 ? 0 : sums[whole]!));
}

/** Another answer in place of the one that the cache gave. */
export type AdjustOutcome = (outcome: CacheOutcome) => CacheOutcome;

/** A request to the fake LLM. */
export interface LlmCall extends Omit<CacheRequest, 'readableAtMs' | 'endsAtMs'> {
  readonly purpose: CallPurpose;
  /** Longest prompt the model takes; null takes any. */
  readonly windowTokens: number | null;
  /** What of the bytes was deleted on the server and takes no room in the window (MIC-3); null when nothing was. */
  readonly deleted: DeletedContent | null;
  /** Tokens the answer will have. */
  readonly outputTokens: number;
  /** Tokens it will have where a fault changes it; absent if that makes no difference. */
  readonly outputWith?: (fault: FaultRule) => number;
  /** How long the recorded answer took; null lets the model table say. */
  readonly recordedLatencyMs: number | null;
  /** Brings the answer of the cache to what is known of it otherwise; absent or null where it stands. */
  readonly adjust?: AdjustOutcome | null;
}

/** What comes back. */
export type LlmReply =
  | {
      readonly ok: true;
      readonly usage: Usage;
      readonly outcome: CacheOutcome;
      readonly latencyMs: number;
      /** What is wrong with the answer. */
      readonly fault: FaultRule | null;
    }
  | {
      readonly ok: false;
      readonly error: ApiError;
      readonly promptTokens: number;
      readonly latencyMs: number;
      /** Wait the API asks for. */
      readonly retryAfterSeconds: number | null;
    };

/** A model that answers as configured, billed by the cache simulator. */
export interface FakeLlm {
  call(call: LlmCall): LlmReply;
}

/** Whether deleted content is left out of the bill, or still billed as read (MIC-3). */
export type DeletedBilling = 'free' | 'read';

/** Creates a fake LLM in front of a prompt cache; without one, every token is plain input. Faults strike before all else. */
export function createFakeLlm(
  cache: PromptCache | null,
  latencyScale: number,
  faults: FaultPlan | null = null,
  billing: DeletedBilling = 'free',
): FakeLlm {
  const request = new CacheCall(latencyScale);
  return {
    call(call) {
      const { view, model, windowTokens, deleted } = call;
      const byteTokens = view.length === 0 ? 0 : view.sums[view.length - 1]!;
      const held = deleted === null ? byteTokens : byteTokens - deleted.tokens;
      const fault = faults === null ? null : faults.next(call.purpose, call.startMs);
      const delayMs = fault === null ? 0 : faultDelayMs(fault);
      let error = fault === null ? null : faultError(fault, held, windowTokens);
      const retryAfterSeconds = error === null ? null : fault!.retryAfterSeconds;
      if (error === null && windowTokens !== null && held > windowTokens) {
        error = promptTooLong(held, windowTokens);
      }
      if (error !== null) {
        const latencyMs = Math.round(model.latency.overheadMs * latencyScale) + delayMs;
        return { ok: false, error, promptTokens: held, latencyMs, retryAfterSeconds };
      }
      const found = cache === null ? uncached(byteTokens) : cache.request(request.become(call));
      const outcome = call.adjust === undefined || call.adjust === null ? found : call.adjust(found);
      const outputTokens = fault === null ? call.outputTokens : outputOf(call, fault);
      const usage = usageOf(outcome, outputTokens, billing === 'free' ? deleted : null, view);
      const uncachedTokens = promptTokens(usage) - usage.cacheRead;
      return {
        ok: true,
        outcome,
        usage,
        latencyMs:
          (call.recordedLatencyMs ?? responseMs(model, uncachedTokens, outputTokens, latencyScale)) + delayMs,
        fault,
      };
    },
  };
}

/** What is generated is billed, whatever the client makes of it (C23). */
function outputOf(call: LlmCall, fault: FaultRule): number {
  return call.outputWith === undefined ? call.outputTokens : call.outputWith(fault);
}

/** A call as the cache sees it; one object serves all calls of a run, one after the other. */
class CacheCall implements CacheRequest {
  declare model: ModelRow;
  declare salts: LevelSalts;
  declare view: PrefixView;
  declare breakpoints: readonly Breakpoint[];
  declare startMs: number;
  declare write: LlmCall['write'];
  declare outputTokens: number;
  declare answer: Digest | null;
  declare luck: Luck | null;
  declare outsideTokens: number;
  declare private recordedLatencyMs: number | null;

  constructor(private readonly latencyScale: number) {}

  become(call: LlmCall): this {
    this.model = call.model;
    this.salts = call.salts;
    this.view = call.view;
    this.breakpoints = call.breakpoints;
    this.startMs = call.startMs;
    this.write = call.write;
    this.outputTokens = call.outputTokens;
    this.answer = call.answer ?? null;
    this.luck = call.luck ?? null;
    this.outsideTokens = call.outsideTokens ?? 0;
    this.recordedLatencyMs = call.recordedLatencyMs;
    return this;
  }

  readonly readableAtMs = (uncachedTokens: number): number => {
    const ms = firstTokenMs(this.model, uncachedTokens, this.latencyScale);
    return this.startMs + (this.recordedLatencyMs === null ? ms : Math.min(ms, this.recordedLatencyMs));
  };

  readonly endsAtMs = (uncachedTokens: number): number =>
    this.startMs +
    (this.recordedLatencyMs ?? responseMs(this.model, uncachedTokens, this.outputTokens, this.latencyScale));
}

function uncached(promptTokens: number): CacheOutcome {
  return {
    readTokens: 0,
    write5mTokens: 0,
    write1hTokens: 0,
    inputTokens: promptTokens,
    hitPosition: -1,
    hitTtlMs: null,
    promptTokens,
    sawUnreadable: false,
  };
}
