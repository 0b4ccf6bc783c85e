import { type CallPlan, CallPlans, type FreshStart } from '../../agent/client/call-plan.js';
import { AS_CLIENT, type ClientBehaviour, isBareClient, RECORDED_CLIENT } from '../../agent/client/client.js';
import {
  type ChanceBreaks,
  chanceBreaksOf,
  hazardOf,
  recordedWarmth,
  type Warmth,
} from '../../agent/client/recorded-client.js';
import { policyOf } from '../../agent/policies/catalogue.js';
import { isReadBy } from '../../agent/policies/param-readers.js';
import type { NamedLimits } from '../../agent/policies/shown-limits.js';
import { type Digest, digestParts } from '../../core/base/digest.js';
import type { PrefixView } from '../../core/model/prefix.js';
import type { RecordedCall } from '../../core/model/transcript.js';
import { TTL_1H_MS } from '../../provider/cache/ttl.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import type { RunningThread } from './running-thread.js';
import { ShownStatus } from './shown-status.js';
import { type ClientKey, FIRST_KEY, type ThreadModel } from './thread-model.js';

/** Others than this run have left the first N positions of a thread's request in the cache, right before it. */
function warmUp(run: RunningThread, positions: number, call: RecordedCall): void {
  const { env, context, model, now } = run;
  if (env.cache === null || positions <= 0) return;
  env.cache.request({
    model: model.row,
    salts: model.saltsFor(context.hasImages() ? 'images' : 'no-images', run.client.key),
    view: {
      length: positions,
      digests: context.digests,
      sums: context.sums,
      toolsEnd: Math.min(context.toolsEnd, positions),
      systemEnd: Math.min(context.systemEnd, positions),
    },
    breakpoints: [{ position: positions - 1, ttlMs: model.ttlFor(call) }],
    startMs: now,
    readableAtMs: now,
    write: 'write',
  });
}

/** Number of positions from the start that hold no more than this many tokens. @internal */
export function positionsWithin({ systemEnd, length, sums }: PrefixView, tokens: number): number {
  let count = systemEnd;
  while (count < length && sums[count]! <= tokens) count++;
  return count;
}

/** Watches what the client shows of a main conversation as each request is sent. */
class StatusWatch {
  private facts: ThreadModel['facts'] | null = null;
  private model: NamedLimits | null = null;
  private readonly status: ShownStatus;

  constructor(private readonly run: RunningThread) {
    const { policy } = run.env.plan;
    this.status = new ShownStatus(policyOf(policy), policy);
  }

  /** Asked before each request of the loop, after the layers have acted. */
  check(): void {
    const { run } = this;
    const { env } = run;
    if (run.model.facts !== this.facts) this.learn();
    const check = {
      type: 'status-check',
      t: run.now,
      thread: run.thread.id,
      turn: run.turn,
      n: env.totals.requests + 1,
      seen: run.seen.tokens,
      model: this.model,
    } as const;
    if (env.onStatus !== null) {
      env.onStatus(check);
      return;
    }
    const entry = this.status.at(check);
    if (entry !== null) env.sink.write(entry);
  }

  private learn(): void {
    const { model, env } = this.run;
    const { facts } = model;
    this.facts = facts;
    const window = isReadBy(policyOf(env.plan.policy), 'window.reserve') ? facts.window : model.apiWindow();
    this.model = window === null ? null : { ...facts, window };
  }
}

/**
 * The beginning of a thread's prompts that others keep in the cache: this many tokens as the recorded first request found (K11). They are
 * there for every prompt that begins so and goes to the model that was recorded, in caches that store prefixes without marks.
 */
export class OutsideHead {
  /** What the prompts begin with, up to the position that holds the last token of the head. */
  private digests: readonly Digest[] = [];
  private tokens = 0;
  private model: string | null = null;
  private isBegun = false;

