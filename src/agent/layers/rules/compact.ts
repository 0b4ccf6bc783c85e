import type { Message } from '../../../core/model/message.js';
import type { Action, Outcome } from '../../../core/run/action.js';
import type { ContextView, HookContext } from '../../../core/run/layer.js';
import type { Layer } from '../../../core/run/log-entries.js';
import type { AcceptPart, AskPart } from '../../../core/run/policy-rules.js';
import { compactsLimit } from '../../policy-file/check-rules.js';
import { MIDDLE, parseAmount } from '../../policy-file/expression.js';
import { awaitHooks, type HookRun, hookBlocks, hookRuns, hookTokens, tellHooks } from '../hooks/hook-runs.js';
import { workState } from '../restore/work-state.js';
import {
  contextBefore,
  quietReport,
  reportCompaction,
  type SizeBefore,
  sizeBefore,
} from '../support/compaction-report.js';
import { askForSummary, type SummaryResult } from './ask-summary.js';
import { layOut, type NewHistory } from './new-history.js';
import { type SummaryStyle, summaryInstruction } from './prompt.js';
import type { CompactionPlace, CompactionRule } from './rule-state.js';
import type { Split } from './split-history.js';

/** A compaction: what it goes by and what fired it. */
export interface Compaction<R extends CompactionRule = CompactionRule> {
  readonly layer: Layer;
  readonly rule: R;
  readonly trigger: 'auto' | 'manual' | 'reactive' | 'idle';
  readonly reason: string;
  /** Details of the trigger that go into the report (BRK-4). */
  readonly tracking: Readonly<Record<string, unknown>>;
}

/** How it ended. */
export type CompactionEnd = { readonly outcome: 'done' | 'failed'; readonly requests: number };

/** A summary that is on its way, and what it is about. */
export interface Underway<R extends CompactionRule = CompactionRule> {
  readonly compaction: Compaction<R>;
  readonly id: string;
  readonly split: Split;
  readonly result: Extract<SummaryResult, { ok: true }>;
}

/** Asks for the summary of what goes, where the rule wants one; a failure is reported. */
export function* askFor<R extends CompactionRule>(
  compaction: Compaction<R>,
  split: Split,
  moment: HookContext,
  view: ContextView,
  place: CompactionPlace,
): Generator<Action, Underway<R> | { readonly failedAfter: number }, Outcome> {
  const { rule, trigger } = compaction;
  const { ask, client } = rule;
  const { along = [] } = split;
  const size = sizeBefore(view);
  const id = `compaction-${moment.turn}-${moment.now}`;
  if (split.older.length === 0) {
    const [failure, message] =
      ask === null
        ? (['nothing-to-drop', 'nothing is left that could be dropped'] as const)
        : (['nothing-to-compact', 'there is nothing to summarise yet'] as const);
    yield failureReport(compaction, size, failure, message, 0);
    return { failedAfter: 0 };
  }
  if (ask === null) return { compaction, id, split, result: NO_SUMMARY };
  const hooks = runsAt('PreCompact', compaction, moment, place);
  yield* awaitHooks(hooks);
  yield* tellHooks(hooks, view, trigger);
  const style = styleOf(compaction, moment);
  // A request with the main prefix sends what stays in front too.
  const shares = ask.shapes[0] !== 'own' || client === undefined;
  const result = yield* askForSummary({
    id,
    now: moment.now,
    place,
    rule: rule as R & { readonly ask: AskPart },
    instruction: summaryInstruction(
      `${id}-instruction`,
      moment.now,
      style,
      moment.manual?.instructions ?? '',
      hookBlocks(hooks),
      client?.promptTokens ?? null,
    ),
    style,
    messages: shares ? (along.length === 0 ? split.sent : [...split.sent, ...along]) : split.older,
    after: split.tail,
    ...(client !== undefined && shares && split.first.length > 0 ? { about: split.older } : {}),
  });
  if (result.ok) return { compaction, id, split, result: withoutAlong(result, along) };
  yield failureReport(compaction, size, result.failure, result.message, result.requests);
  return { failedAfter: result.requests };
}

/** What was sent to be summarised: what stays and was sent along is none of it. */
function withoutAlong<T extends { readonly sent: readonly Message[] }>(
  result: T,
  along: readonly Message[],
): T {
  if (along.length === 0) return result;
  const kept = new Set(along.map(({ id }) => id));
  return { ...result, sent: result.sent.filter(({ id }) => !kept.has(id)) };
}

/** A rule that asks for nothing. */
const NO_SUMMARY = { ok: true, answer: null, sent: [], requests: 0, shape: 'own' } as unknown as Extract<
  SummaryResult,
  { ok: true }
>;

/** Hooks of an event that a compaction of Claude Code runs. */
function runsAt(
  event: HookRun['hook']['event'],
  { rule, trigger }: Compaction,
  moment: HookContext,
  { context }: CompactionPlace,
): readonly HookRun[] {
  return rule.client === undefined ? [] : hookRuns(context, moment, event, trigger);
}

function styleOf({ rule }: Compaction, { manual }: HookContext): SummaryStyle {
  return rule.client !== undefined && manual?.partial?.direction === 'up_to' ? 'partial-up-to' : 'full';
}

