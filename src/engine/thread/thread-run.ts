import { type Copied, restoreEntries, restoreFields, restoreState } from '../../core/base/checkpoint.js';
import type { Random } from '../../core/base/random.js';
import { isSpoken, type Message, messageTokens } from '../../core/model/message.js';
import type { RecordedCall, Thread } from '../../core/model/transcript.js';
import { promptTokens } from '../../core/model/usage.js';
import type { Action, StopKind } from '../../core/run/action.js';
import type { BreakCause } from '../../core/run/break-causes.js';
import type { Notice } from '../../core/run/layer.js';
import type { Hook } from '../../core/run/policy-rules.js';
import { PARTED } from '../../core/run/run-log.js';
import { nextUse } from '../../core/uses/find-uses.js';
import { apply } from '../actions/apply.js';
import { contextFiles } from '../actions/context-message.js';
import { Prevention } from '../actions/prevention.js';
import { Context } from '../context/context.js';
import { Journal, TakenOut } from '../context/taken-out.js';
import { CachedPrefix, CountedThread, ThreadView } from '../context/thread-view.js';
import type { Origin } from '../counting/own-tokens.js';
import { type CounterRules, counterRules, SeenCounter } from '../counting/seen-counter.js';
import { AskDraws } from '../requests/ask.js';
import { ClientState } from '../requests/client-state.js';
import type { Course } from '../requests/conditions.js';
import { Exchange } from '../requests/exchange.js';
import { ContentFaults } from '../requests/find-faults.js';
import { stripThinking } from '../requests/main-request.js';
import type { Outgoing, SessionState } from '../requests/run-env.js';
import {
  type RequestState,
  type RunningThread,
  type Stop,
  Tally,
  type ThreadEnv,
} from '../requests/running-thread.js';
import { ThreadModel } from '../requests/thread-model.js';
import { handleEvent } from './handle-event.js';
import { type AskListener, LayerHost, MutableHookContext } from './layer-host.js';
import { finishThread, Halt, returnExpired, stopOf } from './session-record.js';
import { StepQueue, ThreadClock } from './thread-clock.js';
import { startThread } from './thread-start.js';
import { finishTurn, takeTurn } from './turn.js';

const NEVER = (): boolean => false;

/** A recorded prompt shorter by this is without results that were cleared: nothing is cleared for less than 20,000 (MIC-1). */
const CLEARED_TOKENS = 10_000;

/** A place after all layers of a point. */
const AFTER_LAYERS = -1;

/** One thread on its way through its transcript: messages come in, layers act, calls go out (LOP-1). */
export class ThreadRun implements RunningThread {
  readonly context: Context;
  readonly counter: CounterRules;
  readonly seen: SeenCounter;
  readonly model: ThreadModel;
  readonly client: ClientState;
  readonly exchange: Exchange;
  readonly view: ThreadView;
  readonly host: LayerHost;
  readonly session: SessionState;
  readonly steps: StepQueue;
  readonly random: Random;
  readonly journal = new Journal();
  readonly prevention = new Prevention();
  readonly takenOut = new TakenOut();
  readonly cached = new CachedPrefix();
  readonly shared = new Map<string, unknown>();
  readonly recordedSummaries = new Set<string>();
  readonly tally = new Tally();
  readonly faults = new ContentFaults();
  sharedTokens: number | null = null;
  course: Course;
  sizedFor: RecordedCall | null = null;
  tail: RunningThread['tail'] = null;
  ownLeft: number | null = null;
  sharedEnd: number | null = null;
  turn = 0;
  lastResponseMs: number | null = null;
  announced: BreakCause | null = null;
  changedTools: readonly string[] | null = null;
  sentLength = 0;
  historyReplaced = false;
  spoken: 'spoken' | 'silent' = 'silent';
  thinkingStrippedTo = 0;
  private readonly clock: ThreadClock;
  private readonly halt: Halt;
  private readonly draws: AskDraws;
  private readonly moment: MutableHookContext;
  private readonly hasContextFiles: boolean;
  private promptNumber = 0;
  private pending: Message[] = [];
  /** The call whose turn it is; null before the first. */
  call: RecordedCall | null = null;
  private readonly applyAction = (action: Action) => apply(this, action);
  private readonly isStopped = () => this.failure !== null;
  private readonly listener: AskListener | null;

