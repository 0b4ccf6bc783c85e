import type { Message } from '../../../core/model/message.js';
import type { Action, LayerReport, Outcome } from '../../../core/run/action.js';
import type { AcceptPart, RulePart } from '../../../core/run/parts.js';
import type { ContextView, Moment } from '../../../core/run/tier.js';
import { MIDDLE, parseAmount } from '../../policy-file/expression.js';
import { compactsLimit } from '../../policy-file/triggers.js';
import { workState } from '../restore/work-state.js';
import { contextBefore, reportCompaction } from '../support/compaction-report.js';
import { askForSummary, type SummaryResult } from './ask-summary.js';
import { layOut, type NewHistory } from './new-history.js';
import type { PolicyState } from './rule-state.js';
import { type Split, splitHistory } from './split-history.js';

/** A compaction by a rule: what fired it. */
export interface Compaction {
  readonly rule: RulePart;
  readonly trigger: 'auto' | 'manual' | 'reactive';
  readonly reason: string;
  readonly tracking: Readonly<Record<string, unknown>>;
}

/** How it ended. */
export type CompactionEnd =
  | { readonly outcome: 'done'; readonly requests: number }
  | { readonly outcome: 'failed'; readonly requests: number };

/** A summary that is on its way, and what it is about. */
export interface Underway {
  readonly compaction: Compaction;
  readonly id: string;
  readonly split: Split;
  readonly result: Extract<SummaryResult, { ok: true }>;
}

/** Splits the conversation and asks for its summary, where the rule wants one; a failure is reported. */
export function* askFor(
  compaction: Compaction,
  moment: Moment,
  view: ContextView,
  state: PolicyState,
): Generator<Action, Underway | { readonly failedAfter: number }, Outcome> {
  const { rule } = compaction;
  const { context, sizes } = state;
  const split = splitHistory(view.messages, rule.select, sizes, rule.ask === null ? 'drops' : 'asks');
  const size = { seenBefore: view.seenTokens, trueBefore: view.trueTokens };
  const id = `compaction-${moment.turn}-${moment.now}`;
  if (split.older.length === 0) {
    const failure = rule.ask === null ? 'nothing-to-drop' : 'nothing-to-compact';
    const message =
      rule.ask === null ? 'nothing is left that could be dropped' : 'there is nothing to summarise yet';
    yield failureReport(compaction, size, failure, message, 0);
    return { failedAfter: 0 };
  }
  if (rule.ask === null) return { compaction, id, split, result: NO_SUMMARY };
  const result = yield* askForSummary({
    id,
    moment,
    context,
    sizes,
    ask: rule.ask,
    accept: rule.accept,
    fail: rule.fail,
    about: split.sent,
    after: split.tail,
  });
  if (!result.ok) {
    yield failureReport(compaction, size, result.failure, result.message, result.requests);
    return { failedAfter: result.requests };
  }
  return { compaction, id, split, result };
}

/** A rule that asks for nothing. */
const NO_SUMMARY = { ok: true, answer: null, sent: [], requests: 0, shape: 'own' } as unknown as Extract<
  SummaryResult,
  { ok: true }
>;

/** Puts the new history in place, unless the rule rejects it. */
export function* putInPlace(
  { compaction, id, split, result }: Underway,
  moment: Moment,
  view: ContextView,
  state: PolicyState,
): Generator<Action, CompactionEnd, Outcome> {
  const { rule, trigger, reason } = compaction;
  const { context } = state;
  const before = contextBefore(view);
  const next = layOut({ id, rule, split, answer: result.answer, trigger }, moment, context);
  const refusal = refusalOf(rule.accept, next, view, state);
  if (refusal !== null) {
    yield failureReport(compaction, before, refusal, 'the new history was rejected', result.requests);
    return { outcome: 'failed', requests: result.requests };
  }
  const by = { layer: 'rules', reason } as const;
  yield { kind: 'replace-history', by, messages: next.messages };
  yield { kind: 'cleanup', by };
  const asks = rule.ask !== null;
  yield* reportCompaction(
    {
      layer: 'rules',
      action: asks ? 'compact' : 'truncate',
      trigger,
      reason,
      before,
      tracking: compaction.tracking,
      history: {
        summarised: asks ? covered(split.older, result.sent) : split.older,
        before: asks ? split.first : [],
        after: asks ? split.tail : next.messages,
        summaryId: next.summary?.id ?? null,
      },
      threshold: compactsLimit(context.limits, context.model()),
      restored: next.restored,
      discoveredTools: rule.layout.some(({ kind }) => kind === 'todos')
        ? workState(context).discoveredTools
        : [],
      details: {
        rule: rule.name,
        ...(asks
          ? {
              requests: result.requests,
              shape: result.shape,
              call: result.answer.usage,
              summaryTokens: result.answer.tokens,
            }
          : {}),
      },
    },
    context,
    view,
  );
  return { outcome: 'done', requests: result.requests };
}

/** What the summary is about, of what was sent: a shortened request leaves some out. */
function covered(older: readonly Message[], sent: readonly Message[]): readonly Message[] {
  const ids = new Set(sent.map(({ id }) => id));
  return older.filter(({ id }) => ids.has(id));
}

/** Why a new history is rejected; null when it is not. */
function refusalOf(
  accept: readonly AcceptPart[],
  next: NewHistory,
  view: ContextView,
  state: PolicyState,
): string | null {
  const tokens = view.prefixTokens + next.tokens;
  for (const part of accept) {
    if (part.kind === 'larger' && tokens >= view.trueTokens) return 'larger';
    if (part.kind === 'above' && tokens > parseAmount(part.amount)(state.sizes, MIDDLE)) return 'too-large';
    if (part.kind === 'below-progress' && view.trueTokens - tokens < part.share * view.trueTokens)
      return 'too-little-saved';
  }
  return null;
}

/** Says that no new history came. */
function failureReport(
  { rule, trigger, tracking }: Compaction,
  { seenBefore, trueBefore }: { readonly seenBefore: number; readonly trueBefore: number },
  failure: string,
  reason: string,
  requests: number,
): Action {
  const entry: LayerReport = {
    layer: 'rules',
    action: rule.ask === null ? 'truncate' : 'compact',
    trigger,
    outcome: 'failed',
    reason,
    failure,
    seenBefore,
    seenAfter: seenBefore,
    trueBefore,
    trueAfter: trueBefore,
    saved: 0,
    details: { rule: rule.name, ...(rule.ask === null ? {} : { ...tracking, requests }) },
  };
  return { kind: 'report', entry };
}
