import { createNameTable } from '../../../core/base/own-value.js';
import type { Message } from '../../../core/model/message.js';
import type { Action, LayerReport } from '../../../core/run/action.js';
import type { ContextView, LayerContext } from '../../../core/run/layer.js';
import type { Limit } from '../../../core/run/limit.js';
import type { Layer } from '../../../core/run/log-entries.js';
import { type Breakdown, breakdown, percentages, type ToolTokens } from '../../../core/tokens/breakdown.js';
import type { Restored } from '../restore/restore.js';
import { autoCompactEnabled, compactLimit } from '../thresholds/thresholds.js';

/** A context that is about to be compacted. */
export interface ContextBefore extends SizeBefore {
  readonly messages: readonly Message[];
}

/** Records a context before a compaction changes it. */
export function contextBefore(view: ContextView): ContextBefore {
  const { estimatedBefore, trueBefore } = sizeBefore(view);
  return { estimatedBefore, trueBefore, messages: view.messages.slice() };
}

/** What a compaction made of the conversation (FUL-9). */
export interface NewHistory {
  readonly summarised: readonly Message[];
  /** Messages that stay in front of the summary and behind it. */
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  /** Null if nothing stands for what was taken out. */
  readonly summaryId: string | null;
}

/** A finished compaction as its layer reports it. */
export interface DoneCompaction extends Pick<LayerReport, 'layer' | 'action' | 'trigger' | 'reason'> {
  readonly before: ContextBefore;
  /** Details of the trigger (BRK-4). */
  readonly tracking: Readonly<Record<string, unknown>>;
  readonly history: NewHistory;
  /** Null for a layer that puts nothing back. */
  readonly restored: Restored | null;
  /** Announced tools whose definitions had been looked up. */
  readonly discoveredTools: readonly string[];
  /** Where it would fire again; absent if the parameters say it. */
  readonly threshold?: Limit | null;
  /** Figures of this kind of compaction alone. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Says what a compaction did: the same figures for every kind, then files that could not be put back (FUL-9, FUL-12, BRK-4). */
export function* reportCompaction(
  done: DoneCompaction,
  context: LayerContext,
  view: ContextView,
): Generator<Action, void, unknown> {
  const { layer, action, trigger, reason, before, restored } = done;
  yield changeReport(view, before, {
    layer,
    action,
    trigger,
    reason,
    saved: before.trueBefore - view.trueTokens,
    details: detailsOf(done, context, view),
  });
  for (const path of restored?.failed ?? []) {
    yield quietReport(layer, view, {
      action: 'restore',
      outcome: 'failed',
      reason: `${path} could not be read again`,
      failure: 'file-unreadable',
      details: { path },
    });
  }
}

/** The figures in their order, which differ from one kind of compaction to the next. */
function detailsOf(
  done: DoneCompaction,
  context: LayerContext,
  view: ContextView,
): Readonly<Record<string, unknown>> {
  const { restored } = done;
  const details = createNameTable<unknown>();
  Object.assign(details, done.tracking, done.details, boundaryOf(done));
  details.recompactsNextTurn = restored === null ? null : recompacts(done, context, view.trueTokens); // FUL-12
  if (restored !== null) Object.assign(details, whatCameBack(restored));
  if (!context.isSumming) addParts(details, done.before.messages);
  return details;
}

/** Where the tokens sat, as the client's own estimate sees it (TOK-7): added up when somebody reads it. */
function addParts(details: Record<string, unknown>, messages: readonly Message[]): void {
  let parts: Breakdown | null = null;
  const found = (): Breakdown => {
    parts ??= breakdown(messages, 'rough');
    return parts;
  };
  Object.defineProperties(details, {
    context: { enumerable: true, get: () => percentages(found()) },
    breakdown: { enumerable: true, get: () => rawParts(found()) },
  });
}

/** What the boundary says: counts are of messages that were said, without the reminder in front and the marks of boundaries. */
function boundaryOf({ history, discoveredTools }: DoneCompaction): object {
  const before = history.before.filter(isSaid);
  const after = history.after.filter(isSaid);
  const last = before.at(-1) ?? history.summarised.findLast(isSaid);
  let messagesSummarised = 0;
  for (const message of history.summarised) if (isSaid(message)) messagesSummarised++;
  return {
    messagesSummarised,
    messagesKept: before.length + after.length,
    lastMessage: last?.id ?? null,
    discoveredTools,
    preserved: segment(before.length > 0 ? before : after, history.summaryId),
  };
}

function isSaid({ origin }: Message): boolean {
  return origin !== 'context' && origin !== 'boundary';
}

/** Where preserved messages stand: first, the summary they hang on, last (FUL-9). */
function segment(messages: readonly Message[], anchor: string | null): object | null {
  const [first] = messages;
  return first === undefined ? null : { head: first.id, anchor, tail: messages.at(-1)!.id };
}

/** Whether what is left is at or above the threshold already. */
function recompacts({ threshold }: DoneCompaction, context: LayerContext, tokens: number): boolean {
  if (threshold !== undefined) return threshold?.isMetBy(tokens) ?? false;
  return autoCompactEnabled(context.params) && compactLimit(context).isMetBy(tokens);
}

function whatCameBack(restored: Restored): object {
  return {
    restoredFiles: restored.files,
    restoredEstimated: restored.estimated,
    restoredReferences: restored.references,
    restoredSkills: restored.skills,
    restoredStanding: restored.standing,
    restoredTokens: restored.tokens,
    restoredFailed: restored.failed.length,
  };
}

/** The breakdown in tokens, by name where it has names (TOK-7). */
function rawParts(parts: Breakdown): Readonly<Record<string, unknown>> {
  return {
    human: parts.human,
    assistant: parts.assistant,
    localCommandOutput: parts.localCommandOutput,
    other: parts.other,
    toolRequests: byTool(parts.toolRequests),
    toolResults: byTool(parts.toolResults),
    attachments: byType(parts.attachments),
    duplicateReads: parts.duplicateReadTokens,
    duplicateReadFiles: parts.duplicateReads.length,
    total: parts.total,
  };
}

function byTool(tools: readonly ToolTokens[]): object {
  const all = createNameTable<number>();
  for (const { tool, tokens } of tools) all[tool] = tokens;
  return all;
}

function byType(attachments: Breakdown['attachments']): object {
  const all = createNameTable<number>();
  for (const { type, count } of attachments) all[type] = count;
  return all;
}

/** How large a conversation was before a layer changed it. */
export interface SizeBefore {
  readonly estimatedBefore: number;
  readonly trueBefore: number;
}

/** What a layer itself has to say of a change. */
export type ChangeSaid = Pick<LayerReport, 'layer' | 'action' | 'trigger' | 'reason' | 'saved' | 'details'>;

/** Records the size of a conversation that is about to change. */
export function sizeBefore({ seenTokens, trueTokens }: ContextView): SizeBefore {
  return { estimatedBefore: seenTokens, trueBefore: trueTokens };
}

// Both write their entries out: spreading what callers hand over costs more than the rest of a report.

/** What a layer says of a change that it has made to the conversation. */
export function changeReport(view: ContextView, before: SizeBefore, said: ChangeSaid): Action {
  const entry: LayerReport = {
    layer: said.layer,
    action: said.action,
    trigger: said.trigger,
    outcome: 'done',
    reason: said.reason,
    failure: null,
    estimatedBefore: before.estimatedBefore,
    estimatedAfter: view.seenTokens,
    trueBefore: before.trueBefore,
    trueAfter: view.trueTokens,
    saved: said.saved,
    details: said.details,
  };
  return { kind: 'report', entry };
}

/** What a layer says of work that leaves the conversation as it is. */
export function quietReport(
  layer: Layer,
  view: Pick<ContextView, 'seenTokens' | 'trueTokens'>,
  said: Pick<LayerReport, 'action' | 'outcome' | 'reason' | 'failure' | 'details'> &
    Partial<Pick<LayerReport, 'trigger'>>,
): Action {
  const { seenTokens, trueTokens } = view;
  const entry: LayerReport = {
    layer,
    action: said.action,
    trigger: said.trigger ?? 'auto',
    outcome: said.outcome,
    reason: said.reason,
    failure: said.failure,
    estimatedBefore: seenTokens,
    estimatedAfter: seenTokens,
    trueBefore: trueTokens,
    trueAfter: trueTokens,
    saved: 0,
    details: said.details,
  };
  return { kind: 'report', entry };
}

/** The same in short, for a layer that reports often. */
export function quietReporter(layer: Layer) {
  return (
    view: ContextView,
    action: string,
    outcome: LayerReport['outcome'],
    reason: string,
    details: LayerReport['details'],
    failure: string | null = null,
  ): Action => quietReport(layer, view, { action, outcome, reason, failure, details });
}
