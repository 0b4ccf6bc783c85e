import type { Action, Outcome } from '../../model/action.js';
import type { Message } from '../../model/message.js';
import type { PartsPolicy, RulePart } from '../../model/parts.js';
import type {
  ContextView,
  Moment,
  Point,
  TierContext,
  TierDefinition,
  TierInstance,
} from '../../model/tier.js';
import { MIDDLE, parseAmount } from '../../parts/expression.js';
import { compactionHistory } from '../auto-compact/history.js';
import { switchParam } from '../param-reader.js';
import { workState } from '../restore/work-state.js';
import { askFor, type Compaction, putInPlace, type Underway } from './compact.js';
import { compileGroup, type Test } from './conditions.js';
import { Guards } from './guards.js';
import { KeepAlive } from './keep-alive.js';
import { rebased, staleReport } from './rebased.js';
import { replaceItems } from './replace-items.js';
import { PolicyState, type RuleState } from './rule-state.js';

/** Points at which a policy in parts may be asked. */
const POINTS: readonly Point[] = [
  'results',
  'before-request',
  'refused',
  'manual',
  'after-response',
  'end-of-loop',
  'wake',
];

/** Plays a policy that is written in parts: rules are compiled once into closures over the view of the conversation. */
export const partsTier: TierDefinition = {
  name: 'parts',
  layer: 'rules',
  points: POINTS,
  needs: [],
  params: [switchParam('parts.enabled', true, 'Whether the rules of a policy file act.')],
  killSwitch: 'parts.enabled',
  create: (context) => new PartsTier(context.plan.policy.parts ?? NO_RULES, context),
};

const NO_RULES: PartsPolicy = {
  count: {
    source: 'usage+new',
    of: [],
    charsPerToken: 4,
    scale: 1,
    perMessage: 0,
    perImage: 0,
    includes: [],
    since: 'compaction',
    ratioCap: null,
  },
  base: 'W',
  rules: [],
  guards: {
    breaker: null,
    perTurn: null,
    cooldownMs: [],
    spend: null,
    floor: null,
    block: null,
    refills: null,
  },
  cache: { marks: 'client', ttl: null, keepAlive: null },
};

/** A rule with the conditions of one point. */
interface RuleAt {
  readonly own: RuleState;
  readonly holds: readonly Test[];
}

const NO_RULES_HERE: readonly RuleAt[] = [];

class PartsTier implements TierInstance {
  private readonly state: PolicyState;
  private readonly byPoint = new Map<Point, RuleAt[]>();
  private readonly beforeRequest: readonly RuleAt[];
  private readonly afterResponse: readonly RuleAt[];
  private readonly guards: Guards;
  private readonly keepAlive: KeepAlive | null;
  private readonly restores: boolean;
  /** How long before its end the cache entry wakes a rule, the longest first. */
  private readonly wakesBefore: readonly number[];
  private readonly events = { modelSwitched: false, resumed: false, prefixChanged: false };
  private model: string | null = null;
  private prefix: ContextView['prefix'] | null = null;
  private underway: Underway | null = null;

  constructor(
    private readonly policy: PartsPolicy,
    private readonly context: TierContext,
  ) {
    this.state = new PolicyState(policy, context);
    for (const own of this.state.rules) this.place(own);
    this.beforeRequest = this.byPoint.get('before-request') ?? NO_RULES_HERE;
    this.afterResponse = this.byPoint.get('after-response') ?? NO_RULES_HERE;
    this.guards = new Guards(policy.guards, compactionHistory(context.shared));
    this.keepAlive =
      policy.cache.keepAlive === null ? null : new KeepAlive(policy.cache.keepAlive, this.state);
    this.restores = policy.rules.some(({ layout }) =>
      layout.some(({ kind }) => kind === 'files' || kind === 'todos'),
    );
    this.wakesBefore = policy.rules
      .flatMap(({ when }) =>
        when.flatMap(({ tests }) => tests.flatMap((test) => (test.kind === 'expiresIn' ? [test.is.ms] : []))),
      )
      .sort((a, b) => b - a);
  }

  private place(own: RuleState): void {
    if (own.rule.threads === 'main' && this.context.source !== 'main') return;
    const groups = own.rule.when.map((group) => compileGroup(group, own, this.state, this.events));
    for (const point of POINTS) {
      const holds = groups.filter(({ at }) => at.includes(point)).map((group) => group.holds);
      if (holds.length === 0) continue;
      const list = this.byPoint.get(point) ?? [];
      list.push({ own, holds });
      this.byPoint.set(point, list);
    }
  }

  observe(message: Message): void {
    this.state.observe(message);
    if (this.restores) workState(this.context).observe(message);
  }

  reset(messages: readonly Message[]): void {
    this.state.reset(messages);
    this.underway = null;
    if (this.restores) workState(this.context).files.reset(messages);
  }

  resume(messages: readonly Message[]): void {
    this.reset(messages);
    this.events.resumed = true;
    compactionHistory(this.context.shared).restart();
  }

