import { digestParts } from '../../core/base/digest.js';
import type { PrefixView } from '../../core/model/prefix.js';
import type { RecordedCall } from '../../core/model/transcript.js';
import { cacheWriteTokens, promptTokens, type Usage } from '../../core/model/usage.js';
import type { BlockEdit } from '../../core/run/action.js';
import type { CacheOutcome } from '../../provider/cache/prompt-cache.js';
import { isLongTtl } from '../../provider/cache/ttl.js';
import type { AdjustOutcome } from '../../provider/fake-llm/fake-llm.js';
import { priceUsage } from '../../provider/prices/price.js';
import { withUntoldWrites } from '../../provider/providers/providers.js';
import type { Context } from '../context/context.js';
import type { CallCondition } from './conditions.js';
import type { RunningThread } from './running-thread.js';

/**
 * Brings the prompt of a call to the size it has beyond what lines explain. Content that was sent before is left alone once the
 * thread has parted from the recording.
 */
export function resizePrompt(run: RunningThread, call: RecordedCall): void {
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

/** How the answer of the cache to a request of the loop is brought to what was recorded; null where it stands. */
export function readConditionOf(run: RunningThread, call: RecordedCall): AdjustOutcome | null {
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

/** What a request left unmarked behind its last breakpoint cannot be read by the next one. */
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
