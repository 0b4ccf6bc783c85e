import { digestParts } from '../../core/base/digest.js';
import type { Mutable } from '../../core/base/mutable.js';
import type { Message } from '../../core/model/message.js';
import type { Breakpoint, PrefixView } from '../../core/model/prefix.js';
import { outputOf, type RecordedCall } from '../../core/model/transcript.js';
import { cacheWriteTokens, promptTokens, type Usage } from '../../core/model/usage.js';
import type { BlockEdit } from '../../core/run/action.js';
import type { CallPurpose } from '../../core/run/run-plan.js';
import type { CacheOutcome } from '../../provider/cache/prompt-cache.js';
import { thinkingKeptFrom } from '../../provider/cache/thinking.js';
import { isLongTtl } from '../../provider/cache/ttl.js';
import type { AdjustOutcome } from '../../provider/fake-llm/fake-llm.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { priceUsage } from '../../provider/prices/price.js';
import { withUntoldWrites } from '../../provider/providers/providers.js';
import type { Context } from '../context/context.js';
import { checkRequestShape } from '../context/invariants.js';
import { breakpointsFor } from '../context/thread-view.js';
import type { CallCondition } from './conditions.js';
import type { Outgoing } from './run-env.js';
import type { RunningThread } from './running-thread.js';

/** Breakpoints one request may have (CCH-1). */
const MAX_BREAKPOINTS = 4;

/** The warning about requests that nothing in the transcript asks for. */
const UNPROMPTED = 'responses follow nothing that the user sent; a short prompt was put in front of them';

/** Where a thread marks the cache; a fork also marks the end of what its siblings share. */
export function breakpointsOf(
  run: RunningThread,
  view: PrefixView,
  call: RecordedCall | null,
): readonly Breakpoint[] {
  const { client } = run.env;
  const ttlMs = run.model.ttlFor(call);
  const layout = client.breakpoints;
  const placed = breakpointsFor(view, layout, ttlMs, view === run.context ? run.context : null);
  const position = run.sharedEnd;
  if (position === null || layout === 'none' || !client.marksSharedEnd) return placed;
  if (position >= view.length || placed.some((mark) => mark.position === position)) return placed;
  const others = placed.length < MAX_BREAKPOINTS ? placed : placed.filter((_, i) => i !== placed.length - 2);
  return [...others, { position, ttlMs }].sort((a, b) => a.position - b.position);
}

/** The request of a thread's own loop, ready to be sent. */
export function outgoingOf(run: RunningThread, call: RecordedCall): Outgoing {
  const { context, view } = run;
  context.seal(run.now);
  const isPrompted = !context.endWithUser(run.now);
  if (!isPrompted) run.env.warnings.add('unprompted-request', UNPROMPTED);
  noteRepairs(run, isPrompted ? 0 : 1);
  checkRequestShape(context);
  const adjust = readConditionOf(run, call);
  resizePrompt(run, call);
  const purpose = run.steps.isAgain ? 'plan_again' : run.isMain ? 'main' : 'subagent';
  const out = outgoingBeside(run, call, purpose, outputOf(call));
  out.answer = call.response.blocks[0]?.digest ?? null;
  if (run.env.plan.timing === 'recorded') out.recordedLatencyMs = call.endMs - call.startMs;
  out.seen = run.seen.tokens;
  out.kept = context.keptShare(view.deletedTokens);
  out.untouched = view.trueTokens + run.takenOut.total;
  out.risk = run.client.risk;
  out.adjust = adjust;
  if (run.changedTools !== null) out.changedTools = run.changedTools;
  return out;
}

/** Says what had to be mended so that the API would take the request (FLT-4). */
function noteRepairs(run: RunningThread, addedPrompts: number): void {
  const repairs = run.context.takeRepairs();
  if (repairs === null && addedPrompts === 0) return;
  const { orphanResults = 0, missingResults = 0, leadingMarkers = 0 } = repairs ?? {};
  const done = [
    [orphanResults, 'results without a call were left out'],
    [missingResults, 'calls without a result were answered'],
    [leadingMarkers + addedPrompts, 'short prompts were put in where nothing asks for a response'],
  ] as const;
  const message = done.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join('; ');
  run.note('repaired', message, { orphanResults, missingResults, leadingMarkers, addedPrompts });
}

/** Whose thinking stays: that of the latest turn, or none after a prompt of the client itself. */
type KeptThinking = 'latest-turn' | 'none';