  /** Takes note of what the recorded first request found; later ones say nothing of what others keep. */
  begin(view: PrefixView, call: RecordedCall, { row, models }: Pick<ThreadModel, 'row' | 'models'>): void {
    if (this.isBegun) return;
    this.isBegun = true;
    const found = call.usage?.cacheRead ?? 0;
    if (found === 0 || view.length === 0 || models.find(call.model)?.id !== row.id) return;
    let end = 0;
    while (end < view.length - 1 && view.sums[end]! < found) end++;
    this.digests = Array.from({ length: end + 1 }, (_, i) => view.digests[i]!);
    this.tokens = Math.min(found, view.sums[end]!);
    this.model = row.id;
  }

  /** Tokens of a prompt that others keep. */
  tokensIn(view: PrefixView, model: ModelRow): number {
    const { digests } = this;
    if (model.id !== this.model) return 0;
    let same = Math.min(digests.length, view.length) - 1;
    while (same >= 0 && view.digests[same] !== digests[same]) same--;
    return same < 0 ? 0 : Math.min(this.tokens, view.sums[same]!);
  }
}

const TWO_TO_53 = 2 ** 53;

/** What a thread's client does about its calls: the behaviours of `src/agent/client`, played forward. */
export class ClientState {
  key: ClientKey;
  private readonly plans: CallPlans | null;
  /** The plan of the latest call. */
  private latest: CallPlan | null = null;
  private warmth: Warmth = 'none';
  private previousStartMs: number | null = null;
  /** What calls that were lost have changed for the next one. */
  private fresh: FreshStart | null = null;
  private inherited: ClientKey;
  /** Chance of an unpredictable break at the latest call. */
  risk = 0;
  private readonly chances: ChanceBreaks;

  /** What others keep of the thread's prompts; null if that is not known, or the cache goes by marks. */
  private readonly outside: OutsideHead | null;
  private readonly status: StatusWatch | null;

  constructor(private readonly run: RunningThread) {
    const { env, thread } = run;
    const isKeyed = env.plan.policy.rules?.cache.key === 'session';
    this.key = isKeyed ? { ...FIRST_KEY, session: env.sessions.of(thread).name } : FIRST_KEY;
    this.inherited = this.key;
    this.chances = chanceBreaksOf(env.recorded);
    this.status = run.isMain ? new StatusWatch(run) : null;
    const isCold = env.plan.policy.params['client.firstRequest'] === 'cold';
    this.outside = isCold || env.cacheKinds.reads === 'exact' ? null : new OutsideHead();
    this.plans = isBareClient(env.behaviours)
      ? null
      : new CallPlans(thread, env.behavioursAt, env.recorded.version);
  }

  /** Before the request of a call: the client shows how full its context is, and changes what it changes about the cache. */
  before(call: RecordedCall): void {
    this.status?.check();
    this.outside?.begin(this.run.context, call, this.run.model);
    if (this.plans === null) return;
    if (this.run.steps.isAgain) {
      this.previousStartMs = this.run.now;
      return;
    }
    const plan = this.plans.next()!;
    this.latest = plan;
    const { delivery } = plan;
    const thinking = plan.thinking ?? this.inherited.thinking;
    const fresh = this.fresh === 'version' ? this.fresh : (plan.fresh ?? this.fresh);
    this.fresh = null;
    if (thinking !== this.key.thinking || delivery !== this.key.delivery)
      this.key = { ...this.key, thinking, delivery };
    if (this.previousStartMs === null) this.begin(call);
    else if (fresh === 'version') this.startOver('all');
    else if (fresh !== null) this.startOver(this.warmth === 'none' ? 'all' : 'messages');
    else if (!this.isGiven && plan.behaviours.hazard === 'drawn' && this.draw('hazard', call) < this.chance())
      this.startOver('messages');
    this.warmFromOutside(call, plan.behaviours.outside);
    this.risk = this.isGiven || plan.behaviours.hazard === 'drawn' ? 0 : this.chance();
    this.previousStartMs = this.run.now;
  }

