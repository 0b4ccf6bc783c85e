import type { Random } from '../../base/random.js';
import { isTransient, parseFailure, retryDelayMs } from '../../llm/failures.js';
import type { Action, StopKind } from '../../model/action.js';
import { hasToolUse, isSpoken, type Message } from '../../model/message.js';
import type { BreakCause } from '../../model/run-log.js';
import type { Point } from '../../model/tier.js';
import type { RecordedCall, Thread } from '../../model/transcript.js';
import { apply } from '../actions/apply.js';
import { Prevention } from '../actions/prevention.js';
import { answeredMessage } from '../context/answered-message.js';
import { CachedPrefix } from '../context/cached-prefix.js';
import { Context } from '../context/context.js';
import { Journal } from '../context/journal.js';
import type { Origin } from '../context/own-tokens.js';
import { type CounterRules, counterRules, SeenCounter } from '../context/seen-counter.js';
import { TakenOut } from '../context/taken-out.js';
import { ThreadView } from '../context/thread-view.js';
import { ClientState } from '../requests/client-state.js';
import { Exchange } from '../requests/exchange.js';
import { outgoingOf } from '../requests/main-request.js';
import type { Outgoing } from '../requests/outgoing.js';
import type { Tally } from '../requests/requesting-thread.js';
import type { SessionState } from '../requests/session-state.js';
import { stripThinking } from '../requests/strip-thinking.js';
import { suggest } from '../requests/suggest.js';
import { ThreadModel } from '../requests/thread-model.js';
import { happen } from './happen.js';
import type { LoopEnv, LoopThread } from './loop-thread.js';
import { returnExpired } from './returned-content.js';
import { finishThread, keepRecord } from './session-record.js';
import type { Standing } from './standing.js';
import { StepQueue } from './step-queue.js';
import { type Stop, stopOf } from './stop.js';
import { startThread, tellWarm } from './thread-start.js';
import { MutableMoment, TierHost } from './tier-host.js';
import { Wakes } from './wakes.js';

const NEVER = (): boolean => false;

/** One thread on its way through its transcript: messages come in, layers act, calls go out (LOP-1). */
export class ThreadRun implements LoopThread {
  readonly context: Context;
  readonly counter: CounterRules;
  readonly seen: SeenCounter;
  readonly model: ThreadModel;
  readonly client: ClientState;
  readonly exchange: Exchange;
  readonly view: ThreadView;
  readonly host: TierHost;
  readonly journal = new Journal();
  readonly session: SessionState;
  /** State shared by the tiers of this thread. */
  readonly shared = new Map<string, unknown>();
  /** For a fork: tokens it has in common with its parent, and the last position of what its siblings share. */
  sharedTokens: number | null = null;
  sharedEnd: number | null = null;
  readonly prevention = new Prevention();
  readonly takenOut = new TakenOut();
  readonly cached = new CachedPrefix();
  readonly tally: Tally = { calls: 0, costNano: 0, cacheLost: 0, keepAlives: 0 };
  /** Milliseconds by which simulated time runs behind the recording. */
  shiftMs = 0;
  now = 0;
  turn = 0;
  lastResponseMs: number | null = null;
  /** Why the context changed since the last request, first cause wins (BRD-3). */
  announced: BreakCause | null = null;
  /** Positions of the request that was sent last. */
  sentLength = 0;
  /** A layer put a new history in place since this was last cleared. */
  historyReplaced = false;
  private readonly moment: MutableMoment;
  private readonly random: Random;
  private readonly askCounts = new Map<string, number>();
  private promptNumber = 0;
  /** Why it makes no calls; null while it does. */
  failure: Stop | null = null;
  private lostCalls = 0;
  /** What the recording has for the thread. */
  readonly steps: StepQueue;
  private pending: Message[] = [];
  private readonly wakes = new Wakes();
  private previousEndMs: number | null = null;
  private recordedEndMs = 0;
  private readonly applyAction = (action: Action) => apply(this, action);
  private readonly isStopped = () => this.failure !== null;

  constructor(
    readonly env: LoopEnv,
    readonly thread: Thread,
  ) {
    this.context = new Context(thread.prefix);
    this.steps = new StepQueue(thread);
    this.counter = counterRules(env.plan.policy.params, env.plan.estimatorFactor);
    this.seen = new SeenCounter(this.counter);
    this.model = new ThreadModel(env.plan, thread, env.habits, env.agentVersion);
    this.client = new ClientState(this);
    this.exchange = new Exchange(env, thread.id);
    this.view = new ThreadView(this.context, this.seen, env.files);
    this.random = env.random.split(`thread ${thread.id}`);
    this.session = env.sessions.of(thread);
    this.moment = new MutableMoment(this.isMain ? 'main' : thread.fork === undefined ? 'subagent' : 'fork');
    this.host = new TierHost(
      env.tiers,
      {
        params: env.plan.policy.params,
        thread: thread.id,
        source: this.moment.source,
        model: () => this.model.facts,
        plan: env.plan,
        random: this.random.split('tiers'),
        shared: this.shared,
        session: this.session,
      },
      env.timing,
    );
  }

