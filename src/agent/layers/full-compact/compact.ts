import { chainDigest, digestText } from '../../../core/base/digest.js';
import { createBlock } from '../../../core/model/block.js';
import { formatSummary, formattedChars } from '../../../core/model/format-summary.js';
import { createMessage, type Message } from '../../../core/model/message.js';
import { lazyText } from '../../../core/model/text.js';
import type { Action, Answer, LayerReport, Outcome } from '../../../core/run/action.js';
import type { ParamValues } from '../../../core/run/params.js';
import type { Layer } from '../../../core/run/run-log.js';
import type { ContextView, Moment, TierContext } from '../../../core/run/tier.js';
import { awaitHooks, hookBlocks, hookMessages, hookRuns, hookTokens, tellHooks } from '../hooks/hook-runs.js';
import { restore } from '../restore/restore.js';
import { workState } from '../restore/work-state.js';
import { contextBefore, reportCompaction } from '../support/compaction-report.js';
import { param } from '../support/param-reader.js';
import { sinceBoundary } from './prepare.js';
import { summaryInstruction } from './prompt.js';
import { groupByRound } from './rounds.js';
import { askForSummary, type FailureName } from './summarise.js';

/** What a full compaction is asked for. */
export interface CompactionOrder {
  readonly layer: Layer;
  readonly trigger: LayerReport['trigger'];
  readonly reason: string;
  /** Details of the trigger that go into the report (BRK-4). */
  readonly tracking: Readonly<Record<string, unknown>>;
}

/** Opening of a summary message, and what is added for automatic compaction (FUL-3). */
const OPENING =
  'This session goes on from an earlier conversation that no longer fits the context. What happened in it:\n\n';
const GO_ON =
  '\n\nGo on with the work where it stopped. Do not ask whether to go on and do not repeat this summary.';
const GO_ON_AUTONOMOUSLY =
  '\n\nGo on with the work loop where it stopped; nobody is there to answer questions.';

/** True tokens of the frame around a summary. */
const FRAME_TOKENS = 45;

/** Part of the conversation that is summarised, and what stays in front of and behind the summary. */
interface Split {
  readonly before: readonly Message[];
  readonly summarised: readonly Message[];
  /** What a request that shares the main prefix sends. */
  readonly sent: readonly Message[];
  readonly kept: readonly Message[];
  readonly style: 'full' | 'partial-up-to';
}

/**
 * Full compaction, top to bottom (FUL-1): refuse empty input, split, ask for the summary, restore, put boundary, summary, kept
 * messages and attachments in the place of the history, clean up. A failure leaves everything as it was.
 */
export function* compactFully(
  moment: Moment,
  view: ContextView,
  context: TierContext,
  order: CompactionOrder,
): Generator<Action, boolean, Outcome> {
  const { params } = context;
  const before = { seenBefore: view.seenTokens, trueBefore: view.trueTokens };
  const split = splitHistory(moment, view, context);
  if (split.summarised.length === 0) {
    yield failure(order, before, 'nothing-to-compact', 'there is nothing to summarise yet', 0);
    return false;
  }
  const id = `compaction-${moment.turn}-${moment.now}`;
  const atStart = hookRuns(context, moment, 'PreCompact', order.trigger);
  yield* awaitHooks(atStart);
  yield* tellHooks(atStart, view, order.trigger);
  const forked = param.text(params, 'compact.summariser') === 'fork';
  const result = yield* askForSummary({
    params,
    messages: forked ? split.sent : split.summarised,
    ...(forked && split.before.length > 0 ? { about: split.summarised } : {}),
    instruction: summaryInstruction(
      `${id}-instruction`,
      moment.now,
      split.style,
      moment.manual?.instructions ?? '',
      hookBlocks(atStart),
    ),
    style: split.style,
    now: moment.now,
  });
  if (!result.ok) {
    yield failure(order, before, result.failure, result.message, result.requests);
    return false;
  }
  const compacted = contextBefore(view);
  const summarised = coveredBy(split, result.summarised);
  const kept = [...cutTail(params, split, result.summarised), ...split.kept];
  const restored = restore(
    context,
    { before: split.before, after: kept },
    { at: moment.now, id: `${id}-restored` },
  );
  const anew = hookRuns(context, moment, 'SessionStart', order.trigger);
  const atEnd = hookRuns(context, moment, 'PostCompact', order.trigger);
  const printed = [...anew, ...atEnd];
  yield* awaitHooks(anew);
  const summary = summaryMessage(id, moment, context, order, result.answer, split);
  const boundary = createMessage({
    id: `${id}-boundary`,
    role: 'user',
    origin: 'boundary',
    blocks: [],
    at: moment.now,
  });
  yield {
    kind: 'replace-history',
    by: { layer: order.layer, reason: order.reason },
    messages: [
      boundary,
      ...split.before,
      summary,
      ...kept,
      ...restored.messages,
      ...hookMessages(printed, `${id}-hook`, moment.now),
    ],
  };
  yield* awaitHooks(atEnd);
  yield { kind: 'cleanup', by: { layer: order.layer, reason: 'state of the old history is stale' } };
  yield* reportCompaction(
    {
      layer: order.layer,
      action: 'compact',
      trigger: order.trigger,
      reason: order.reason,
      before: compacted,
      tracking: order.tracking,
      history: {
        summarised,
        before: split.before,
        after: kept,
        summaryId: summary.id,
      },
      restored,
      discoveredTools: workState(context).discoveredTools,
      details: {
        requests: result.requests,
        shape: result.shape,
        call: result.answer.usage,
        summaryTokens: result.answer.tokens,
        ...(printed.length === 0 ? {} : { restoredHookTokens: hookTokens(printed) }),
        partial: moment.manual?.partial?.direction ?? null,
      },
    },
    context,
    view,
  );
  yield* tellHooks(printed, view, order.trigger);
  return true;
}

