import { outputOf } from '../../core/model/output-of.js';
import type { Breakpoint, PrefixView } from '../../core/model/prefix.js';
import type { RecordedCall } from '../../core/model/transcript.js';
import { breakpointsFor } from '../context/breakpoints-for.js';
import { checkRequestShape } from '../context/invariants.js';
import type { Outgoing } from './outgoing.js';
import type { RequestingThread } from './requesting-thread.js';

/** Breakpoints one request may have (CCH-1). */
const MAX_BREAKPOINTS = 4;

/** What is told of requests that nothing in the transcript asks for. */
const UNPROMPTED = 'responses follow nothing that the user sent; a short prompt was put in front of them';

/** Where a thread marks the cache; a fork also marks the end of what its siblings share. */
export function breakpointsOf(
  run: RequestingThread,
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
export function outgoingOf(run: RequestingThread, call: RecordedCall): Outgoing {
  const { context, view } = run;
  context.seal(run.now);
  const isPrompted = !context.endWithUser(run.now);
  if (!isPrompted) run.env.warnings.add('unprompted-request', UNPROMPTED);
  tellRepairs(run, isPrompted ? 0 : 1);
  checkRequestShape(context);
  return {
    purpose: run.steps.isAgain ? 'plan_again' : run.isMain ? 'main' : 'subagent',
    turn: run.turn,
    model: run.model.row,
    salts: run.model.saltsFor(context.hasImages() ? 'images' : 'no-images', run.client.key),
    view: context,
    breakpoints: breakpointsOf(run, context, call),
    startMs: run.now,
    write: 'write',
    windowTokens: run.model.apiWindow(),
    outputTokens: outputOf(call),
    answer: call.response.blocks[0]?.digest ?? null,
    recordedLatencyMs: run.env.plan.timing === 'recorded' ? call.endMs - call.startMs : null,
    outsideTokens: run.client.outsideTokens(context, run.model.row),
    seen: run.seen.tokens,
    kept: context.keptShare(view.deletedTokens),
    untouched: view.trueTokens + run.takenOut.total,
    freshTokens: context.freshTokens,
    firstChanged: context.unchanged < run.sentLength ? context.unchanged : null,
    announced: run.announced,
    deleted: view.deletedTokens === 0 ? null : view.deletions,
    risk: run.client.risk,
  };
}

/** Says what had to be mended so that the API would take the request (FLT-4). */
function tellRepairs(run: RequestingThread, addedPrompts: number): void {
  const repairs = run.context.takeRepairs();
  if (repairs === null && addedPrompts === 0) return;
  const { orphanResults = 0, missingResults = 0, leadingMarkers = 0 } = repairs ?? {};
  const done = [
    [orphanResults, 'results without a call were left out'],
    [missingResults, 'calls without a result were answered'],
    [leadingMarkers + addedPrompts, 'short prompts were put in where nothing asks for a response'],
  ] as const;
  run.env.sink.write({
    type: 'notice',
    t: run.now,
    thread: run.thread.id,
    what: 'repaired',
    message: done.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join('; '),
    details: { orphanResults, missingResults, leadingMarkers, addedPrompts },
  });
}
