import type { BehavioursAt } from '../../agent/client/call-plan.js';
import { fadeOf, recordedBehaviours } from '../../agent/client/client.js';
import {
  type ChanceBreaks,
  chanceBreaksOf,
  claudeCodeVersion,
  driverOf,
  hazardOf,
  prefixTokensOf,
  recordedClient,
  recordedWarmth,
  type Warmth,
  type WrittenLifetimes,
  writtenLifetimes,
} from '../../agent/client/recorded-client.js';
import { digestParts } from '../../core/base/digest.js';
import { EventQueue } from '../../core/base/queue.js';
import type { Breakpoint } from '../../core/model/prefix.js';
import type { Thread, Transcript } from '../../core/model/transcript.js';
import type { Usage } from '../../core/model/usage.js';
import { isBreak } from '../../provider/cache/break-detector.js';
import { createPromptCache, type PromptCache } from '../../provider/cache/prompt-cache.js';
import { type LevelSalts, levelSalts } from '../../provider/cache/salts.js';
import { TTL_1H_MS, TTL_5M_MS } from '../../provider/cache/ttl.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { modelOrUnknown } from '../../provider/prices/models.js';
import { priceUsage } from '../../provider/prices/price.js';
import { PromptTrack } from './prompt-track.js';
import {
  type ComparedRequest,
  planRequests,
  type RebuildCause,
  type RecordedRequest,
  type RequestPlan,
  type Truth,
} from './truth.js';

/**
 * What a walk knows of the breaks that nothing explains. Besides them it knows what the first request of each thread read, and
 * nothing else of what was read.
 */
export type KnownBreaks = 'none' | 'recorded';

/** Why a request is predicted to read what it reads. */
export type PredictedCause =
  | RebuildCause
  | 'first'
  | 'hit'
  | 'model'
  | 'thinking'
  | 'effort'
  | 'reasoning'
  | 'fallback'
  | 'ttl-5m'
  | 'ttl-1h'
  | 'given-break'
  | 'lifetime'
  | 'shrank';

/** What the simulator says about one request. */
export interface Prediction {
  readonly usage: Usage;
  /** What is most likely read, where the usage is what is read on average. */
  readonly likelyRead?: number;
  readonly cause: PredictedCause;
  /** What would have broken the prompt had no lifetime run out before; left out where nothing would have. */
  readonly besides?: PredictedCause;
  /** Chance of an unpredictable break, and what it would add (K14). */
  readonly risk: { readonly chance: number; readonly cost: number };
}

type Explanation = Pick<Prediction, 'cause' | 'besides'>;

/** A break inside the lifetime that nothing in the transcript explains, taken from the record. */
export interface UnexplainedBreak {
  readonly request: ComparedRequest;
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

/** A request that is predicted to break for one of these, or begins a thread, is no riddle where it reads another amount. */
const EXPLAINED: ReadonlySet<PredictedCause> = new Set(['first', 'model', 'thinking', 'effort', 'fallback']);

const NO_RISK: Prediction['risk'] = { chance: 0, cost: 0 };

/** A response is readable this long after its request began, unless it ended earlier. */
const FIRST_TOKEN_MS = 2_000;

/** Where other sessions keep an expired prefix warm about every second time, it counts by half. */
const HALF_WARM = 0.5;

/** A prompt that shrinks by this much without a line was microcompacted (K6): MIC-1 clears no less. */
const SILENT_SAVING = 20_000;

const TTL_MS = { '5m': TTL_5M_MS, '1h': TTL_1H_MS } as const;

class ThreadWalk {
  readonly plans: readonly RequestPlan[];
  readonly #chances: ChanceBreaks;
  #next = 0;
  #track: PromptTrack | null = null;
  #lifetimes: WrittenLifetimes;
  /** Lifetime of what the previous request wrote. */
  #previousLifetimeMs = TTL_5M_MS;
  #warmth: Warmth = 'none';
  /** A response that names no effort was asked for with the one before. */
  #effort: string | null = null;
  #isOtherEffort = false;
  #previous: RequestPlan | null = null;
  /** Blocks of the latest response that a suggestion has already put behind the prompt. */
  #suggested = 0;
  /** When a request that no transcript shows renewed what the latest one left. */
  #renewedMs: number | null = null;

