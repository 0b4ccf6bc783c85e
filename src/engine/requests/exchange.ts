import { chainDigest, digestParts, digestText } from '../../core/base/digest.js';
import type { Mutable } from '../../core/base/mutable.js';
import { promptTokens, type Usage } from '../../core/model/usage.js';
import type { BreakCause } from '../../core/run/break-causes.js';
import type { RequestEntry } from '../../core/run/log-entries.js';
import { otherPriceSentence } from '../../core/run/recorded-bill.js';
import type { WarningList } from '../../core/run/warning.js';
import {
  type CacheObservation,
  createBreakDetector,
  lastPosition,
} from '../../provider/cache/break-detector.js';
import type { HitOdds } from '../../provider/cache/prompt-cache.js';
import { isLongTtl, TTL_1H_MS, TTL_5M_MS } from '../../provider/cache/ttl.js';
import type { LlmCall, LlmReply } from '../../provider/fake-llm/fake-llm.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { type Cost, otherPrices, pricesAt, priceUsage, rewriteNano } from '../../provider/prices/price.js';
import { checkRead, checkUsage, checkWindow } from '../context/invariants.js';
import type { Outgoing, RunEnv } from './run-env.js';

/** The requests of one thread: sends, prices, logs, and watches for cache breaks. */
export class Exchange {
  private detector = createBreakDetector();
  private readonly places = new Map<string, number>();

  constructor(
    private readonly env: RunEnv,
    private readonly thread: string,
  ) {}

  /** The latest request of the thread's own chain. */
  get latest(): CacheObservation | null {
    return this.detector.previous;
  }

  /** Goes on from another thread's latest request: a fork, or a resumed session. */
  continueFrom(latest: CacheObservation | null): void {
    this.detector = createBreakDetector(latest);
  }

  /** The luck of a request is that of its place in the recording: the n-th of its purpose in its turn. */
  private withLuck(out: Outgoing): LlmCall {
    const { purpose, turn } = out;
    const place = `${purpose} ${turn}`;
    const nth = (this.places.get(place) ?? 0) + 1;
    this.places.set(place, nth);
    const session = chainDigest(this.env.cacheKinds.session, digestText(this.thread));
    return { ...out, luck: { session, request: digestParts([this.thread, purpose, turn, nth]) } };
  }

