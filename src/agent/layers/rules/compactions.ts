import { type Block, createBlock } from '../../../core/model/block.js';
import { createMessage, type Message } from '../../../core/model/message.js';
import { askedBy } from '../../../core/model/transcript.js';
import type { Action, AskRequest, LayerReport, Outcome } from '../../../core/run/action.js';
import type { ContextView, HookContext } from '../../../core/run/layer.js';
import type { Limit } from '../../../core/run/limit.js';
import type { ParamValues } from '../../../core/run/params.js';
import type { Comparison, Hook, RulePart } from '../../../core/run/policy-rules.js';
import { MIDDLE, parseAmount } from '../../policy-file/expression.js';
import { compactionHistory } from '../auto-compact/history.js';
import { quietReport } from '../support/compaction-report.js';
import { askFor, type Compaction, putInPlace, type Underway } from './compact.js';
import { testLimit } from './conditions.js';
import { Guards, thrashParams, thrashStop } from './guards.js';
import type { PolicyState, RuleState } from './rule-state.js';
import { type Split, splitHistory } from './split-history.js';

/** A request for one word over a conversation: it is there for the cache alone. */
function shortRequest(
  messages: readonly Message[],
  now: number,
  said: readonly Block[],
  how: Pick<AskRequest, 'write' | 'mode'>,
): AskRequest {
  return {
    purpose: 'keep_alive',
    shape: { kind: 'fork' },
    messages,
    instruction: createMessage({
      id: `ping-${now}`,
      role: 'user',
      origin: 'directive',
      blocks: said,
      at: now,
    }),
    ...how,
    maxOutputTokens: 1,
    retries: 0,
    answer: { kind: 'short', tokens: 1 },
  };
}

/** A ping that touches the entry and leaves nothing behind. */
export function pingRequest(messages: readonly Message[], now: number): AskRequest {
  const said = [createBlock({ kind: 'text', role: 'user', tokens: 4, text: 'Say "ok".' })];
  return shortRequest(messages, now, said, { write: 'read-only', mode: 'background' });
}

/** The conversation itself up to the latest word of the user, so that its entry is there for the next request. */
function warmingRequest(messages: readonly Message[], now: number): AskRequest {
  const end = messages.findLastIndex(({ role }) => role === 'user') + 1;
  return shortRequest(messages.slice(0, end), now, [], { write: 'write', mode: 'blocking' });
}

/** Carries out a rule whatever its conditions say. */
type CarryOut = (
  own: RuleState,
  moment: HookContext,
  view: ContextView,
  reason: string,
) => Generator<Action, boolean, Outcome>;

/** Histories replaced by rules: held back by guards, put in place at once or later, with a way out when no summary comes. */
export class Compactions {
  private readonly guards: Guards;
  private readonly thrash: ParamValues;
  private underway: Underway<RulePart> | null = null;
  /** A summary that nobody waits for any more, until that is reported. */
  private dropped: { readonly underway: Underway<RulePart>; readonly reason: string } | null = null;
  private refused = { turn: -1, tokens: 0 };

  constructor(
    private readonly state: PolicyState,
    private readonly carryOut: CarryOut,
  ) {
    this.guards = new Guards(state.policy.guards, compactionHistory(state.context.shared));
    this.thrash = thrashParams(state.context.params, state.policy.guards.refills);
  }

  /** Goes on from where the compactions of another copy of the thread stand, which has none under way. */
  restoreFrom(other: Compactions): void {
    this.guards.restoreFrom(other.guards);
    this.refused = other.refused;
  }

  /** Whether a summary is being written beside the work, or was dropped and is not reported yet. */
  get isPending(): boolean {
    return this.underway !== null || this.dropped !== null;
  }

  /** What was asked for is of no use any more: the history is another one, or nothing follows. */
  drop(reason: string): void {
    if (this.underway !== null) this.dropped = { underway: this.underway, reason };
    this.underway = null;
  }

  /** Reports a summary that was paid for and never used. */
  *reportDropped(view: ContextView): Generator<Action, void, Outcome> {
    if (this.dropped === null) return;
    const { underway, reason } = this.dropped;
    this.dropped = null;
    yield unusedReport(underway, view, { outcome: 'declined', reason, failure: null });
  }

  /** A new process took the session up. */
  restart(): void {
    this.guards.restart();
  }