  constructor(
    private readonly thread: Thread,
    private readonly transcript: Transcript,
    truth: Truth,
    private readonly cache: PromptCache,
    private readonly known: KnownBreaks,
    behavioursAt: BehavioursAt,
  ) {
    this.plans = planRequests(thread, truth, behavioursAt, claudeCodeVersion(transcript));
    this.#chances = chanceBreaksOf(recordedClient(transcript));
    const none: WrittenLifetimes = { system: '5m', messages: '5m' };
    const writer = this.plans.find((plan) => plan.request.creation > 0);
    this.#lifetimes = writer === undefined ? none : writtenLifetimes(writer.client.call, none);
  }

  get nextStartMs(): number | null {
    return this.plans[this.#next]?.request.startMs ?? null;
  }

  /** Carries out the next request. */
  step(breaks: UnexplainedBreak[]): readonly [string, Prediction] {
    const plan = this.plans[this.#next++]!;
    const { request } = plan;
    const usual = modelOrUnknown(request.model).defaults.effort;
    const effortBefore = this.#effort ?? usual;
    this.#effort = request.effort ?? this.#effort;
    this.#isOtherEffort = (this.#effort ?? usual) !== effortBefore;
    this.#previousLifetimeMs = TTL_MS[this.#lifetimes.messages];
    this.#lifetimes = writtenLifetimes(plan.client.call, this.#lifetimes);
    const track = this.#track ?? this.#open(plan);
    const isFirst = this.#previous === null;
    const shrank = isFirst ? false : this.#advance(track, plan);
    let read = isFirst ? request.read : this.#send(track, plan, 'read-only');
    if (read === 0) read = Math.round(track.sharedTokens * this.#outsideWarmth(plan));
    let why: Explanation = isFirst ? { cause: 'first' } : this.#explain(plan, shrank);
    if (this.#breaksHere(plan, read, why.cause)) {
      breaks.push({ request, expectedRead: read, reason: request.missReason });
      track.changeAfter(request.read);
      // Under any lifetime: of what was read then, as much as is still there.
      read = Math.min(read, request.read);
      why = { cause: 'given-break' };
    }
    this.#send(track, plan, 'write');
    this.#previous = plan;
    this.#renewedMs = null;
    const usage = this.#usage(request, Math.min(read, request.cached));
    const risk = why.cause === 'hit' ? this.#risk(plan, usage) : NO_RISK;
    return [request.key, { usage, ...why, risk }];
  }

  /** A request that no transcript shows, behind the latest one: it reads the whole prompt and writes it with the response (K17). */
  renew(atMs: number): void {
    const plan = this.#previous!;
    if (this.#suggested === 0) {
      this.#track!.grow(plan.response.tokens, plan.response.blocks);
      this.#suggested = plan.response.blocks;
    }
    this.#renewedMs = atMs;
    this.#send(this.#track!, plan, 'write', atMs);
  }

  /** A summary for a user who was away (K17). */
  summariseAway(atMs: number): void {
    const { awaySummaries } = this.#previous!.client.behaviours;
    if (awaySummaries === 'always' || this.#lifetimes.messages === '5m') this.renew(atMs);
  }

  #open(plan: RequestPlan): PromptTrack {
    const { request } = plan;
    const { threadId } = request;
    const prefixTokens = Math.min(prefixTokensOf(this.thread), request.cached);
    const kind = this.thread.parentId === null ? 'main' : 'agent';
    const digest = digestParts([kind, this.transcript.agentVersion ?? '', prefixTokens]);
    const track = new PromptTrack(threadId, digest, prefixTokens);
    this.#track = track;
    this.#warmth = recordedWarmth(this.thread, plan.client.call);
    if (this.#warmth !== 'none') this.#touchPrefix(track, request);
    if (this.#warmth === 'messages') {
      track.grow(request.read - prefixTokens, 1);
      this.#send(track, plan, 'write');
    }
    track.grow(Math.max(0, request.cached - track.tokens), plan.blocks);
    return track;
  }

  #advance(track: PromptTrack, plan: RequestPlan): boolean {
    const isCold = (plan.cause === 'resume' || plan.cause === 'tools') && this.#warmth === 'none';
    if (plan.rebuild === 'prefix' || isCold) track.replacePrefix(plan.request.key);
    else if (plan.rebuild === 'messages') track.rebuild();
    else if (plan.request.cached - track.tokens <= -SILENT_SAVING && this.#suggested === 0) track.rebuild();
    const growth = plan.request.cached - track.tokens;
    if (growth < 0) track.shrinkTo(plan.request.cached);
    const isReached = plan.client.behaviours.breakpoints === 'system+last-two';
    track.grow(Math.max(0, growth), plan.blocks - this.#suggested, isReached ? 'reached' : 'counted');
    this.#suggested = 0;
    return growth < 0 && plan.rebuild === 'none';
  }

  #touchPrefix(track: PromptTrack, request: RecordedRequest): void {
    const row = modelOrUnknown(request.model);
    this.cache.request({
      model: row,
      salts: levelSalts({ model: row }),
      view: track.view(1),
      breakpoints: [{ position: 0, ttlMs: TTL_MS[this.#lifetimes.system] }],
      startMs: request.startMs,
      readableAtMs: request.startMs,
      write: 'write',
    });
  }

  #salts({ client }: RequestPlan, row: ModelRow): LevelSalts {
    const { thinking, delivery } = client;
    return levelSalts({
      model: row,
      delivery,
      ...(thinking === null ? {} : { thinking: { mode: thinking === 'on' ? 'enabled' : 'disabled' } }),
      ...(this.#effort === null ? {} : { effort: this.#effort }),
    });
  }

  #send(
    track: PromptTrack,
    plan: RequestPlan,
    write: 'write' | 'read-only',
    startMs = plan.request.startMs,
  ): number {
    const { request } = plan;
    const row = modelOrUnknown(request.model);
    const view = track.view();
    const ttlMs = TTL_MS[this.#lifetimes.messages];
    const breakpoints: Breakpoint[] = [{ position: 0, ttlMs: TTL_MS[this.#lifetimes.system] }];
    if (view.length > 1) breakpoints.push({ position: view.length - 1, ttlMs });
    return this.cache.request({
      model: row,
      salts: this.#salts(plan, row),
      view,
      breakpoints,
      startMs,
      readableAtMs: Math.min(Math.max(startMs, request.endMs), startMs + FIRST_TOKEN_MS),
      write,
    }).readTokens;
  }

  /** Share of an expired prefix that other sessions have kept warm, where it was warm when the thread began (K18). */
  #outsideWarmth(plan: RequestPlan): number {
    if (this.#warmth === 'none' || plan.rebuild === 'prefix' || !this.#isLate(plan)) return 0;
    const { outside } = plan.client.behaviours;
    if (outside === 'warm') return 1;
    const mayBe = outside === 'half' && this.#warmth === 'prefix' && this.#lifetimes.system === '1h';
    return mayBe ? HALF_WARM : 0;
  }

  #isLate({ request }: RequestPlan): boolean {
    const renewedMs = this.#renewedMs ?? request.startMs - request.gapMs!;
    return request.startMs - renewedMs > this.#previousLifetimeMs;
  }

  /** True where the recording says that the prompt broke without a reason. */
  #breaksHere(plan: RequestPlan, read: number, cause: PredictedCause): boolean {
    return this.known === 'recorded' && !EXPLAINED.has(cause) && this.#isUnexplained(plan, read);
  }

  #isUnexplained(plan: RequestPlan, read: number): boolean {
    const { request } = plan;
    return plan.rebuild === 'none' && !this.#isLate(plan) && isBreak(read, request.read);
  }

  /** Time explains first (C11), unless the conversation was replaced: then it is new content that is written. */
  #explain(plan: RequestPlan, shrank: boolean): Explanation {
    const announced = this.#announced(plan);
    const isTime = plan.replaced === null && this.#isLate(plan);
    if (!isTime) return { cause: announced ?? (shrank ? 'shrank' : 'hit') };
    const cause = this.#previousLifetimeMs === TTL_1H_MS ? 'ttl-1h' : 'ttl-5m';
    return announced === null ? { cause } : { cause, besides: announced };
  }

  /** What the transcript tells of a break in advance, time aside. */
  #announced(plan: RequestPlan): PredictedCause | null {
    const previous = this.#previous!;
    if (plan.replaced !== null) return plan.replaced;
    if (plan.cause !== null) return plan.cause;
    if (plan.request.model !== previous.request.model) return 'model';
    if (plan.client.thinking !== previous.client.thinking) return 'thinking';
    if (this.#isOtherEffort) return 'effort';
    return plan.client.delivery !== previous.client.delivery ? 'fallback' : null;
  }

  /** A break would leave system and tools, and have everything behind them written again. */
  #risk({ request, spoken }: RequestPlan, usage: Usage): Prediction['risk'] {
    const kept = Math.min(usage.cacheRead, this.#track!.sharedTokens);
    const row = modelOrUnknown(request.model);
    const nano = (of: Usage): number => priceUsage(row, of, request.pricedAtMs).totalNano;
    return {
      chance: hazardOf({ spoken, gapMs: request.gapMs! }, this.#chances),
      cost: nano(this.#usage(request, kept)) - nano(usage),
    };
  }

  #usage(request: RecordedRequest, read: number): Usage {
    const { output } = request.usage;
    const written = Math.max(0, request.cached - read);
    const long = this.#lifetimes.messages === '1h';
    return {
      input: request.prompt - request.cached,
      cacheRead: read,
      cacheWrite5m: long ? 0 : written,
      cacheWrite1h: long ? written : 0,
      output,
    };
  }
}

/** Walks a transcript as it happened, all threads through one cache, and predicts what each request reads. */
export function predictRequests(transcript: Transcript, truth: Truth, known: KnownBreaks): Walk {
  const driver = driverOf(transcript);
  const behavioursAt: BehavioursAt = (version) => recordedBehaviours(version, driver);
  const behaviours = behavioursAt(claudeCodeVersion(transcript));
  const cache = createPromptCache({
    fade: fadeOf('client', behaviours),
    lookback: behaviours.lookback,
  });
  const predictions = new Map<string, Prediction>();
  const breaks: UnexplainedBreak[] = [];
  const queue = new EventQueue<() => void>();
  for (const thread of transcript.threads) {
    const walk = new ThreadWalk(thread, transcript, truth, cache, known, behavioursAt);
    let done = 0;
    const run = (): void => {
      const plan = walk.plans[done++]!;
      const [key, prediction] = walk.step(breaks);
      predictions.set(key, prediction);
      const nextMs = walk.nextStartMs;
      if (nextMs === null) return;
      const { suggestion, call, awayMs } = plan.client;
      if (suggestion === 'asked') queue.push(call.endMs, () => walk.renew(call.endMs));
      for (const atMs of awayMs) queue.push(atMs, () => walk.summariseAway(atMs));
      queue.push(nextMs, run);
    };
    if (walk.nextStartMs !== null) queue.push(walk.nextStartMs, run);
  }
  for (let event = queue.pop(); event !== null; event = queue.pop()) event.item();
  return { predictions, breaks };
}
