import type { RecordedCall, Thread, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import { cacheWriteTokens, promptTokens, type Usage } from '../../core/model/usage.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { findModel } from '../../provider/prices/models.js';
import { NO_COST, pricesFor, priceUsage } from '../../provider/prices/price.js';
import { type PriceTimes, priceTimes } from '../../provider/prices/price-days.js';
import { billedUsage, recordedBill } from '../../provider/prices/recorded-bill.js';
import { withUntoldWrites } from '../../provider/providers/providers.js';
import type { Lane, LaneAct, LaneRequest } from './lane.js';

function actOf(event: ThreadEvent): LaneAct | null {
  switch (event.kind) {
    case 'recorded-compaction':
      return {
        layer: 'full-compact',
        action: 'compact',
        outcome: 'done',
        reason: `recorded, ${event.trigger === 'auto' ? 'automatic' : 'by hand'}`,
        seen: event.preTokens,
        saved: null,
      };
    case 'recorded-microcompact':
      return {
        layer: 'microcompact',
        action: 'clear',
        outcome: 'done',
        reason: 'recorded',
        seen: event.preTokens,
        saved: event.tokensSaved,
      };
    default:
      return null;
  }
}

/** What a call was billed, beside which a run is held: with the writes that the rules of its provider bill, where it tells none. */
function usageOf(call: RecordedCall, row: ModelRow | null, writes: 'recorded' | 'assumed'): Usage | null {
  const usage = billedUsage(call);
  return usage === null || row === null || writes === 'recorded' ? usage : withUntoldWrites(row, usage);
}

function requestsOf(
  thread: Thread,
  writes: 'recorded' | 'assumed',
  pricedAt: PriceTimes,
): readonly Omit<LaneRequest, 'n'>[] {
  const found: Omit<LaneRequest, 'n'>[] = [];
  let turn = 0;
  let acts: LaneAct[] = [];
  for (const step of thread.steps) {
    if (step.kind === 'event') {
      const act = actOf(step.event);
      if (act !== null) acts.push(act);
    }
    if (step.kind !== 'call') continue;
    turn++;
    const row = findModel(step.call.model);
    const usage = usageOf(step.call, row, writes);
    if (usage === null) continue;
    const atMs = pricedAt(step.call.startMs);
    found.push({
      thread: thread.id,
      turn,
      purpose: thread.parentId === null ? 'main' : 'subagent',
      t: step.call.startMs,
      model: row?.id ?? step.call.model,
      prompt: promptTokens(usage),
      read: usage.cacheRead,
      written: cacheWriteTokens(usage),
      input: usage.input,
      output: usage.output,
      costNano: (row === null ? NO_COST : priceUsage(row, usage, atMs)).totalNano,
      prices: row === null ? null : pricesFor(row, promptTokens(usage), atMs),
      seen: null,
      limit: null,
      cause: step.call.missReason,
      acts,
    });
    acts = [];
  }
  return found;
}

/** What a recording tells of its own requests, all threads by time. */
export function laneOfRecording(transcript: Transcript): Lane {
  const writes = transcript.carries.includes('cache-writes') ? 'recorded' : 'assumed';
  const pricedAt = priceTimes(transcript);
  const requests = transcript.threads
    .flatMap((thread) => requestsOf(thread, writes, pricedAt))
    .sort((a, b) => a.t - b.t)
    .map((request, i) => ({ ...request, n: i + 1 }));
  // Assumed writes are in the costs of the requests.
  const bill = recordedBill(transcript);
  const assumed =
    writes === 'assumed' && requests.some(({ written }) => written > 0)
      ? ', with writes that it does not tell'
      : '';
  return {
    title: `${transcript.id} as recorded${assumed}`,
    source: 'recorded',
    session: transcript.id,
    plan: null,
    ...(bill === null ? {} : { bill: { ...bill, untoldWritesNano: 0 } }),
    requests,
  };
}
