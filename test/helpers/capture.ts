import type { Digest } from '../../src/core/base/digest.js';
import type { Block } from '../../src/core/model/block.js';
import type { Message } from '../../src/core/model/message.js';
import type { Breakpoint } from '../../src/core/model/prefix.js';
import type { Transcript } from '../../src/core/model/transcript.js';
import type { LogEntry } from '../../src/core/run/run-log.js';
import type { RunPlan } from '../../src/core/run/run-plan.js';
import { Context } from '../../src/engine/context/context.js';
import { Exchange } from '../../src/engine/requests/exchange.js';
import type { Outgoing } from '../../src/engine/requests/run-env.js';
import { runLog } from './plan.js';

/** A request as it left the agent, whether it was answered or not. */
export interface Sent {
  readonly purpose: Outgoing['purpose'];
  readonly thread: string;
  readonly turn: number;
  readonly startMs: number;
  /** Digest of the whole request: equal digests are equal bytes. */
  readonly digest: Digest;
  /** Digests of every prefix of it. */
  readonly prefixes: readonly Digest[];
  /** Tokens of every prefix of it, deleted ones included. */
  readonly sums: readonly number[];
  /** Tokens the model holds: without what was deleted on the server. */
  readonly tokens: number;
  readonly deletedTokens: number;
  /** Longest prompt the model would take; null for any. */
  readonly windowTokens: number | null;
  readonly breakpoints: readonly Breakpoint[];
  readonly systemEnd: number;
  /** Null for a fork of the thread's own request. */
  readonly blocks: readonly Block[] | null;
  readonly answered: boolean;
  /** What the API said of a request that it did not answer. */
  readonly refusal: string | null;
}

/** A conversation that another took the place of. */
export interface Replaced {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  /** Requests that had been sent by then. */
  readonly requests: number;
}

/** A run with what cannot be seen in its log. */
export interface CapturedRun {
  readonly entries: LogEntry[];
  readonly sent: Sent[];
  readonly replaced: Replaced[];
}

/** Runs a plan and returns its log with every request that was sent and every history that was replaced. */
export function runSent(plan: RunPlan, transcript: Transcript): CapturedRun {
  const sent: Sent[] = [];
  const replaced: Replaced[] = [];
  const replace = Context.prototype.replaceHistory;
  // Not spies: those that are set again in every run of a property cost more each time.
  Context.prototype.replaceHistory = function (this: Context, after) {
    replaced.push({ before: [...this.messages], after, requests: sent.length });
    return replace.call(this, after);
  };
  const send = Exchange.prototype.send;
  Exchange.prototype.send = function (this: Exchange, out, chain) {
    const { view } = out;
    const prefixes = Array.from({ length: view.length }, (_, i) => view.digests[i]!);
    const sums = Array.from({ length: view.length }, (_, i) => view.sums[i]!);
    const deletedTokens = out.deleted?.tokens ?? 0;
    const blocks = view instanceof Context ? [...view.blocks] : null;
    const reply = send.call(this, out, chain);
    sent.push({
      purpose: out.purpose,
      thread: (this as unknown as { readonly thread: string }).thread,
      turn: out.turn,
      startMs: out.startMs,
      digest: prefixes.at(-1)!,
      prefixes,
      sums,
      tokens: sums.at(-1)! - deletedTokens,
      deletedTokens,
      windowTokens: out.windowTokens,
      breakpoints: out.breakpoints,
      systemEnd: view.systemEnd,
      blocks,
      answered: reply.ok,
      refusal: reply.ok ? null : reply.error.message,
    });
    return reply;
  };
  try {
    return { entries: runLog(plan, transcript), sent, replaced };
  } finally {
    Context.prototype.replaceHistory = replace;
    Exchange.prototype.send = send;
  }
}

/** The requests of one purpose. */
export function sentFor(sent: readonly Sent[], purpose: Outgoing['purpose']): Sent[] {
  return sent.filter((request) => request.purpose === purpose);
}