  private rulesAt(point: Point): readonly RuleAt[] {
    if (point === 'before-request') return this.beforeRequest;
    if (point === 'after-response') return this.afterResponse;
    return this.byPoint.get(point) ?? NO_RULES_HERE;
  }

  due(moment: Moment, view: ContextView): boolean {
    const { point } = moment;
    this.state.sync(view);
    if (point === 'before-request') this.noticeEvents(view);
    if (point === 'after-response' && (this.keepAlive !== null || this.wakesBefore.length > 0)) return true;
    if (point === 'wake' && this.keepAlive !== null) return true;
    if (this.underway !== null && point === 'before-request') return true;
    if (point === 'before-request' && this.policy.guards.block !== null && view.seenTokens >= this.blocksAt())
      return true;
    const rules = this.rulesAt(point);
    for (let i = 0; i < rules.length; i++) if (fires(rules[i]!, moment, view)) return true;
    return false;
  }

  private noticeEvents(view: ContextView): void {
    const { name } = this.context.model();
    this.events.modelSwitched = this.model !== null && this.model !== name;
    this.events.prefixChanged = this.prefix !== null && this.prefix !== view.prefix;
    this.model = name;
    this.prefix = view.prefix;
  }

  private blocksAt(): number {
    return parseAmount(this.policy.guards.block!)(this.state.sizes, MIDDLE);
  }

