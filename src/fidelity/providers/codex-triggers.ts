import type { Message } from '../../model/message.js';
import type { RecordedCall, Thread, Transcript } from '../../model/transcript.js';
import { totalTokens } from '../../model/usage.js';
import type { TriggerCheck, TriggerReport, UnrecordedTrigger } from '../triggers.js';
import type { RecordedRequest, Truth } from '../truth.js';

/** Share of the window at which Codex compacts. */
const LIMIT_SHARE = 0.9;
/** Characters a token, for what came after the latest response. */
const CHARS_PER_TOKEN = 4;
/**
 * Sealed reasoning of earlier turns leaves the prompts, but Codex goes on counting it by the length of its seal: about so many tokens
 * for each one that was billed. Fitted to the compactions of the shared rollouts, whose seals are masked.
 */
const SEALED_TOKENS = 1.35;
const PROFILE = 'peers/codex-remote';
/** Requests a trigger may be away from the recorded one. */
const BESIDE = 1;

class CodexTriggers {
  readonly checks: TriggerCheck[] = [];
  readonly unrecorded: UnrecordedTrigger[] = [];
  unchecked = 0;
  readonly #limit: number;
  #index = 0;
  #latest: RecordedRequest | null = null;
  #after = 0;
  /** Reasoning of all turns since the last compaction, and what of it is of earlier turns. */
  #reasoning = 0;
  #earlier = 0;
  #fired: { readonly index: number; readonly seen: number } | null = null;
  #grown = 0;
  #steps = 0;
  #open: { readonly seen: number } | null = null;

  constructor(
    private readonly thread: Thread,
    private readonly truth: Truth,
    window: number,
  ) {
    this.#limit = Math.floor(window * LIMIT_SHARE);
  }

  run(): void {
    for (const step of this.thread.steps) {
      if (step.kind === 'message') this.#say(step.message);
      else if (step.kind === 'call') this.#call(step.call);
      else if (step.event.kind === 'recorded-compaction') this.#compact(step.event.trigger);
    }
    this.#close();
  }

  get #seen(): number {
    const counted = this.#latest === null ? 0 : totalTokens(this.#latest.usage);
    return Math.round(counted + this.#after + SEALED_TOKENS * this.#earlier);
  }

  #say({ origin, blocks }: Message): void {
    if (origin === 'human') this.#earlier = this.#reasoning;
    for (const { chars, facts } of blocks)
      if (facts.attachment === undefined) this.#after += chars / CHARS_PER_TOKEN;
  }

  #call(call: RecordedCall): void {
    const request = this.truth.byCall.get(`${this.thread.id} ${call.id}`);
    if (request === undefined) return;
    this.#watch();
    if (this.#open !== null) this.#settle(this.#open.seen);
    this.#open = null;
    const grown = request.prompt - (this.#latest?.prompt ?? request.prompt);
    if (grown > 0) {
      this.#grown += grown;
      this.#steps++;
    }
    this.#latest = request;
    this.#after = 0;
    for (const { kind, tokens } of call.response.blocks) if (kind === 'thinking') this.#reasoning += tokens;
    this.#index++;
  }

  #watch(): void {
    if (this.#latest !== null && this.#seen >= this.#limit)
      this.#fired ??= { index: this.#index, seen: this.#seen };
  }

  #compact(trigger: 'auto' | 'manual'): void {
    this.#watch();
    if (trigger === 'auto' && this.#latest !== null) this.#open = { seen: this.#seen };
    else if (trigger === 'auto') this.unchecked++;
    else this.#close();
    this.#latest = null;
    this.#after = 0;
    this.#reasoning = 0;
    this.#earlier = 0;
  }

  #settle(seen: number): void {
    const fired = this.#fired;
    this.#fired = null;
    const step = this.#steps === 0 ? 0 : this.#grown / this.#steps;
    const early = fired !== null && fired.index < this.#index - BESIDE;
    const isHere = fired !== null || seen + step >= this.#limit;
    this.checks.push({
      kind: 'compaction',
      threadId: this.thread.id,
      index: this.#index,
      version: null,
      profile: PROFILE,
      threshold: this.#limit,
      seenTokens: seen,
      verdict: early ? 'early' : isHere ? 'matched' : 'late',
      reach: fired !== null ? 'count' : 'mean-step',
      offTokens: (early ? fired!.seen : seen) - this.#limit,
      nextPrompt: null,
      nextRead: null,
    });
  }

  /** A trigger that no recorded compaction answers. */
  #close(): void {
    const fired = this.#fired;
    this.#fired = null;
    if (fired === null || fired.index > this.#index - 1 - BESIDE) return;
    this.unrecorded.push({
      kind: 'compaction',
      threadId: this.thread.id,
      index: fired.index,
      profile: PROFILE,
      threshold: this.#limit,
      seenTokens: fired.seen,
    });
  }
}

/** Whether Codex compacts where its recording did, by what it counts; nothing where the record tells no window. */
export function checkCodexTriggers({ threads, window }: Transcript, truth: Truth): TriggerReport {
  const checks: TriggerCheck[] = [];
  const unrecorded: UnrecordedTrigger[] = [];
  let unchecked = 0;
  for (const thread of window === undefined ? [] : threads) {
    const triggers = new CodexTriggers(thread, truth, window!);
    triggers.run();
    checks.push(...triggers.checks);
    unrecorded.push(...triggers.unrecorded);
    unchecked += triggers.unchecked;
  }
  return { checks, unrecorded, unchecked };
}