  /** Replaces the history by a rule; guards may forbid it (BRK-1), and what failed falls back on what the rule says. */
  *compact(
    rule: RulePart,
    moment: HookContext,
    view: ContextView,
    reason: string,
  ): Generator<Action, boolean, Outcome> {
    const { guards } = this;
    const { context } = this.state;
    const isAutomatic = moment.point !== 'manual';
    const history = compactionHistory(context.shared);
    if (isAutomatic && rule.ask !== null) {
      if (guards.isOpen(rule.name, moment)) {
        yield guards.skipped(rule.name);
        return false;
      }
      if (guards.isResting(moment)) return false;
    }
    const { floor } = this.state.policy.guards;
    if (floor !== null && this.seenBy(rule, view) < parseAmount(floor)(this.state.sizes, MIDDLE))
      return false;
    if (isAutomatic && history.isThrashing(moment.turn, this.thrash)) {
      yield thrashStop('rules');
      return false;
    }
    const compaction: Compaction<RulePart> = {
      layer: 'rules',
      rule,
      trigger:
        moment.point === 'manual' ? askedBy(moment.manual).trigger : (TRIGGERS[moment.point] ?? 'auto'),
      reason,
      tracking: history.track(moment, this.seenBy(rule, view), this.thresholdOf(rule, moment), this.thrash),
    };
    yield* this.warmBefore(rule, moment, view);
    if (rule.ask?.run.kind === 'background') return yield* this.startBackground(compaction, moment, view);
    const asked = yield* this.ask(compaction, moment, view);
    return yield* this.finish(compaction, asked, moment, view);
  }

  /** Splits the conversation as the rule says and asks for the summary of what goes. */
  private ask(
    compaction: Compaction<RulePart>,
    moment: HookContext,
    view: ContextView,
  ): ReturnType<typeof askFor<RulePart>> {
    const { select, ask } = compaction.rule;
    const split = splitHistory(view.messages, select, this.state.sizes, ask === null ? 'drops' : 'asks');
    return askFor(compaction, split, moment, view, this.state);
  }

  /** Writes the entry that a summary request is about to read, where it is gone. */
  private *warmBefore(
    { ask }: RulePart,
    { now }: HookContext,
    view: ContextView,
  ): Generator<Action, void, Outcome> {
    if (this.state.policy.cache.warmBefore !== 'ask' || ask === null || view.cacheIsWarm) return;
    const [shape] = ask.shapes;
    if (ask.model !== null || shape === 'own' || shape === 'text' || this.underway !== null) return;
    const by = { layer: 'rules', reason: 'the cache entry is written before the summary request' } as const;
    yield { kind: 'ask', by, request: warmingRequest(view.messages, now) };
  }

  private *finish(
    compaction: Compaction<RulePart>,
    asked: Underway<RulePart> | { readonly failedAfter: number },
    moment: HookContext,
    view: ContextView,
  ): Generator<Action, boolean, Outcome> {
    const { rule } = compaction;
    const end =
      'failedAfter' in asked
        ? ({ outcome: 'failed', requests: asked.failedAfter } as const)
        : yield* putInPlace(asked, moment, view, this.state);
    if (rule.ask !== null) this.guards.spent(moment, end.requests);
    if (end.outcome === 'done') {
      this.state.restartGrowth();
      if (rule.ask === null) compactionHistory(this.state.context.shared).replaced(moment.turn);
      else yield* this.guards.succeeded(rule.name, moment);
      return true;
    }
    if (rule.ask === null) return false;
    // Guards count what was asked for in vain, not that there was nothing to ask about.
    if (moment.point !== 'manual' && end.requests > 0) yield* this.guards.failed(rule.name, moment);
    // Nothing was asked for: there is nothing to fall back from.
    if (end.requests === 0 && rule.fail.else.kind === 'stop') return false;
    return yield* this.fallBack(compaction, moment, view);
  }

  /** Whether the API refused the same again in a turn: what made nothing smaller is not tried once more. */
  isStuck({ turn }: HookContext, { trueTokens }: ContextView): boolean {
    const isSame = this.refused.turn === turn && trueTokens >= this.refused.tokens;
    this.refused = { turn, tokens: trueTokens };
    return isSame;
  }