  *act(moment: Moment, view: ContextView): Generator<Action, void, Outcome> {
    const { point } = moment;
    if (this.underway !== null && point === 'before-request') yield* this.arrive(moment, view);
    for (const rule of this.rulesAt(point)) {
      if (!fires(rule, moment, view)) continue;
      const changed = yield* this.carryOut(rule.own, moment, view, reasonFor(rule.own.rule, moment, view));
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
    moment: Moment,
    view: ContextView,
    reason: string,
  ): Generator<Action, boolean, Outcome> {
    if (own.rule.replace !== null) {
      settlePile(own, this.state);
      return yield* replaceItems(moment, view, own, this.state, reason);
    }
    return yield* this.compact(own, moment, view, reason);
  }

  /** Replaces the history by a rule; guards may forbid it (BRK-1), and what failed falls back on what the rule says. */
  private *compact(
    own: RuleState,
    moment: Moment,
    view: ContextView,
    reason: string,
  ): Generator<Action, boolean, Outcome> {
    const { rule } = own;
    const { context, guards } = this;
    const isAutomatic = moment.point !== 'manual';
    const history = compactionHistory(context.shared);
    const params = guards.thrashParams(context.params);
    if (isAutomatic && rule.ask !== null) {
      if (guards.isOpen(moment)) {
        yield guards.skipped();
        return false;
      }
      if (guards.isResting(moment)) return false;
    }
    const { floor } = this.policy.guards;
    if (floor !== null && view.seenTokens < parseAmount(floor)(this.state.sizes, MIDDLE)) return false;
    if (isAutomatic && history.isThrashing(moment.turn, params)) {
      yield {
        kind: 'stop',
        by: { layer: 'rules', reason },
        what: 'run-ended',
        message: 'the context fills up again right after each compaction',
      };
      return false;
    }
    const compaction: Compaction = {
      rule,
      trigger: moment.point === 'manual' ? 'manual' : moment.point === 'refused' ? 'reactive' : 'auto',
      reason,
      tracking: history.track(moment, view.seenTokens, this.thresholdOf(rule, moment), params),
    };
    if (rule.ask?.run.kind === 'background') return yield* this.startBackground(compaction, moment, view);
    const asked = yield* askFor(compaction, moment, view, this.state);
    return yield* this.finish(compaction, asked, moment, view);
  }

  private *finish(
    compaction: Compaction,
    asked: Underway | { readonly failedAfter: number },
    moment: Moment,
    view: ContextView,
  ): Generator<Action, boolean, Outcome> {
    const { rule } = compaction;
    const end =
      'failedAfter' in asked
        ? ({ outcome: 'failed', requests: asked.failedAfter } as const)
        : yield* putInPlace(asked, moment, view, this.state);
    if (rule.ask !== null) this.guards.spent(moment, end.requests);
    if (end.outcome === 'done') {
      if (rule.ask === null) compactionHistory(this.context.shared).succeeded(moment.turn);
      else yield* this.guards.succeeded(moment);
      return true;
    }
    if (rule.ask === null) return false;
    if (moment.point !== 'manual') yield* this.guards.failed(moment);
    // Nothing was asked for: there is nothing to fall back from.
    if (end.requests === 0 && rule.fail.else.kind === 'stop') return false;
    return yield* this.fallBack(compaction, moment, view);
  }

  /** What a rule does when no summary came. */
  private *fallBack(
    { rule, reason }: Compaction,
    moment: Moment,
    view: ContextView,
  ): Generator<Action, boolean, Outcome> {
    const next = rule.fail.else;
    if (next.kind === 'truncate') {
      const own = { ...this.state.rules[0]!, rule: truncation(rule, next.keep), items: null };
      return yield* this.compact(own, moment, view, `${rule.name} brought no summary`);
    }
    if (next.kind === 'rule') {
      const own = this.state.rules.find((state) => state.rule.name === next.name)!;
      return yield* this.carryOut(own, moment, view, `${rule.name} brought no summary`);
    }
    if (next.kind === 'stop') {
      yield {
        kind: 'stop',
        by: { layer: 'rules', reason },
        what: 'prompt-ended',
        message: `${rule.name}: no summary came, and the policy stops there`,
      };
    }
    return false;
  }

  /** Asks beside the work: the answer is put in place when it is there. */
  private *startBackground(
    compaction: Compaction,
    moment: Moment,
    view: ContextView,
  ): Generator<Action, boolean, Outcome> {
    if (this.underway !== null) return false;
    const asked = yield* askFor(compaction, moment, view, this.state);
    if ('failedAfter' in asked) return yield* this.finish(compaction, asked, moment, view);
    this.underway = asked;
    return false;
  }

  /** Puts a summary in place that was asked for earlier, once it is there and still fits. */
  private *arrive(moment: Moment, view: ContextView): Generator<Action, void, Outcome> {
    const underway = this.underway!;
    const { rule } = underway.compaction;
    const run = rule.ask!.run;
    if (run.kind !== 'background' || moment.now < underway.result.answer.endMs) return;
    if (run.applyAt !== null && view.seenTokens < parseAmount(run.applyAt.amount)(this.state.sizes, MIDDLE))
      return;
    this.underway = null;
    const split = rebased(underway, view.messages, run.stale);
    if (split === null) {
      this.guards.spent(moment, underway.result.requests);
      yield staleReport(underway, view);
      return;
    }
    yield* this.finish(underway.compaction, { ...underway, split }, moment, view);
  }

  /** Refuses new input from a size on (WIN-6). */
  private *block(view: ContextView): Generator<Action, void, Outcome> {
    if (this.policy.guards.block === null) return;
    const limit = this.blocksAt();
    if (view.seenTokens < limit) return;
    yield {
      kind: 'stop',
      by: { layer: 'rules', reason: 'blocking limit' },
      what: 'blocked',
      message: `${view.seenTokens} tokens are at or above the blocking limit of ${Math.ceil(limit)}; compact or clear the conversation`,
    };
  }

  private *arrangeWakes(moment: Moment, view: ContextView): Generator<Action, void, Outcome> {
    const by = { layer: 'rules', reason: 'the cache entry is about to end' } as const;
    for (const before of this.wakesBefore) {
      if (view.cacheExpiresMs !== null && view.cacheExpiresMs - before > moment.now)
        yield { kind: 'wake-at', by, timeMs: view.cacheExpiresMs - before };
    }
    yield* this.keepAlive?.arrange(moment) ?? [];
  }

  /** What a rule fired at, for the report; null where size did not decide. */
  private thresholdOf(rule: RulePart, { point }: Moment): number | null {
    if (point === 'refused') return null;
    for (const { at, tests } of rule.when) {
      const tokens = tests.find((test) => test.kind === 'tokens');
      if (tokens?.kind === 'tokens' && (at.includes(point) || point === 'manual'))
        return parseAmount(tokens.is.amount)(this.state.sizes, MIDDLE);
    }
    return null;
  }
}

function fires({ holds }: RuleAt, moment: Moment, view: ContextView): boolean {
  for (let i = 0; i < holds.length; i++) if (holds[i]!(moment, view)) return true;
  return false;
}

/** Why a rule acts, in one sentence. */
function reasonFor({ name }: RulePart, { point }: Moment, { seenTokens }: ContextView): string {
  if (point === 'manual') return 'the user asked for it';
  if (point === 'refused') return 'the API refused the request as too long';
  return `${name}: ${seenTokens} tokens seen`;
}

/** What piled up is worked off: each multiple of the bound counts once. */
function settlePile(own: RuleState, state: PolicyState): void {
  for (const { tests } of own.rule.when) {
    const pile = tests.find((test) => test.kind === 'piled');
    if (pile?.kind === 'piled') own.piled %= parseAmount(pile.is.amount)(state.sizes, MIDDLE);
  }
}

/** The rule that drops the oldest rounds where another brought no summary. */
function truncation(rule: RulePart, keep: number): RulePart {
  return {
    ...rule,
    name: `${rule.name}-truncate`,
    ask: null,
    accept: [],
    select: {
      ...rule.select,
      keep: {
        ...rule.select.keep,
        last: null,
        tokens: null,
        user: null,
        recentFiles: null,
        share: { of: 'tokens', is: keep },
        first: 'opening',
      },
    },
    layout: [{ kind: 'first' }, { kind: 'tail' }],
  };
}