  get isMain(): boolean {
    return this.thread.parentId === null;
  }

  get source(): MutableMoment['source'] {
    return this.moment.source;
  }

  get isStuck(): boolean {
    return this.failure !== null;
  }

  /** Simulated time of the next call, event or wake-up; null when the thread has ended. */
  nextTimeMs(): number | null {
    const stepMs = this.nextStepMs();
    if (stepMs === null && !(this.isMain && this.session.ending === 'clean')) return null;
    const wakeMs = this.wakes.nextMs;
    if (wakeMs === null || (stepMs !== null && stepMs <= wakeMs)) return stepMs;
    return Math.max(wakeMs, this.now);
  }

  private nextStepMs(): number | null {
    const step = this.steps.upcoming();
    if (step === null) return null;
    const timeMs = step.kind === 'call' ? this.startOf(step.call) : step.event.at + this.shiftMs;
    return Math.max(timeMs, this.now);
  }

  /** A tier wants to be asked again at a time. */
  wakeAt(timeMs: number): void {
    this.wakes.add(timeMs);
  }

  /** Start of a call: as recorded plus the shift, or the think time after the simulated end of the previous one. */
  private startOf(call: RecordedCall): number {
    if (this.env.plan.timing === 'recorded' || this.previousEndMs === null)
      return call.startMs + this.shiftMs;
    return this.previousEndMs + Math.max(0, call.startMs - this.recordedEndMs);
  }

  begin(parent: ThreadRun | null, origin: ThreadRun | null): void {
    startThread(this, parent, origin);
  }

  /** A message waits for the next request. */
  expectMessage(message: Message): void {
    this.pending.push(message);
  }

  /** The thread never gets to work. */
  giveUp(reason: string, how: Stop['how'] = 'lost'): void {
    this.failure = { reason, until: 'end', how };
  }

  /** Takes over another thread's conversation as it stands there, with what its requests have shown. */
  inheritMessages(messages: readonly Message[], from: Standing): void {
    this.join(messages, 'original');
    this.host.resume(this.context.messages, this.view);
    this.seen.adopt(from.seen);
    this.exchange.adopt(from.latest);
    this.cached.adopt(from.cached);
    this.lastResponseMs = from.lastResponseMs;
  }

  /** Goes on up to and including the next call or event. */
  advance(): void {
    const stepMs = this.nextStepMs();
    if (this.wakes.nextMs !== null && (stepMs === null || this.wakes.nextMs < stepMs)) {
      this.now = Math.max(this.now, this.wakes.take());
      this.askTiers('wake');
      return;
    }
    for (let step = this.steps.take(); step !== null; step = this.steps.take()) {
      if (step.kind === 'message') this.receive(step.message);
      else if (step.kind === 'event') {
        this.now = Math.max(this.now, step.event.at + this.shiftMs);
        happen(this, step.event);
        return;
      } else {
        this.now = Math.max(this.now, this.startOf(step.call));
        this.call(step.call);
        return;
      }
    }
  }

  /** Nothing is left: what was lost is told. */
  finish(): void {
    finishThread(this);
    this.tellLost();
  }

  private receive(message: Message): void {
    if (message.origin === 'human' || message.origin === 'directive') {
      this.promptNumber++;
      if (this.failure?.until === 'next-prompt') {
        this.tellLost();
        this.failure = null;
      }
    }
    if (this.failure === null && !this.recordedSummaries.has(message.attachedTo ?? ''))
      this.pending.push(message);
  }

  /** Summaries of compactions that only the recording made: what was attached to them is not this run's. */
  readonly recordedSummaries = new Set<string>();

  private tellLost(): void {
    if (this.lostCalls === 0 || this.failure === null) return;
    const { reason, how } = this.failure;
    this.env.sink.write({ type: how, t: this.now, thread: this.thread.id, calls: this.lostCalls, reason });
    this.lostCalls = 0;
  }

  /** A guard or an error ends the prompt or the run, or another agent ends this one. */
  stop(what: StopKind, message: string): void {
    this.env.sink.write({ type: 'notice', t: this.now, thread: this.thread.id, what, message, details: {} });
    this.failure = stopOf(what, message);
  }

  /** Lets simulated time pass; everything later in the transcript moves with it. */
  pass(ms: number): void {
    this.now += ms;
    this.shiftMs += ms;
  }

  /** A generator for one call of a layer: the same call in the same thread draws the same, whatever others asked (INV-11). */
  askRandom(purpose: string): Random {
    const count = (this.askCounts.get(purpose) ?? 0) + 1;
    this.askCounts.set(purpose, count);
    return this.random.split(`${purpose} ${count}`);
  }

  /** Cached tokens in front of a position that is as it was sent. */
  cachedTokens(position: number): number {
    return this.cached.tokensBefore(position, this.context, this.view.deletions, this.now);
  }

