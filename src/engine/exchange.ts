import { type CacheObservation, causeOf, createBreakDetector } from '../cache/break-detector.js';
import type { ModelRow } from '../cache/model-table.js';
import { type Cost, priceUsage } from '../cache/price.js';
import type { LevelSalts } from '../cache/salts.js';
import { isLongTtl, TTL_1H_MS, TTL_5M_MS } from '../cache/ttl.js';
import type { LlmReply } from '../llm/fake-llm.js';
import type { Breakpoint, PrefixView } from '../model/prefix.js';
import type { BreakCause } from '../model/run-log.js';
import type { CallPurpose } from '../model/run-plan.js';
import type { Usage } from '../model/usage.js';
import { checkRead, checkUsage, checkWindow } from './invariants.js';
import type { RunEnv } from './run-env.js';

/** A request of a thread, ready to be sent. */
export interface Outgoing {
  readonly purpose: CallPurpose;
  readonly turn: number;
  readonly model: ModelRow;
  readonly salts: LevelSalts;
  readonly view: PrefixView;
  readonly breakpoints: readonly Breakpoint[];
  readonly startMs: number;
  readonly write: 'write' | 'read-only';
  readonly windowTokens: number | null;
  readonly outputTokens: number;
  readonly recordedLatencyMs: number | null;
  readonly seen: number | null;
  /** Share of the session's own content that is still in the request; null for requests beside the loop. */
  readonly kept: number | null;
  /** Tokens that no earlier request of the thread held. */
  readonly freshTokens: number;
  /** First position that differs from the thread's previous request; null when it only grew. */
  readonly firstChanged: number | null;
  /** What a layer announced as the reason of the change (BRD-3). */
  readonly announced: BreakCause | null;
  /** Tokens deleted on the server that the request still names (MIC-3). */
  readonly deletedTokens: number;
  /** Part of them that is not billed as read. */
  readonly unbilledTokens: number;
  /** Chance that it breaks for no reason the recording tells (K14). */
  readonly risk: number;
}

/** The requests of one thread: sends, prices, logs, and watches for cache breaks. */
export class Exchange {
  private readonly detector = createBreakDetector();
  private previous: CacheObservation | null = null;

  constructor(
    private readonly env: RunEnv,
    private readonly thread: string,
  ) {}

  /** Goes on from another thread's latest request: a fork, or a session taken up again. */
  adopt(other: Exchange): void {
    this.previous = other.previous;
    if (other.previous !== null) this.detector.observe(other.previous);
  }

  /** Sends a request of the thread's own chain, or one made beside it by a layer. */
  send(out: Outgoing, chain: 'own' | 'beside'): LlmReply & { readonly cost?: Cost } {
    this.env.onRequest?.(this.thread, out);
    const reply = this.env.llm.call(out);
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
    const { outcome } = reply;
    checkUsage(reply.usage, outcome.promptTokens);
    checkRead(outcome.readTokens, outcome.hitPosition, out.view);
    checkWindow(outcome.promptTokens, out.windowTokens);
    const unbilled = Math.min(out.unbilledTokens, reply.usage.cacheRead);
    const usage =
      unbilled === 0 ? reply.usage : { ...reply.usage, cacheRead: reply.usage.cacheRead - unbilled };
    const cost = priceUsage(out.model, usage);
    const unread = outcome.promptTokens - outcome.readTokens;
    const rewritten = Math.max(0, unread - out.freshTokens);
    const observation = observationOf(out, answerOf(reply));
    let cause: BreakCause | null = null;
    if (rewritten > 0) {
      cause = out.announced ?? (this.previous === null ? 'server' : causeOf(this.previous, observation));
    }
    const writeCost = cost.cacheWrite5mNano + cost.cacheWrite1hNano;
    const n = ++this.env.totals.requests;
    this.env.totals.costNano += cost.totalNano;
    this.env.sink.write({
      type: 'request',
      t: out.startMs,
      thread: this.thread,
      n,
      turn: out.turn,
      purpose: out.purpose,
      model: out.model.id,
      prompt: outcome.promptTokens - unbilled,
      read: usage.cacheRead,
      write5m: usage.cacheWrite5m,
      write1h: usage.cacheWrite1h,
      input: usage.input,
      output: usage.output,
      context: outcome.promptTokens + usage.output - out.deletedTokens,
      seen: out.seen,
      kept: out.kept,
      fresh: Math.min(out.freshTokens, outcome.promptTokens),
      rewritten,
      cause,
      latencyMs: reply.latencyMs,
      readCost: cost.cacheReadNano,
      writeCost,
      inputCost: cost.inputNano,
      outputCost: cost.outputNano,
      cost: cost.totalNano,
      rewriteCost: rewriteCostOf(writeCost + cost.inputNano, rewritten, unread),
      ...(out.risk === 0 ? NO_RISK : { risk: riskOf(out, usage) }),
    });
    if (chain === 'own') {
      if (out.announced === 'compaction' || out.announced === 'microcompaction')
        this.detector.announce(out.announced);
      const report = this.detector.observe(observation);
      this.previous = observation;
      if (report !== null) {
        const named = out.announced ?? (report.cause === 'deletion' ? 'microcompaction' : report.cause);
        this.env.sink.write({
          type: 'break',
          t: out.startMs,
          thread: this.thread,
          n,
          cause: named,
          expected: report.expected || out.announced !== null,
          lostTokens: report.lostTokens,
          position: report.position,
        });
      }
    }
    return { ok: true, usage, outcome, latencyMs: reply.latencyMs, fault: reply.fault, cost };
  }
}

const NO_RISK = {};

/** What a break that nothing foretells would cost here: everything behind system and tools written again in place of read. */
function riskOf(out: Outgoing, usage: Usage): { readonly chance: number; readonly cost: number } {
  const { view, model, breakpoints } = out;
  const kept = view.systemEnd === 0 ? 0 : view.sums[view.systemEnd - 1]!;
  const lost = Math.max(0, usage.cacheRead - kept);
  const isLong = isLongTtl(breakpoints.at(-1)?.ttlMs ?? TTL_5M_MS);
  const broken: Usage = {
    ...usage,
    cacheRead: usage.cacheRead - lost,
    cacheWrite5m: usage.cacheWrite5m + (isLong ? 0 : lost),
    cacheWrite1h: usage.cacheWrite1h + (isLong ? lost : 0),
  };
  return { chance: out.risk, cost: priceUsage(model, broken).totalNano - priceUsage(model, usage).totalNano };
}

/** What the cache did with a request, as far as the break detector asks. */
export type CacheAnswer = Pick<
  CacheObservation,
  'readTokens' | 'promptTokens' | 'entryTtlMs' | 'sawUnreadable'
>;

function answerOf({ outcome }: LlmReply & { readonly ok: true }): CacheAnswer {
  const { readTokens, promptTokens, sawUnreadable } = outcome;
  const wrote = outcome.write1hTokens > 0 ? TTL_1H_MS : outcome.write5mTokens > 0 ? TTL_5M_MS : null;
  return { readTokens, promptTokens, entryTtlMs: wrote ?? outcome.hitTtlMs, sawUnreadable };
}

/** What the break detector sees of a request and its answer. */
export function observationOf(out: Outgoing, answer: CacheAnswer): CacheObservation {
  const { view } = out;
  return {
    startMs: out.startMs,
    readTokens: answer.readTokens,
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
}

/** The part of what writing and plain input cost that was for tokens sent before. */
export function rewriteCostOf(paidNano: number, rewritten: number, unread: number): number {
  return unread === 0 ? 0 : Math.round((paidNano * rewritten) / unread);
}