  constructor(
    readonly env: ThreadEnv,
    readonly thread: Thread,
  ) {
    const { plan } = env;
    this.course = env.course;
    this.hasContextFiles = Object.keys(plan.policy.params['context.memoryFiles'] ?? {}).length > 0;
    this.context = new Context(thread.prefix);
    this.steps = new StepQueue(thread);
    this.clock = new ThreadClock(plan.timing, this.steps);
    this.halt = new Halt(env.sink, thread.id);
    this.counter = counterRules(plan.policy.params, plan.estimatorFactor, plan.policy.rules ?? null);
    this.model = new ThreadModel(plan, thread, env.behaviours, env.recorded);
    this.seen = new SeenCounter(this.counter, new CountedThread(this.context, this.model, env.client));
    this.client = new ClientState(this);
    this.exchange = new Exchange(env, thread.id);
    this.view = new ThreadView(this.context, this.seen, env.files);
    this.random = env.random.split(`thread ${thread.id}`);
    this.draws = new AskDraws(this.random);
    this.session = env.sessions.of(thread);
    this.moment = new MutableHookContext(
      this.isMain ? 'main' : thread.fork === undefined ? 'subagent' : 'fork',
    );
    const layersKnow = {
      params: plan.policy.params,
      thread: thread.id,
      source: this.moment.source,
      model: () => this.model.facts,
      plan,
      limits: env.limits,
      random: this.random.split('layers'),
      shared: this.shared,
      session: this.session,
      isSumming: env.sink.isSumming === true,
      nextUse: (message: string, block: number) => {
        const uses = env.uses()?.get(thread.id);
        if (uses === undefined || this.call === null) return Number.POSITIVE_INFINITY;
        return nextUse(thread, uses, this.call.id, { message, block });
      },
    };
    this.host = new LayerHost(env.layers, layersKnow, env.timing);
    const { onAct, limits } = env;
    this.listener =
      onAct === null
        ? null
        : {
            beforeDue: () => limits.mark(),
            beforeAct: (layer) => {
              if (limits.areMetLower) onAct(this, layer);
            },
          };
  }

  /** Takes over the state of another copy of the same thread, its layers before they act; layers keep their map of shared state. */
  restoreFrom(other: ThreadRun, copied: Copied): void {
    restoreEntries(this.shared, other.shared, copied);
    restoreFields(this, other, copied);
  }

  /** Continues the turn of a checkpoint from the question to a layer on, or from after the last. */
  resumeTurn(layer: number): void {
    if (layer !== AFTER_LAYERS) this.askLayers('before-request', null, layer);
    finishTurn(this, this.call!);
  }

  beforeCheck(): void {
    const { onAct, limits } = this.env;
    if (onAct === null) return;
    limits.mark();
    if (this.prevention.meetsLower(this)) onAct(this, AFTER_LAYERS);
  }

  get isMain(): boolean {
    return this.thread.parentId === null;
  }

  get source(): MutableHookContext['source'] {
    return this.moment.source;
  }

  get failure(): Stop | null {
    return this.halt.stop;
  }

  get now(): number {
    return this.clock.now;
  }

  set now(timeMs: number) {
    this.clock.now = timeMs;
  }

  get shiftMs(): number {
    return this.clock.shiftMs;
  }

  set shiftMs(ms: number) {
    this.clock.shiftMs = ms;
  }

  begin(parent: ThreadRun | null, origin: ThreadRun | null): void {
    startThread(this, parent, origin);
  }

  nextTimeMs(): number | null {
    const isOver = this.steps.upcoming() === null && !(this.isMain && this.session.ending === 'clean');
    return isOver ? null : this.clock.nextMs();
  }

  /** Goes on up to and including the next call or event. */
  advance(): void {
    if (this.clock.wake()) {
      this.askLayers('wake');
      return;
    }
    for (let step = this.steps.take(); step !== null; step = this.steps.take()) {
      if (step.kind === 'message') {
        this.receive(step.message);
        continue;
      }
      this.clock.reach(step);
      if (step.kind === 'event') handleEvent(this, step.event);
      else {
        this.call = step.call;
        takeTurn(this, step.call);
      }
      return;
    }
  }

  /** Nothing is left: what was lost is logged. */
  finish(): void {
    finishThread(this);
    this.faults.finish(this);
    this.halt.log(this.now);
  }

  private receive(message: Message): void {
    if (message.origin === 'human' || message.origin === 'directive') {
      this.promptNumber++;
      this.userActs();
    }
    if (this.recordedSummaries.has(message.attachedTo ?? '')) this.faults.excuse([message.id]);
    else if (this.failure === null) this.pending.push(message);
    if (this.ownLeft !== null && message.attachedTo === null) this.ownLeft += messageTokens(message);
  }

  expectMessage(message: Message): void {
    this.pending.push(message);
  }

  /** Messages that arrived join the context (FLT), the counter, the journal and the layers' knowledge. */
  join(messages: readonly Message[], origin: Origin): void {
    const { context } = this;
    const from = context.messages.length;
    context.extend(messages, origin);
    for (let i = from; i < context.messages.length; i++) {
      const message = context.messages[i]!;
      this.seen.add(message);
      this.journal.append(message);
      this.host.observe(message);
      if (this.hasContextFiles && message.origin === 'tool')
        contextFiles(this).note(message, context.messages);
    }
  }