  /** Asks the tiers of a point of the loop. */
  askTiers(point: Point, manual: MutableMoment['manual'] = null): void {
    const { moment } = this;
    moment.point = point;
    moment.now = this.now;
    moment.turn = this.turn;
    moment.prompt = this.promptNumber;
    moment.lastResponseMs = this.lastResponseMs;
    moment.manual = manual;
    this.view.cacheIsWarm = this.now < this.cached.untilMs;
    if (!this.view.cacheIsWarm && this.view.deletedTokens > 0) returnExpired(this);
    const isBeside = point === 'wake' || point === 'session-end';
    this.host.ask(moment, this.view, this.applyAction, isBeside ? NEVER : this.isStopped);
  }

  /** Messages that arrived join the context (FLT), the counter, the journal and the tiers' knowledge. */
  join(messages: readonly Message[], origin: Origin): void {
    const { context } = this;
    const from = context.messages.length;
    context.extend(messages, origin);
    for (let i = from; i < context.messages.length; i++) {
      const message = context.messages[i]!;
      this.seen.add(message);
      this.journal.append(message);
      this.host.observe(message);
    }
  }

  /** Takes in what is waiting. */
  joinPending(): void {
    const { pending } = this;
    if (pending.length === 0) return;
    this.pending = [];
    this.join(pending, 'original');
    if (pending.some(isSpoken)) this.spoken = 'spoken';
    if (pending.some((message) => message.origin === 'human')) stripThinking(this, 'latest-turn');
  }

  /** Whether somebody spoke since the latest request. */
  spoken: 'spoken' | 'silent' = 'silent';
  /** Messages whose thinking is gone, from the first on. */
  thinkingStrippedTo = 0;

  private call(call: RecordedCall): void {
    if (this.failure === null) this.prepare(call);
    if (this.failure !== null) {
      this.client.skip();
      this.lose(call);
      return;
    }
    this.prevention.check(this);
    this.client.before(call);
    if (!this.send(call)) {
      this.lose(call);
      return;
    }
    this.askTiers('after-response');
    if (this.client.suggests && this.failure === null) suggest(this, call);
    if (hasToolUse(call.response)) return;
    keepRecord(this);
    this.askTiers('end-of-loop');
  }

  /** What arrived joins the context, and layers act, before a call is made. */
  private prepare(call: RecordedCall): void {
    this.model.use(call.model);
    this.turn++;
    if (this.isMain) this.env.totals.turns++;
    this.joinPending();
    this.askTiers('results');
    if (this.failure === null) this.askTiers('before-request');
  }

  /** A recorded call cannot take place, and with it what it would have started. */
  private lose(call: RecordedCall): void {
    if (!this.steps.isAgain) this.lostCalls++;
    this.env.forks.lose(this, call);
  }

  /** Sends the main request; transient errors are tried again, a prompt that is too long gives layers a chance (REA-1). */
  private send(call: RecordedCall): boolean {
    const { retries, resends } = this.env.client;
    let resent = resends ? 1 : 0;
    for (let attempt = 0; ; ) {
      const out = outgoingOf(this, call);
      const reply = this.exchange.send(out, 'own');
      if (reply.ok) {
        this.answered(call, out, reply.usage, reply.latencyMs);
        return true;
      }
      this.pass(reply.latencyMs);
      const failure = parseFailure(reply.error);
      if (failure.reason === 'prompt-too-long') {
        if (resent-- > 0) continue;
        this.historyReplaced = false;
        this.askTiers('refused');
        if (this.historyReplaced && this.failure === null) continue;
      } else if (isTransient(failure) && attempt < retries) {
        this.pass(retryDelayMs(attempt++, this.random, reply.retryAfterSeconds));
        continue;
      }
      if (this.failure === null)
        this.stop('prompt-ended', `the API refused the request: ${reply.error.message}`);
      return false;
    }
  }

  /** Takes note that a request of the thread's own chain was answered. */
  noteSent(out: Outgoing, call: RecordedCall): void {
    const { context } = this;
    context.sent();
    this.sentLength = context.length;
    this.cached.renew(context.trueTokens, out.startMs + this.model.ttlFor(call));
    this.announced = null;
  }

  private answered(
    call: RecordedCall,
    out: Outgoing,
    usage: NonNullable<Message['usage']>,
    latencyMs: number,
  ): void {
    const { context } = this;
    this.noteSent(out, call);
    this.spoken = 'silent';
    this.now += latencyMs;
    this.previousEndMs = this.now;
    this.recordedEndMs = call.endMs;
    this.lastResponseMs = this.now;
    const response = answeredMessage(call, usage, this.now);
    context.extend([response]);
    this.journal.append(response);
    this.host.observe(response);
    const { deletedIsFree } = this.env.client;
    this.seen.anchor(usage, this.takenOut.recent - (deletedIsFree ? 0 : this.view.deletedTokens));
    if (deletedIsFree) this.seen.forgetDeleted();
    this.env.forks.note(this, call);
    if (this.thread.fork !== undefined) tellWarm(this, out, usage, latencyMs);
  }
}
