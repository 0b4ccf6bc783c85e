import { digestParts } from '../base/digest.js';
import { createEventQueue } from '../base/queue.js';
import { isBreak } from '../cache/break-detector.js';
import type { ModelRow } from '../cache/model-table.js';
import { findModel, resolveModel } from '../cache/models.js';
import { createPromptCache, type PromptCache } from '../cache/prompt-cache.js';
import { levelSalts } from '../cache/salts.js';
import { TTL_1H_MS, TTL_5M_MS } from '../cache/ttl.js';
import type { Breakpoint } from '../model/prefix.js';
import type { Thread, Transcript } from '../model/transcript.js';
import type { Usage } from '../model/usage.js';
import { type CallPlan, planCalls, type RebuildCause } from './call-plan.js';
import { type FirstPrompt, firstPrompt } from './first-prompt.js';
import { PromptTrack } from './prompt-track.js';
import { FIRST_TOKEN_MS, hasThinkingBudget, OUTSIDE_WARMTH } from './rules.js';
import type { RecordedRequest, Truth } from './truth.js';

/** `blind` knows the first request of each thread; `given` also the breaks that nothing explains. */
export type PredictionMode = 'blind' | 'given';

/** Why a request is predicted to read what it reads. */
export type PredictedCause =
  | RebuildCause
  | 'first'
  | 'hit'
  | 'model'
  | 'thinking'
  | 'ttl-5m'
  | 'ttl-1h'
  | 'given-break'
  | 'shrank';

/** What the simulator says about one request. */
export interface Prediction {
  readonly usage: Usage;
  readonly cause: PredictedCause;
}

/** A break inside the lifetime that nothing in the transcript explains, taken from the record. */
export interface UnexplainedBreak {
  readonly request: RecordedRequest;
  /** What the simulator would have read. */
  readonly expectedRead: number;
  /** The recorded reason, where the API gave one. */
  readonly reason: string | null;
}

/** The predictions of one walk through a transcript, by request key. */
export interface Walk {
  readonly predictions: ReadonlyMap<string, Prediction>;
  readonly breaks: readonly UnexplainedBreak[];
}

/** Prices and limits for a model the table does not know. */
const FALLBACK_MODEL = 'claude-sonnet-4-5';

/** The row of a recorded model; an unknown one keeps its name, so that its entries stay its own. */
export function rowOf(model: string): ModelRow {
  return findModel(model) ?? { ...resolveModel(FALLBACK_MODEL), id: model };
}

/** The lifetimes a request asks for: a workload fact, told by what it wrote. */
interface Lifetimes {
  readonly systemMs: number;
  readonly messagesMs: number;
}

class ThreadWalk {
  readonly plans: readonly CallPlan[];
  #next = 0;
  #track: PromptTrack | null = null;
  #lifetimes: Lifetimes;
  /** Lifetime of what the previous request wrote. */
  #previousLifetimeMs = TTL_5M_MS;
  #first: FirstPrompt | null = null;
  /** A response that names no effort was asked for with the one before. */
  #effort: string | null = null;
  #previous: CallPlan | null = null;
  /** Blocks of the latest response that a suggestion has already put behind the prompt. */
  #suggested = 0;