  /** Sends a request of the thread's own chain, or one made beside it by a layer. */
  send(out: Outgoing, chain: 'own' | 'beside'): LlmReply & { readonly cost?: Cost } {
    this.env.onRequest?.(this.thread, out);
    const reply = this.env.llm.call(this.env.cacheKinds.chance === 'none' ? out : this.withLuck(out));
    if (!reply.ok) {
      this.env.sink.write({
        type: 'refused',
        t: out.startMs,
        thread: this.thread,
        turn: out.turn,
        purpose: out.purpose,
        status: reply.error.status,
        error: reply.error.type,
        message: reply.error.message,
        prompt: reply.promptTokens,
        limit: out.windowTokens,
      });
      return reply;
    }
    const { outcome, usage } = reply;
    const deletedTokens = out.deleted?.tokens ?? 0;
    const prompt = promptTokens(usage);
    checkUsage(usage, outcome.promptTokens, deletedTokens);
    checkRead(
      outcome.readTokens,
      outcome.hitPosition,
      out.view,
      out.adjust === null ? this.env.cacheKinds.reads : 'grain',
    );
    checkWindow(outcome.promptTokens - deletedTokens, out.windowTokens);
    const atMs = this.env.pricedAt(out.startMs);
    const cost = priceUsage(out.model, usage, atMs);
    warnOfPrices(this.env.warnings, out.model, atMs);
    const unread = prompt - usage.cacheRead;
    const rewritten = Math.max(0, unread - out.freshTokens);
    const observation = observationOf(out, answerOf(reply));
    const cause = rewritten > 0 ? this.causeOf(out, observation, chain) : null;
    const writeCost = cost.cacheWrite5mNano + cost.cacheWrite1hNano;
    const n = ++this.env.totals.requests;
    this.env.totals.costNano += cost.totalNano;
    const entry: Mutable<RequestEntry> = {
      type: 'request',
      t: out.startMs,
      thread: this.thread,
      n,
      turn: out.turn,
      purpose: out.purpose,
      model: out.model.id,
      prompt,
      read: usage.cacheRead,
      write5m: usage.cacheWrite5m,
      write1h: usage.cacheWrite1h,
      input: usage.input,
      output: usage.output,
      context: outcome.promptTokens + usage.output - deletedTokens,
      estimatedTokens: out.seen,
      kept: out.kept,
      uncompactedTokens: out.untouched,
      newTokens: Math.min(out.freshTokens, prompt),
      rewritten,
      cause,
      latencyMs: reply.latencyMs,
      readCost: cost.cacheReadNano,
      writeCost,
      inputCost: cost.inputNano,
      outputCost: cost.outputNano,
      cost: cost.totalNano,
      rewriteCost: rewriteCostOf(writeCost + cost.inputNano, rewritten, unread),
    };
    // The hazard of breaks is that of a client of Anthropic: elsewhere nothing is known of it.
    if (out.risk !== 0 && this.env.cacheKinds.reads === 'exact') entry.risk = riskOf(out, usage, atMs);
    this.env.sink.write(entry);
    // What was found is known if a recording has it for this cache.
    const isKnown = this.env.whatIf?.reads === 'as-recorded';
    if (chain === 'own' && outcome.odds !== undefined && !isKnown)
      this.noteOdds(out, usage, atMs, outcome.odds);
    if (chain === 'own') {
      const report = this.detector.observe(observation, out.announced);
      if (report !== null) {
        const { cause: named, expected, lostTokens, position, tools } = report;
        this.env.sink.write({
          type: 'break',
          t: out.startMs,
          thread: this.thread,
          n,
          cause: named,
          expected,
          lostTokens,
          position,
          ...(tools === null ? {} : { tools }),
        });
      }
    } else this.renew(out, observation, outcome.hitPosition);
    return { ok: true, usage, outcome, latencyMs: reply.latencyMs, fault: reply.fault, cost };
  }

  /** What chance could have added to a request, and what it did. */
  private noteOdds({ model, deleted }: Outgoing, usage: Usage, atMs: number, odds: HitOdds): void {
    if (deleted !== null) return;
    const nano = (read: number): number => {
      const prompt = promptTokens(usage);
      const cacheWrite5m = usage.cacheWrite5m > 0 ? prompt - read : 0;
      const input = prompt - read - cacheWrite5m;
      return priceUsage(model, { ...usage, cacheRead: read, input, cacheWrite5m }, atMs).totalNano;
    };
    const full = nano(odds.fullTokens);
    this.env.luck.add(odds, nano(0) - full, nano(usage.cacheRead) - full);
  }

  /** Why tokens had to be paid for again; a call with a prefix of its own shares none with the thread, at any time. */
  private causeOf(out: Outgoing, observation: CacheObservation, chain: 'own' | 'beside'): BreakCause {
    if (this.env.cache === null) return 'no-cache';
    if (chain === 'beside' && out.announced !== null) return out.announced;
    return this.detector.causeOf(observation, out.announced);
  }

  /**
   * A request beside the loop renews what the thread's latest one left where it reads or writes that very entry (C45). A longer
   * entry of its own that it reads renews the shorter one only where both are marked, or where the cache has no marks.
   */
  private renew(out: Outgoing, { systemDigest, startMs }: CacheObservation, hitPosition: number): void {
    const { previous } = this.detector;
    if (previous === null || previous.systemDigest !== systemDigest) return;
    const end = lastPosition(previous);
    const { breakpoints, write } = out;
    const hasMarks = this.env.cacheKinds.reads === 'exact';
    const marksEnd = hasMarks
      ? breakpoints.some(({ position }) => position === end)
      : (breakpoints.at(-1)?.position ?? -1) >= end;
    if (hitPosition === end || (write === 'write' && marksEnd && hitPosition < end))
      this.detector.renew(startMs);
    else if (hitPosition > end && (marksEnd || !hasMarks)) this.detector.renewLive(startMs);
  }
}