/** Puts the new history in place, unless the rule rejects it (FUL-8). */
export function* putInPlace(
  { compaction, id, split: asked, result }: Underway,
  moment: HookContext,
  view: ContextView,
  place: CompactionPlace,
): Generator<Action, CompactionEnd, Outcome> {
  const { layer, rule, trigger, reason } = compaction;
  const { context } = place;
  const { answer, requests } = result;
  const before = contextBefore(view);
  const unsent = leftUnsent(rule, asked.older, result.sent);
  const split = unsent.length === 0 ? asked : { ...asked, tail: [...unsent, ...asked.tail] };
  const asks = rule.ask !== null;
  const summarised = asks ? covered(split, result.sent) : split.older;
  const again = runsAt('SessionStart', compaction, moment, place);
  const atEnd = runsAt('PostCompact', compaction, moment, place);
  const hooks = again.length === 0 ? atEnd : [...again, ...atEnd];
  const style = styleOf(compaction, moment);
  const next = layOut({ id, rule, split, style, answer, trigger, hooks }, moment, context);
  const refusal = refusalOf(rule.accept, next, view, place);
  if (refusal !== null) {
    yield failureReport(compaction, before, refusal, 'the new history was rejected', requests);
    return { outcome: 'failed', requests };
  }
  const by = { layer, reason };
  yield* awaitHooks(again);
  yield { kind: 'replace-history', by, messages: next.messages };
  yield* awaitHooks(atEnd);
  yield { kind: 'cleanup', by };
  const isClient = rule.client !== undefined;
  // Name by name: an object of spread parts leaves compiled code.
  const details: Record<string, unknown> = isClient ? {} : { rule: rule.name };
  if (asks) {
    details.requests = requests;
    details.shape = result.shape;
    details.call = answer.usage;
    details.summaryTokens = answer.tokens;
  }
  if (hooks.length > 0) details.restoredHookTokens = hookTokens(hooks);
  if (isClient) details.partial = moment.manual?.partial?.direction ?? null;
  yield* reportCompaction(
    {
      layer,
      action: asks ? 'compact' : 'truncate',
      trigger,
      reason,
      before,
      tracking: compaction.tracking,
      history: {
        summarised,
        before: asks ? split.first : [],
        after: asks ? split.tail : next.messages,
        summaryId: next.summary?.id ?? null,
      },
      restored: next.restored,
      discoveredTools:
        isClient || rule.layout.some(({ kind }) => kind === 'todos')
          ? workState(context).discoveredTools
          : [],
      details,
      ...(isClient ? {} : { threshold: compactsLimit(context.limits, context.model()) }),
    },
    context,
    view,
  );
  yield* tellHooks(hooks, view, trigger);
  return { outcome: 'done', requests };
}

/** Newest rounds that a request cut at its tail did not hold: they stay as they are (FUL-6). */
function leftUnsent(
  { fail }: CompactionRule,
  older: readonly Message[],
  sent: readonly Message[],
): readonly Message[] {
  if (!fail.shrink.some(({ kind }) => kind === 'drop-newest')) return [];
  const last = sent.at(-1)?.id;
  return older.slice(older.findIndex(({ id }) => id === last) + 1);
}

/** What the summary is about, of what was sent: a shortened request leaves some out, a shared prefix brings more (FUL-9). */
function covered({ older, sent: whole }: Split, sent: readonly Message[]): readonly Message[] {
  if (sent === whole || sent === older) return older.slice(); // a copy: the conversation goes on changing
  const ids = new Set(sent.map(({ id }) => id));
  return older.filter(({ id }) => ids.has(id));
}

/** Why a new history is rejected; null when it is not. */
function refusalOf(
  accept: readonly AcceptPart[],
  next: NewHistory,
  view: ContextView,
  { sizes }: CompactionPlace,
): string | null {
  const tokens = view.prefixTokens + next.tokens;
  for (const part of accept) {
    if (part.kind === 'larger' && tokens >= view.trueTokens) return 'larger';
    if (part.kind === 'above' && tokens > parseAmount(part.amount)(sizes, MIDDLE)) return 'too-large';
    if (part.kind === 'below-progress' && view.trueTokens - tokens < part.share * view.trueTokens)
      return 'too-little-saved';
  }
  return null;
}

/** Says that no new history came. */
function failureReport(
  { layer, rule, trigger, tracking }: Compaction,
  { estimatedBefore, trueBefore }: SizeBefore,
  failure: string,
  message: string,
  requests: number,
): Action {
  const isClient = rule.client !== undefined;
  const size = { seenTokens: estimatedBefore, trueTokens: trueBefore };
  return quietReport(layer, size, {
    action: rule.ask === null ? 'truncate' : 'compact',
    trigger,
    outcome: 'failed',
    reason:
      isClient && failure === 'prompt-too-long'
        ? `${message}; start a new session or remove large files from the context`
        : message,
    failure,
    details: {
      ...(isClient ? {} : { rule: rule.name }),
      ...(rule.ask === null ? {} : { ...tracking, requests }),
    },
  });
}