  constructor(
    private readonly thread: Thread,
    private readonly transcript: Transcript,
    truth: Truth,
    private readonly cache: PromptCache,
    private readonly mode: PredictionMode,
  ) {
    this.plans = planCalls(thread, truth, transcript.agentVersion);
    const writer = this.plans.find((plan) => plan.request.creation > 0);
    this.#lifetimes = lifetimesOf(writer?.request.usage ?? null, {
      systemMs: TTL_5M_MS,
      messagesMs: TTL_5M_MS,
    });
  }

  get nextStartMs(): number | null {
    return this.plans[this.#next]?.request.startMs ?? null;
  }

  /** Carries out the next request. */
  step(breaks: UnexplainedBreak[]): readonly [string, Prediction] {
    const plan = this.plans[this.#next++]!;
    const { request } = plan;
    this.#effort = request.effort ?? this.#effort;
    this.#previousLifetimeMs = this.#lifetimes.messagesMs;
    this.#lifetimes = lifetimesOf(request.usage, this.#lifetimes);
    const track = this.#track ?? this.#open(plan);
    const isFirst = this.#previous === null;
    const shrank = isFirst ? false : this.#advance(track, plan);
    let read = isFirst ? request.read : this.#send(track, plan, 'read-only');
    if (read === 0 && this.#isWarmOutside(plan)) read = Math.round(track.sharedTokens * OUTSIDE_WARMTH);
    let cause: PredictedCause = isFirst ? 'first' : this.#causeOf(plan, shrank);
    if (this.mode === 'given' && !isFirst && this.#isUnexplained(plan, read)) {
      breaks.push({ request, expectedRead: read, reason: request.missReason });
      track.changeAfter(request.read);
      read = request.read;
      cause = 'given-break';
    }
    this.#send(track, plan, 'write');
    this.#previous = plan;
    return [request.key, { usage: this.#usage(request, Math.min(read, request.cached)), cause }];
  }

  /** The suggestion behind the latest request reads the whole prompt and writes it with the response. */
  suggest(): void {
    const plan = this.#previous!;
    this.#track!.grow(plan.suggestion!.responseTokens, plan.suggestion!.blocks);
    this.#suggested = plan.suggestion!.blocks;
    this.#send(this.#track!, plan, 'write', plan.suggestion!.atMs);
  }

  #open(plan: CallPlan): PromptTrack {
    const { request } = plan;
    const { threadId } = request;
    const first = firstPrompt(this.thread, request);
    const kind = this.thread.parentId === null ? 'main' : 'agent';
    const digest = digestParts([kind, this.transcript.agentVersion ?? '', first.sharedTokens]);
    const track = new PromptTrack(threadId, digest, first.sharedTokens);
    this.#track = track;
    this.#first = first;
    if (first.warm !== 'none') this.#touchPrefix(track, request);
    if (first.warm === 'messages') {
      track.grow(request.read - first.sharedTokens, 1);
      this.#send(track, plan, 'write');
    }
    track.grow(Math.max(0, request.cached - track.tokens), plan.blocks);
    return track;
  }

  #advance(track: PromptTrack, plan: CallPlan): boolean {
    const newProcess = plan.cause === 'resume' && this.#first!.warm === 'none';
    if (plan.rebuild === 'prefix' || newProcess) track.replacePrefix(plan.request.key);
    else if (plan.rebuild === 'messages') track.rebuild();
    const growth = plan.request.cached - track.tokens;
    if (growth < 0) track.shrinkTo(plan.request.cached);
    track.grow(Math.max(0, growth), plan.blocks - this.#suggested);
    this.#suggested = 0;
    return growth < 0 && plan.rebuild === 'none';
  }

  #touchPrefix(track: PromptTrack, request: RecordedRequest): void {
    const row = rowOf(request.model);
    this.cache.request({
      model: row,
      salts: levelSalts({ model: row }),
      view: track.view(1),
      breakpoints: [{ position: 0, ttlMs: this.#lifetimes.systemMs }],
      startMs: request.startMs,
      readableAtMs: request.startMs,
      write: 'write',
    });
  }

  #send(
    track: PromptTrack,
    plan: CallPlan,
    write: 'write' | 'read-only',
    startMs = plan.request.startMs,
  ): number {
    const { request } = plan;
    const row = rowOf(request.model);
    const view = track.view();
    const breakpoints: Breakpoint[] = [{ position: 0, ttlMs: this.#lifetimes.systemMs }];
    if (view.length > 1) breakpoints.push({ position: view.length - 1, ttlMs: this.#lifetimes.messagesMs });
    const mode = hasThinkingBudget(row) && plan.thinking === 'on' ? 'enabled' : 'disabled';
    return this.cache.request({
      model: row,
      salts: levelSalts({
        model: row,
        thinking: { mode },
        ...(this.#effort === null ? {} : { effort: this.#effort }),
      }),
      view,
      breakpoints,
      startMs,
      readableAtMs: Math.min(Math.max(startMs, request.endMs), startMs + FIRST_TOKEN_MS),
      write,
    }).readTokens;
  }

  /** Other sessions may have kept the prefix warm: it was when the thread began, and it lives for an hour. */
  #isWarmOutside(plan: CallPlan): boolean {
    const long = this.#lifetimes.systemMs === TTL_1H_MS;
    return long && this.#first!.warm === 'shared' && plan.rebuild !== 'prefix' && this.#isLate(plan);
  }

  #isLate(plan: CallPlan): boolean {
    return plan.request.gapMs! > this.#previousLifetimeMs;
  }

  #isUnexplained(plan: CallPlan, read: number): boolean {
    const { request } = plan;
    return plan.rebuild === 'none' && !this.#isLate(plan) && isBreak(read, request.read);
  }

  #causeOf(plan: CallPlan, shrank: boolean): PredictedCause {
    const previous = this.#previous!;
    if (plan.cause !== null) return plan.cause;
    if (plan.request.model !== previous.request.model) return 'model';
    if (this.#isLate(plan)) return this.#previousLifetimeMs === TTL_1H_MS ? 'ttl-1h' : 'ttl-5m';
    if (plan.thinking !== previous.thinking && hasThinkingBudget(rowOf(plan.request.model)))
      return 'thinking';
    return shrank ? 'shrank' : 'hit';
  }

  #usage(request: RecordedRequest, read: number): Usage {
    const { input, output } = request.usage;
    const written = Math.max(0, request.cached - read);
    const long = this.#lifetimes.messagesMs === TTL_1H_MS;
    return {
      input,
      cacheRead: read,
      cacheWrite5m: long ? 0 : written,
      cacheWrite1h: long ? written : 0,
      output,
    };
  }
}

function lifetimesOf(usage: Usage | null, before: Lifetimes): Lifetimes {
  if (usage === null || usage.cacheWrite5m + usage.cacheWrite1h === 0) return before;
  if (usage.cacheWrite1h === 0) return { systemMs: TTL_5M_MS, messagesMs: TTL_5M_MS };
  return { systemMs: TTL_1H_MS, messagesMs: usage.cacheWrite5m > 0 ? TTL_5M_MS : TTL_1H_MS };
}

/** Walks a transcript as it happened, all threads through one cache, and predicts what each request reads. */
export function predictRequests(transcript: Transcript, truth: Truth, mode: PredictionMode): Walk {
  const cache = createPromptCache({ fade: 'likely' });
  const predictions = new Map<string, Prediction>();
  const breaks: UnexplainedBreak[] = [];
  const queue = createEventQueue<() => void>();
  for (const thread of transcript.threads) {
    const walk = new ThreadWalk(thread, transcript, truth, cache, mode);
    let done = 0;
    const run = (): void => {
      const plan = walk.plans[done++]!;
      const [key, prediction] = walk.step(breaks);
      predictions.set(key, prediction);
      const nextMs = walk.nextStartMs;
      if (nextMs === null) return;
      if (plan.suggestion !== null) queue.push(plan.suggestion.atMs, () => walk.suggest());
      queue.push(nextMs, run);
    };
    if (walk.nextStartMs !== null) queue.push(walk.nextStartMs, run);
  }
  for (let event = queue.pop(); event !== null; event = queue.pop()) event.item();
  return { predictions, breaks };
}