/** Edits that drop the thinking of earlier turns, from a message on, and the first message that keeps its own (api.md 1.7). */
function thinkingEdits(
  row: ModelRow,
  messages: readonly Message[],
  from: number,
  kept: KeptThinking = 'latest-turn',
): { readonly edits: readonly BlockEdit[]; readonly keptFrom: number } {
  const keptFrom = kept === 'none' ? messages.length : thinkingKeptFrom(row, messages);
  const edits: BlockEdit[] = [];
  for (let i = from; i < keptFrom; i++) {
    const message = messages[i];
    if (message?.role !== 'assistant') continue;
    message.blocks.forEach((block, blockIndex) => {
      if (block.kind === 'thinking') edits.push({ messageId: message.id, blockIndex, block: null });
    });
  }
  return { edits, keptFrom };
}

/** Models that keep thinking for one turn only drop it when the user speaks again, unless the client keeps all of it (K5). */
export function stripThinking(run: RunningThread, kept: KeptThinking): void {
  const { row } = run.model;
  if (row.thinking === 'keep-all' || !run.env.client.dropsThinking) return;
  const { edits, keptFrom } = thinkingEdits(row, run.context.messages, run.thinkingStrippedTo, kept);
  run.thinkingStrippedTo = keptFrom;
  if (edits.length === 0) return;
  run.context.rewrite(edits);
  run.announced ??= 'thinking';
}

/**
 * The request for a suggestion that clients send when a turn ends and that no transcript shows: it reads the prompt and leaves
 * it in the cache with the response. It speaks for the user, so models that keep one turn's thinking drop it here (K5). What it
 * asks and what comes back are a few tokens, which are not counted.
 */
export function suggest(run: RunningThread, call: RecordedCall): void {
  stripThinking(run, 'none');
  renew(run, call, 'suggestion');
}

/** A request that no transcript shows and that asks and answers little: what it finds lives on, and the latest response with it (K17). */
export function renew(run: RunningThread, call: RecordedCall, purpose: 'suggestion' | 'keep_alive'): void {
  const out = outgoingBeside(run, call, purpose, 0);
  if (run.exchange.send(out, 'own').ok) run.noteSent(out, call);
}

/** A request that fetches content again, and what comes of it; where it is refused, the next request shows why. */
export function fetchAgain(
  run: RunningThread,
  call: RecordedCall,
  exchange: readonly Message[],
  outputTokens: number,
): void {
  const out = outgoingBeside(run, call, 'refetch', outputTokens);
  const reply = run.exchange.send(out, 'own');
  run.pass(reply.latencyMs);
  if (!reply.ok) return;
  run.noteSent(out, call);
  run.join(exchange, 'made');
}

/** A request of the thread's own conversation, as one that no transcript shows. */
function outgoingBeside(
  run: RunningThread,
  call: RecordedCall,
  purpose: CallPurpose,
  outputTokens: number,
): Mutable<Outgoing> {
  const { context, model } = run;
  return {
    purpose,
    turn: run.turn,
    model: model.row,
    salts: model.saltsFor(context.hasImages() ? 'images' : 'no-images', run.client.key),
    view: context,
    breakpoints: breakpointsOf(run, context, call),
    startMs: run.now,
    write: 'write',
    windowTokens: run.course === 'recorded' ? null : model.apiWindow(),
    outputTokens,
    recordedLatencyMs: null,
    outsideTokens: run.client.outsideTokens(context, model.row),
    seen: null,
    kept: null,
    untouched: null,
    freshTokens: context.freshTokens,
    firstChanged: context.unchanged < run.sentLength ? context.unchanged : null,
    announced: run.announced,
    deleted: run.view.deletedTokens === 0 ? null : run.view.deletions,
    risk: 0,
    adjust: null,
  };
}

/**
 * Brings the prompt of a call to the size it has beyond what lines explain. Content that was sent before is left alone once the
 * thread has parted from the recording.
 */
function resizePrompt(run: RunningThread, call: RecordedCall): void {
  const { conditions } = run.env.whatIf ?? {};
  if (conditions === undefined || run.steps.isAgain || call.usage === null || run.sizedFor === call) return;
  run.sizedFor = call;
  const { context } = run;
  if (conditions.state === 'finding' && run.ownLeft !== null)
    conditions.addCompaction(promptTokens(call.usage) - run.ownLeft);
  run.ownLeft = null;
  const extra =
    conditions.state === 'finding'
      ? promptTokens(call.usage) - context.trueTokens
      : (conditions.of(run.thread.id, call)?.extra ?? 0);
  const isAsRecorded = run.course === 'recorded' || (run.course === 'same' && run.announced === 'compaction');
  // More than what is new left the recorded prompt: its own policy cleared it, and this one decides for itself.
  if (!isAsRecorded && -extra > context.freshTokens) {
    run.part();
    return;
  }
  const from = run.course === 'parted' ? Math.max(context.systemEnd, context.unchanged) : context.systemEnd;
  const edits = extra === 0 ? [] : resized(context, extra, from);
  if (edits.length > 0) context.rewrite(edits);
}