/** What the summary is about, of what was sent: retries leave some out, a shared prefix brings more (FUL-9). */
function coveredBy(split: Split, sent: readonly Message[]): readonly Message[] {
  // A copy: the conversation goes on changing.
  if (sent === split.sent || sent === split.summarised) return split.summarised.slice();
  const ids = new Set(sent.map(({ id }) => id));
  return split.summarised.filter(({ id }) => ids.has(id));
}

/** Newest rounds that a request cut at its tail did not hold: they stay as they are. */
function cutTail(params: ParamValues, split: Split, summarised: readonly Message[]): readonly Message[] {
  if (param.text(params, 'compact.tooLong') !== 'tail') return [];
  const last = summarised.at(-1)?.id;
  return split.summarised.slice(split.summarised.findIndex((message) => message.id === last) + 1);
}

/** Which messages go into the summary: all since the boundary, all but the last rounds, or one side of a pivot (FUL-11). */
function splitHistory(moment: Moment, view: ContextView, context: TierContext): Split {
  const live = sinceBoundary(view.messages);
  const older = view.messages
    .slice(0, view.messages.length - live.length)
    .filter((message) => message.blocks.length > 0);
  const partial = moment.point === 'manual' ? (moment.manual?.partial ?? null) : null;
  if (partial !== null) {
    const groups = groupByRound(live);
    let back = 0;
    let index = groups.length;
    while (index > 0 && back < partial.messagesBack) back += groups[--index]!.length;
    const head = groups.slice(0, index).flat();
    const tail = groups.slice(index).flat();
    return partial.direction === 'from'
      ? { before: [...older, ...head], summarised: tail, sent: view.messages, kept: [], style: 'full' }
      : { before: [], summarised: head, sent: [...older, ...head], kept: tail, style: 'partial-up-to' };
  }
  const keepRounds = param.number(context.params, 'compact.keepLastRounds');
  const groups = groupByRound(live);
  if (keepRounds === 0 || groups.length <= keepRounds + 1)
    return { before: [], summarised: live, sent: [...older, ...live], kept: [], style: 'full' };
  const summarised = groups.slice(0, -keepRounds).flat();
  return {
    before: [],
    summarised,
    sent: [...older, ...summarised],
    kept: groups.slice(-keepRounds).flat(),
    style: 'full',
  };
}

/** A summary in its frame, as it opens the new history (FUL-3). */
export function summaryMessage(
  id: string,
  moment: Moment,
  { params }: Pick<TierContext, 'params'>,
  order: Pick<CompactionOrder, 'trigger'>,
  answer: Answer,
  split: Pick<Split, 'style'>,
): Message {
  const scratchpad = param.text(params, 'compact.scratchpad') === 'keep' ? 'relabel' : 'drop';
  const tokens = answer.tokens + (scratchpad === 'relabel' ? answer.scratchpadTokens : 0) + FRAME_TOKENS;
  const closing =
    order.trigger === 'manual' ? '' : param.isOn(params, 'compact.autonomous') ? GO_ON_AUTONOMOUSLY : GO_ON;
  const chars = OPENING.length + formattedChars(answer, scratchpad) + closing.length;
  const block = createBlock({
    kind: 'text',
    role: 'user',
    tokens,
    chars,
    digest: chainDigest(answer.digest, digestText(`${order.trigger} ${split.style} ${scratchpad}`)),
    text: lazyText(chars, () => OPENING + formatSummary(answer.text.read(), scratchpad) + closing),
    facts: { replaces: 'summary' },
  });
  return createMessage({
    id: `${id}-summary`,
    role: 'user',
    origin: 'summary',
    blocks: [block],
    at: moment.now,
  });
}

function failure(
  order: CompactionOrder,
  before: { readonly seenBefore: number; readonly trueBefore: number },
  name: FailureName,
  message: string,
  requests: number,
): Action {
  return {
    kind: 'report',
    entry: {
      layer: order.layer,
      action: 'compact',
      trigger: order.trigger,
      outcome: 'failed',
      reason:
        name === 'prompt-too-long'
          ? `${message}; start a new session or remove large files from the context`
          : message,
      failure: name,
      ...before,
      seenAfter: before.seenBefore,
      trueAfter: before.trueBefore,
      saved: 0,
      details: { ...order.tracking, requests },
    },
  };
}
