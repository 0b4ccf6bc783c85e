import { addTo } from '../../../core/base/groups.js';
import type { Message } from '../../../core/model/message.js';
import { askedBy } from '../../../core/model/transcript.js';
import type { Action, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import type { CachePart, Hook, PolicyRules } from '../../../core/run/policy-rules.js';
import { childAgents } from '../../../core/run/run-plan.js';
import { compactsLimit } from '../../policy-file/check-rules.js';
import { MIDDLE, parseAmount } from '../../policy-file/expression.js';
import { compactionHistory } from '../auto-compact/history.js';
import { workState } from '../restore/work-state.js';
import { layerParams } from '../support/param-reader.js';
import { Compactions, pingRequest } from './compactions.js';
import { type CompiledGroup, compileGroup, type Test } from './conditions.js';
import { blockStop } from './guards.js';
import { replaceItems } from './replace-items.js';
import { PolicyState, type RuleState } from './rule-state.js';

const BY = { layer: 'rules', reason: 'the cache entry is kept alive' } as const;

/** Sends short requests while nobody works, so that the cache entry stays alive. */
class KeepAlive {
  private pings = 0;
  private since: number | null = null;

  constructor(
    private readonly part: NonNullable<CachePart['keepAlive']>,
    private readonly state: PolicyState,
  ) {}

  restoreFrom(other: KeepAlive): void {
    this.pings = other.pings;
    this.since = other.since;
  }

  /** A response came: the next ping is due so long after it. */
  *arrange({ now, lastResponseMs }: HookContext): Generator<Action, void, Outcome> {
    this.pings = 0;
    this.since = lastResponseMs;
    yield { kind: 'wake-at', by: BY, timeMs: now + this.part.everyMs };
  }

  /** Pings, unless somebody has worked since or enough was done. */
  *ping({ now, lastResponseMs }: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const { everyMs, times, atLeast } = this.part;
    if (lastResponseMs === null || this.since !== lastResponseMs || this.pings >= times) return;
    if (now < lastResponseMs + everyMs * (this.pings + 1)) return;
    if (!view.cacheIsWarm) return;
    if (atLeast !== null && view.seenTokens < parseAmount(atLeast)(this.state.sizes, MIDDLE)) return;
    this.pings++;
    yield { kind: 'ask', by: BY, request: pingRequest(view.messages, now) };
    if (this.pings < times) yield { kind: 'wake-at', by: BY, timeMs: now + everyMs };
  }
}

/** Points at which the rules of a policy may be asked. */
const POINTS: readonly Hook[] = [
  'results',
  'before-request',
  'refused',
  'manual',
  'after-response',
  'end-of-loop',
  'wake',
  'thread-end',
];

/** Runs the rules of a policy file; they are compiled once into closures over the view of the conversation. */
export const rulesLayer: LayerDefinition = {
  name: 'rules',
  layer: 'rules',
  points: POINTS,
  needs: [],
  asksForUses: ({ rules }) => rules!.rules.some(({ select }) => select.order === 'farthest-use'),
  params: layerParams('rules'),
  killSwitch: 'rules.enabled',
  compactsAt: ({ source, limits, model }) => ({
    limit: compactsLimit(limits, model, source === 'main' ? 'all' : 'not-main'),
    isExempt: false,
  }),
  create: (context) => new RulesLayer(context.plan.policy.rules!, context),
};

/** A rule with the conditions of one point. */
interface RuleAt {
  readonly own: RuleState;
  readonly holds: readonly Test[];
}

const NO_RULES_HERE: readonly RuleAt[] = [];

/** The rules of a policy at work in one thread. */
class RulesLayer implements LayerInstance {
  private readonly state: PolicyState;
  private readonly byPoint = new Map<Hook, RuleAt[]>();
  private readonly beforeRequest: readonly RuleAt[];
  private readonly afterResponse: readonly RuleAt[];
  private readonly compactions: Compactions;
  private readonly keepAlive: KeepAlive | null;
  private readonly restores: boolean;
  /** How long before its end the cache entry wakes a rule, the longest first. */
  private readonly wakesBefore: readonly number[];
  private readonly events = { modelSwitched: false, resumed: false, prefixChanged: false, prompted: false };
  private model: string | null = null;
  private prompt: number | null = null;
  private prefix: ContextView['prefix'] | null = null;
  private noticedTurn = -1;

  constructor(
    private readonly policy: PolicyRules,
    private readonly context: LayerContext,
  ) {
    this.state = new PolicyState(policy, context);
    this.state.rules.forEach((own, rule) => {
      this.place(own, rule);
    });
    this.beforeRequest = this.byPoint.get('before-request') ?? NO_RULES_HERE;
    this.afterResponse = this.byPoint.get('after-response') ?? NO_RULES_HERE;
    this.compactions = new Compactions(this.state, (own, moment, view, reason) =>
      this.carryOut(own, moment, view, reason),
    );
    this.keepAlive =
      policy.cache.keepAlive === null ? null : new KeepAlive(policy.cache.keepAlive, this.state);
    this.restores = policy.rules.some(({ layout }) =>
      layout.some(({ kind }) => kind === 'files' || kind === 'todos'),
    );
    if (this.restores) workState(context);
    this.wakesBefore = policy.rules
      .flatMap(({ when }) =>
        when.flatMap(({ tests }) => tests.flatMap((test) => (test.kind === 'expiresIn' ? [test.is.ms] : []))),
      )
      .sort((a, b) => b - a);
  }

  private place(own: RuleState, rule: number): void {
    if (own.rule.threads === 'main' && this.context.source !== 'main') return;
    const groups = own.rule.when.map((part, group) =>
      compileGroup(part, { rule, group }, own, this.state, this.events),
    );
    for (const point of POINTS) {
      const holds = groups.flatMap((group) => this.testsAt(point, group));
      if (holds.length > 0) addTo(this.byPoint, point, { own, holds });
    }
  }

  /** The test of a group at a point; `prompt` is asked before the first request of each prompt. */
  private testsAt(point: Hook, { at, holds }: CompiledGroup): readonly Test[] {
    if (at.some((one) => one === point)) return [holds];
    if (point !== 'before-request' || !at.includes('prompt')) return [];
    return [(moment, view) => this.events.prompted && holds(moment, view)];
  }

  /** A summary that is under way knows what it was asked for at. */
  get canCheckpoint(): boolean {
    return !this.compactions.isPending;
  }

  restoreFrom(other: RulesLayer): void {
    this.state.restoreFrom(other.state);
    this.compactions.restoreFrom(other.compactions);
    if (other.keepAlive !== null) this.keepAlive!.restoreFrom(other.keepAlive);
    Object.assign(this.events, other.events);
    this.model = other.model;
    this.prompt = other.prompt;
    this.prefix = other.prefix;
    this.noticedTurn = other.noticedTurn;
  }

  observe(message: Message): void {
    this.state.observe(message);
    if (this.restores) workState(this.context).observe(message);
  }

  reset(messages: readonly Message[]): void {
    this.state.reset(messages);
    this.compactions.drop('the history was replaced before the summary could be used');
    if (!this.restores) return;
    const work = workState(this.context);
    work.files.reset(messages);
    work.notified();
    childAgents(this.context.session.world).notified(this.context.thread);
  }

  resume(messages: readonly Message[]): void {
    this.compactions.drop('the process ended before the summary could be used');
    this.reset(messages);
    this.events.resumed = true;
    compactionHistory(this.context.shared).restart();
    this.compactions.restart();
  }

  private rulesAt(point: Hook): readonly RuleAt[] {
    if (point === 'before-request') return this.beforeRequest;
    if (point === 'after-response') return this.afterResponse;
    return this.byPoint.get(point) ?? NO_RULES_HERE;
  }

  due(moment: HookContext, view: ContextView): boolean {
    const { point } = moment;
    if (point === 'thread-end') return this.compactions.isPending;
    this.state.sync(view);
    if (point === 'before-request') this.noticeEvents(moment, view);
    if (point === 'after-response') this.state.measure(view);
    if (point === 'after-response' && (this.keepAlive !== null || this.wakesBefore.length > 0)) return true;
    if (point === 'wake' && this.keepAlive !== null) return true;
    if (point === 'before-request' && this.compactions.isPending) return true;
    if (point === 'before-request' && this.policy.guards.block !== null && view.seenTokens >= this.blocksAt())
      return true;
    const rules = this.rulesAt(point);
    for (let i = 0; i < rules.length; i++) if (fires(rules[i]!, moment, view)) return true;
    return false;
  }

  /** What is new at a turn, however often it is asked for there. */
  private noticeEvents({ prompt, turn }: HookContext, view: ContextView): void {
    if (turn === this.noticedTurn) return;
    this.noticedTurn = turn;
    const { name } = this.context.model();
    this.events.modelSwitched = this.model !== null && this.model !== name;
    this.events.prefixChanged = this.prefix !== null && this.prefix !== view.prefix;
    this.events.prompted = this.prompt !== prompt;
    this.prompt = prompt;
    this.model = name;
    this.prefix = view.prefix;
  }

  private blocksAt(): number {
    return parseAmount(this.policy.guards.block!)(this.state.sizes, MIDDLE);
  }

  *act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const { point } = moment;
    if (point === 'thread-end') this.compactions.drop('the session ended before the summary could be used');
    if (point === 'thread-end' || point === 'before-request') yield* this.compactions.reportDropped(view);
    if (point === 'before-request') yield* this.compactions.arrive(moment, view);
    if (point === 'refused' && this.compactions.isStuck(moment, view)) return;
    for (const rule of this.rulesAt(point)) {
      if (!fires(rule, moment, view)) continue;
      const changed = yield* this.carryOut(rule.own, moment, view, reasonFor(rule.own, moment, view));
      if (changed && rule.own.rule.after === 'stop') break;
    }
    if (point === 'before-request') {
      this.events.resumed = false;
      yield* this.block(view);
    }
    if (point === 'after-response') yield* this.arrangeWakes(moment, view);
    if (point === 'wake') yield* this.keepAlive?.ping(moment, view) ?? [];
  }

  private *carryOut(
    own: RuleState,
    moment: HookContext,
    view: ContextView,
    reason: string,
  ): Generator<Action, boolean, Outcome> {
    if (own.rule.replace !== null) {
      settlePile(own, this.state);
      return yield* replaceItems(moment, view, own, this.state, reason);
    }
    return yield* this.compactions.compact(own.rule, moment, view, reason);
  }

  /** Refuses new input from a size on (WIN-6). */
  private *block(view: ContextView): Generator<Action, void, Outcome> {
    if (this.policy.guards.block === null) return;
    const limit = this.blocksAt();
    if (view.seenTokens < limit) return;
    yield blockStop('rules', view.seenTokens, Math.ceil(limit));
  }

  private *arrangeWakes(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const by = { layer: 'rules', reason: 'the cache entry is about to end' } as const;
    for (const before of this.wakesBefore) {
      if (view.cacheExpiresMs !== null && view.cacheExpiresMs - before > moment.now)
        yield { kind: 'wake-at', by, timeMs: view.cacheExpiresMs - before };
    }
    yield* this.keepAlive?.arrange(moment) ?? [];
  }
}

function fires({ holds }: RuleAt, moment: HookContext, view: ContextView): boolean {
  for (let i = 0; i < holds.length; i++) if (holds[i]!(moment, view)) return true;
  return false;
}

/** Why a rule acts, in one sentence. */
function reasonFor(
  { rule, seen, leftOut }: RuleState,
  { point, manual }: HookContext,
  view: ContextView,
): string {
  if (point === 'manual') return askedBy(manual).reason;
  if (point === 'refused') return 'the API refused the request as too long';
  const tokens = seen(view);
  const reason = `${rule.name}: ${tokens} tokens seen`;
  // What is left out of each request is still in the client's record, which `tokens` goes by.
  return leftOut === 0 ? reason : `${reason}, ${tokens + leftOut} with what it leaves out of each request`;
}

/** What piled up is worked off: each multiple of the bound counts once. */
function settlePile(own: RuleState, state: PolicyState): void {
  for (const { tests } of own.rule.when) {
    const pile = tests.find((test) => test.kind === 'piled');
    if (pile?.kind !== 'piled') continue;
    const bound = parseAmount(pile.is.amount)(state.sizes, MIDDLE);
    own.piled = bound > 0 ? own.piled % bound : 0;
  }
}