/** Says what is to be known of the price of a request. */
function warnOfPrices(warnings: WarningList, row: ModelRow, atMs: number): void {
  if (!row.pricesAreKnown) warnNoPrice(warnings, row.id);
  const { pricesOf } = pricesAt(row, atMs);
  if (pricesOf !== null) warnAssumedPrice(warnings, row.id, pricesOf);
  const other = otherPrices(row, atMs);
  if (other !== null) warnings.add(`${other.kind}-price`, `requests of ${otherPriceSentence(row.id, other)}`);
}

/** Reports once per model, with its number of requests, that their cost is unknown. */
function warnNoPrice(warnings: WarningList, model: string): void {
  warnings.add(
    'no-price',
    `no price is known for ${model}: its requests count as 0 dollars`,
    `add its prices under \`models:\` in a scenario`,
  );
}

/** Says once for each model, with its requests counted, that it is priced as another. */
function warnAssumedPrice(warnings: WarningList, model: string, other: string): void {
  warnings.add(
    'assumed-price',
    `no price is published for ${model}: its requests are priced as those of ${other}`,
    `add its prices under \`models:\` in a scenario`,
  );
}

/** What an unpredictable break would cost here: everything after system and tools written again instead of read. */
function riskOf(
  { view, model, breakpoints, risk }: Outgoing,
  usage: Usage,
  atMs: number,
): { readonly chance: number; readonly cost: number } {
  const kept = view.systemEnd === 0 ? 0 : view.sums[view.systemEnd - 1]!;
  const lost = Math.max(0, usage.cacheRead - kept);
  const lives = isLongTtl(breakpoints.at(-1)?.ttlMs ?? TTL_5M_MS) ? 'cacheWrite1h' : 'cacheWrite5m';
  return { chance: risk, cost: rewriteNano(model, usage, lost, lives, atMs) };
}

/** What the cache did with a request, as far as the break detector asks. */
export type CacheAnswer = Pick<
  CacheObservation,
  'readTokens' | 'leftOutTokens' | 'promptTokens' | 'entryTtlMs' | 'sawUnreadable' | 'short'
>;

function answerOf({ outcome, usage }: LlmReply & { readonly ok: true }): CacheAnswer {
  const { readTokens, promptTokens, sawUnreadable } = outcome;
  const wrote = outcome.write1hTokens > 0 ? TTL_1H_MS : outcome.write5mTokens > 0 ? TTL_5M_MS : null;
  const answer = {
    readTokens,
    leftOutTokens: readTokens - usage.cacheRead,
    promptTokens,
    entryTtlMs: outcome.lifetimeMs ?? wrote ?? outcome.hitTtlMs,
    sawUnreadable,
  };
  return outcome.short === undefined ? answer : { ...answer, short: outcome.short };
}

/** What the break detector sees of a request and its answer. */
export function observationOf(out: Outgoing, answer: CacheAnswer): CacheObservation {
  const { view } = out;
  const observation: Mutable<CacheObservation> = {
    startMs: out.startMs,
    readTokens: answer.readTokens,
    leftOutTokens: answer.leftOutTokens ?? 0,
    promptTokens: answer.promptTokens,
    model: out.model.id,
    toolsDigest: view.toolsEnd === 0 ? 0 : view.digests[view.toolsEnd - 1]!,
    systemDigest: view.systemEnd === 0 ? 0 : view.digests[view.systemEnd - 1]!,
    parametersDigest: out.salts.messages,
    firstChangedPosition: out.firstChanged,
    breakpoints: out.breakpoints,
    entryTtlMs: answer.entryTtlMs,
    sawUnreadable: answer.sawUnreadable,
  };
  if (out.changedTools !== undefined) observation.changedTools = out.changedTools;
  if (answer.short !== undefined) observation.short = answer.short;
  return observation;
}

/** The part of what writing and plain input cost that was for tokens sent before. */
export function rewriteCostOf(paidNano: number, rewritten: number, unread: number): number {
  return unread === 0 ? 0 : Math.round((paidNano * rewritten) / unread);
}