/** Edits that add tokens to the last block, or take them from the last blocks. */
function resized(context: Context, extra: number, from: number): readonly BlockEdit[] {
  const edits: BlockEdit[] = [];
  let left = extra;
  for (let i = context.length - 1; i >= from && left !== 0; i--) {
    const block = context.blocks[i]!;
    const tokens = Math.max(0, block.tokens + left);
    left -= tokens - block.tokens;
    if (tokens === block.tokens) continue;
    const owner = context.owners[i]!;
    const blockIndex = i - context.endOfMessages(owner);
    const digest = digestParts([block.digest, 'resized', tokens]);
    edits.push({
      messageId: context.messages[owner]!.id,
      blockIndex,
      block: { ...block, tokens, digest },
    });
  }
  return edits;
}

/** How the cache's answer to a request of the loop is adjusted to the recording; null if it is not. */
function readConditionOf(run: RunningThread, call: RecordedCall): AdjustOutcome | null {
  const { whatIf, plan } = run.env;
  if (whatIf === null || whatIf.reads === 'own' || run.steps.isAgain || call.usage === null) return null;
  const { conditions } = whatIf;
  const { usage } = call;
  const billed = conditions.tellsWrites ? usage : withUntoldWrites(run.model.row, usage);
  const isRecordedTtl = (run.isMain ? plan.cache.ttl : plan.cache.subagentTtl) === 'recorded';
  const { context } = run;
  const extra = promptTokens(usage) - context.trueTokens;
  const { tail } = run;
  return (answer) => {
    const outcome = withoutTail(answer, tail);
    if (conditions.state === 'finding') {
      conditions.recordedNano += priceUsage(
        run.model.row,
        { ...billed, output: 0 },
        run.env.pricedAt(call.startMs),
      ).totalNano;
      conditions.add(run.thread.id, call, conditionOf(outcome, billed, context, extra));
    }
    const condition = conditions.of(run.thread.id, call);
    if (condition === null) return answer;
    const found = conditioned(outcome, condition, {
      limit: run.course === 'parted' ? outcome.promptTokens - context.freshTokens : condition.read,
      long:
        isRecordedTtl && condition.long !== null ? condition.long : isLongTtl(run.model.ttlFor(call)) ? 1 : 0,
    });
    run.tail = { prompt: found.promptTokens, plain: found.inputTokens };
    return found;
  };
}

/** What a request left unmarked after its last breakpoint cannot be read by the next one. */
function withoutTail(outcome: CacheOutcome, tail: RunningThread['tail']): CacheOutcome {
  if (tail === null || outcome.readTokens !== tail.prompt) return outcome;
  return { ...outcome, readTokens: outcome.readTokens - tail.plain };
}

/** What the recording shows about a request beside what the replay made of it. */
function conditionOf(
  outcome: CacheOutcome,
  usage: Usage,
  { systemEnd, sums }: PrefixView,
  extra: number,
): CallCondition {
  const { readTokens } = outcome;
  const { cacheRead: read, input } = usage;
  const system = systemEnd === 0 ? 0 : sums[systemEnd - 1]!;
  const floor = Math.min(read, readTokens, system);
  const written = cacheWriteTokens(usage);
  return {
    extra,
    read,
    warm: Math.max(0, read - readTokens),
    floor,
    kept: read >= readTokens || readTokens === floor ? 1 : (read - floor) / (readTokens - floor),
    plain: input,
    long: written === 0 ? null : usage.cacheWrite1h / written,
  };
}

/** The outcome of a request with the break, the warmth and the plain input that were recorded. */
function conditioned(
  outcome: CacheOutcome,
  { warm, floor, kept, plain }: CallCondition,
  { limit, long }: { readonly limit: number; readonly long: number },
): CacheOutcome {
  const { readTokens, promptTokens: prompt } = outcome;
  const left = readTokens <= floor ? readTokens : floor + Math.round((readTokens - floor) * kept);
  const read = Math.min(prompt, Math.max(left, Math.min(left + warm, limit)));
  const inputTokens = Math.min(plain, prompt - read);
  const written = prompt - read - inputTokens;
  const write1hTokens = Math.round(written * long);
  return { ...outcome, readTokens: read, inputTokens, write1hTokens, write5mTokens: written - write1hTokens };
}