  /** What a rule does when no summary came. */
  private *fallBack(
    { rule, reason }: Compaction<RulePart>,
    moment: HookContext,
    view: ContextView,
  ): Generator<Action, boolean, Outcome> {
    const next = rule.fail.else;
    if (next.kind === 'truncate') {
      return yield* this.compact(
        truncation(rule, next.keep),
        moment,
        view,
        `${rule.name} brought no summary`,
      );
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
    compaction: Compaction<RulePart>,
    moment: HookContext,
    view: ContextView,
  ): Generator<Action, boolean, Outcome> {
    if (this.underway !== null) return false;
    const asked = yield* this.ask(compaction, moment, view);
    if ('failedAfter' in asked) return yield* this.finish(compaction, asked, moment, view);
    this.underway = asked;
    return false;
  }

  /** Puts a summary in place that was asked for earlier, once it is there and still fits. */
  *arrive(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const { underway } = this;
    if (underway === null) return;
    const { rule } = underway.compaction;
    const run = rule.ask!.run;
    if (run.kind !== 'background' || moment.now < underway.result.answer.endMs) return;
    if (run.applyAt !== null && !this.isReached(run.applyAt, this.seenBy(rule, view))) return;
    this.underway = null;
    const split = rebased(underway, view.messages, run.stale);
    if (split === null) {
      this.guards.spent(moment, underway.result.requests);
      yield unusedReport(underway, view, {
        outcome: 'failed',
        reason: 'the conversation changed while the summary was written',
        failure: 'stale',
      });
      if (underway.compaction.trigger !== 'manual') yield* this.guards.failed(rule.name, moment);
      return;
    }
    yield* this.finish(underway.compaction, { ...underway, split }, moment, view);
  }

  /** Tokens of the context as a rule measures them. */
  private seenBy(rule: RulePart, view: ContextView): number {
    const own = this.state.rules.find((state) => state.rule === rule);
    return own === undefined ? view.seenTokens : own.seen(view);
  }

  private isReached({ op, amount }: Comparison, seen: number): boolean {
    const bound = parseAmount(amount)(this.state.sizes, MIDDLE);
    return op === '>' ? seen > bound : seen >= bound;
  }

  /** What a rule fired at, for the report; null if size did not decide. */
  private thresholdOf({ when }: RulePart, { point }: HookContext): Limit | null {
    if (point === 'refused') return null;
    const rule = this.state.policy.rules.findIndex((other) => other.when === when);
    for (const [group, { at, tests }] of when.entries()) {
      const test = tests.findIndex(({ kind }) => kind === 'tokens');
      const tokens = tests[test];
      const isAsked = at.some((one) => one === point || (one === 'prompt' && point === 'before-request'));
      if (tokens?.kind === 'tokens' && (isAsked || point === 'manual'))
        return testLimit({ rule, group, test }, tokens.is.op, this.state);
    }
    return null;
  }
}

/** What fired a rule, where its point tells. */
const TRIGGERS: Partial<Record<Hook, Compaction['trigger']>> = {
  refused: 'reactive',
  wake: 'idle',
};

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

/** The split of a summary that was asked for earlier, in the conversation as it is now; null when it no longer fits. */
function rebased(
  { split }: Underway,
  messages: readonly Message[],
  stale: 'prefix-unchanged' | 'ids-present',
): Split | null {
  const said = messages.filter(({ origin }) => origin !== 'boundary');
  const known = new Map(said.map((message) => [message.id, message]));
  const about = [...split.first, ...split.older];
  const fits =
    stale === 'ids-present'
      ? about.every(({ id }) => known.has(id))
      : about.every((message) => isSaidAlike(message, known.get(message.id)));
  if (!fits) return null;
  const gone = new Set(about.map(({ id }) => id));
  return { ...split, tail: said.filter(({ id }) => !gone.has(id)) };
}

/** Whether a message is the one it was: the server drops earlier thinking by itself, and the client's record keeps it. */
function isSaidAlike(before: Message, now: Message | undefined): boolean {
  if (now === before) return true;
  if (now === undefined) return false;
  const said = before.blocks.filter(({ kind }) => kind !== 'thinking');
  const still = now.blocks.filter(({ kind }) => kind !== 'thinking');
  return said.length === still.length && said.every((block, i) => block === still[i]);
}

/** Says that a summary was asked for and paid for, and why it is not used. */
function unusedReport(
  { compaction, result }: Underway<RulePart>,
  view: ContextView,
  why: Pick<LayerReport, 'outcome' | 'reason' | 'failure'>,
): Action {
  const { rule, trigger, tracking } = compaction;
  const details = { rule: rule.name, ...tracking, requests: result.requests };
  return quietReport('rules', view, { action: 'compact', trigger, ...why, details });
}