  /** Tokens at the beginning of a request of the thread that others keep in the cache (K11). */
  outsideTokens(view: PrefixView, model: ModelRow): number {
    return this.outside === null ? 0 : this.outside.tokensIn(view, model);
  }

  /** A call is lost before its request is made; what its client changed stays changed. */
  skip(): void {
    if (this.run.steps.isAgain) return;
    this.latest = this.plans?.next() ?? null;
    const fresh = this.latest?.fresh ?? null;
    if (fresh !== null && this.fresh !== 'version') this.fresh = fresh;
  }

  /** Goes on under another thread's key: a fork, or a resumed session. */
  inherit(key: ClientKey): void {
    this.key = key;
    this.inherited = key;
  }

  /** What happened by chance is known from the recording. */
  private get isGiven(): boolean {
    return this.run.env.whatIf?.reads === 'as-recorded';
  }

  /** Chance that the request at hand breaks for no reason the recording shows (K14); 0 for a first one. */
  private chance(): number {
    if (this.plans === null || this.previousStartMs === null) return 0;
    const gapMs = this.run.now - this.previousStartMs;
    return hazardOf({ spoken: this.run.spoken, gapMs }, this.chances);
  }

  /** A suggestion follows the response of the latest call; in a what-if none does where the recording shows that none did. */
  get suggests(): boolean {
    if (this.latest?.suggestion !== 'asked') return false;
    return !this.keepsSuggestions || this.latest.suggested !== false;
  }

  /** The client is that of a recording, whose own suggestions are kept. */
  private get keepsSuggestions(): boolean {
    const { whatIf, plan } = this.run.env;
    const { params } = plan.policy;
    return (
      whatIf !== null &&
      params['client.use'] === RECORDED_CLIENT &&
      params['client.suggestions'] === AS_CLIENT
    );
  }

  /** Where summaries for a user who is away renew what the latest call left (K17). */
  get awaySummaries(): ClientBehaviour['awaySummaries'] {
    return this.latest?.behaviours.awaySummaries ?? 'off';
  }

  private startOver(level: 'messages' | 'all'): void {
    const { messagesTime, prefixTime } = this.key;
    this.key =
      level === 'all'
        ? { ...this.key, prefixTime: prefixTime + 1 }
        : { ...this.key, messagesTime: messagesTime + 1 };
  }

  /** What the recorded first request found is there for this one as well (K11). */
  private begin(call: RecordedCall): void {
    const { run } = this;
    if (run.env.behaviours.firstRequest === 'cold' || call.usage === null) return;
    this.warmth = recordedWarmth(run.thread, call);
    const read = call.usage.cacheRead;
    if (this.warmth === 'prefix') warmUp(run, run.context.systemEnd, call);
    else if (this.warmth === 'messages') warmUp(run, positionsWithin(run.context, read), call);
  }

  /** Other sessions may keep system and tools warm beyond the lifetime, where they were at first (K18). */
  private warmFromOutside(call: RecordedCall, outside: ClientBehaviour['outside']): void {
    const { run } = this;
    if (outside === 'cold' || this.warmth === 'none' || this.previousStartMs === null) return;
    const ttlMs = run.model.ttlFor(call);
    if (run.now - this.previousStartMs <= ttlMs) return;
    if (outside === 'half') {
      const isDue = !this.isGiven && this.warmth === 'prefix' && ttlMs === TTL_1H_MS;
      if (!isDue || this.draw('outside', call) >= 0.5) return;
    }
    warmUp(run, run.context.systemEnd, call);
  }

  /** A number between 0 and 1 that depends on seed, thread and call alone. */
  private draw(what: string, call: RecordedCall): number {
    const { plan } = this.run.env;
    return digestParts([what, plan.seed, this.run.thread.id, call.id]) / TWO_TO_53;
  }
}