  joinPending(): void {
    const { pending } = this;
    if (pending.length === 0) return;
    this.pending = [];
    this.join(pending, 'original');
    if (pending.some(isSpoken)) this.spoken = 'spoken';
    if (pending.some((message) => message.origin === 'human')) stripThinking(this, 'latest-turn');
  }

  inheritMessages(messages: readonly Message[], from: RequestState): void {
    this.join(messages, 'original');
    this.host.resume(this.context.messages, this.view);
    restoreState(this.seen, from.seen);
    this.exchange.continueFrom(from.latest);
    restoreState(this.cached, from.cached);
    this.lastResponseMs = from.lastResponseMs;
  }

  askLayers(point: Hook, manual: MutableHookContext['manual'] = null, from = 0): void {
    const follows = this.course === 'recorded';
    const clears = follows && point === 'before-request' && this.hasShrunk();
    if (follows && point !== 'manual' && !clears) return;
    const { moment, now } = this;
    moment.point = point;
    moment.now = now;
    moment.turn = this.turn;
    moment.prompt = this.promptNumber;
    moment.lastResponseMs = this.lastResponseMs;
    moment.manual = manual;
    this.view.cacheIsWarm = now < this.cached.untilMs || this.pinsAreLive(now);
    const { cached } = this;
    this.view.cacheExpiresMs = this.lastResponseMs === null ? null : cached.untilMs;
    this.view.cacheLifetimeMs = this.lastResponseMs === null ? null : cached.lifetimeMs;
    if (!this.view.cacheIsWarm && this.view.deletedTokens > 0) returnExpired(this);
    const isBeside = point === 'wake' || point === 'thread-end' || point === 'session-end';
    const listener = point === 'before-request' ? this.listener : null;
    const stopped = isBeside ? NEVER : this.isStopped;
    if (clears) this.host.ask(moment, this.view, this.applyAction, stopped, 0, null, 'microcompact');
    else this.host.ask(moment, this.view, this.applyAction, stopped, from, listener);
  }

  /** Whether another request, of a parent or a fork, keeps the prefix that holds the deletions in the cache (C44). */
  private pinsAreLive(now: number): boolean {
    const { cache } = this.env;
    const from = this.view.deletions.lastPosition;
    if (from === null || cache?.isLive === undefined) return false;
    const salts = this.model.saltsFor(this.context.hasImages() ? 'images' : 'no-images', this.client.key);
    return cache.isLive(this.context, salts, from, this.sentLength - 1, now);
  }

  /** Whether the recorded prompt is so much shorter than the conversation that its client cleared results without a line (K6). */
  private hasShrunk(): boolean {
    const usage = this.call?.usage ?? null;
    return usage !== null && this.context.trueTokens - promptTokens(usage) > CLEARED_TOKENS;
  }

  wakeAt(timeMs: number, needs?: 'process' | 'next-step'): void {
    if (needs !== undefined) {
      const next = this.steps.upcoming();
      if (next === null ? needs === 'next-step' : next.kind === 'event' && next.event.kind === 'resume')
        return;
    }
    this.clock.wakeAt(timeMs);
  }

  pass(ms: number): void {
    this.clock.pass(ms);
  }

  askRandom(purpose: string): Random {
    return this.draws.next(purpose);
  }

  cachedTokens(position: number): number {
    return this.cached.tokensBefore(position, this.context, this.view.deletions, this.now);
  }

  noteSent(out: Outgoing, call: RecordedCall): void {
    const { context } = this;
    context.sent();
    this.sentLength = context.length;
    this.cached.renew(context.trueTokens, out.startMs, this.model.ttlFor(call));
    this.announced = null;
    this.changedTools = null;
  }

  noteKeptAlive(atMs: number): void {
    this.cached.keepUntil(atMs + this.model.ttlFor(null));
  }

  takeResponse(call: RecordedCall, latencyMs: number): void {
    this.spoken = 'silent';
    this.clock.answered(call, latencyMs);
    this.lastResponseMs = this.now;
  }

  lose(call: RecordedCall): void {
    if (!this.steps.isAgain) this.halt.lose();
    this.env.forks.lose(this, call);
  }

  note(what: string, message: string, details: Notice['details'] = {}): void {
    this.env.sink.write({ type: 'notice', t: this.now, thread: this.thread.id, what, message, details });
  }

  part(): void {
    if (this.course === 'parted') return;
    this.course = 'parted';
    this.note(PARTED, 'the context is no longer that of the recording');
  }

  haltAgain(stop: Stop | null): void {
    if (stop !== null) this.halt.stop ??= stop;
  }

  userActs(): void {
    this.halt.userActs(this.now);
  }

  giveUp(reason: string, how: Stop['how'] = 'lost'): void {
    this.halt.stop = { reason, until: 'end', how };
  }

  stop(what: StopKind, message: string): void {
    this.note(what, message);
    this.halt.stop = stopOf(what, message);
  }
}
