import type { RecordedCall } from '../../core/model/transcript.js';
import { breakpointsOf } from './main-request.js';
import type { Outgoing } from './outgoing.js';
import type { RequestingThread } from './requesting-thread.js';
import { stripThinking } from './strip-thinking.js';

/**
 * The request for a suggestion that clients send when a turn ends and that no transcript shows: it reads the prompt and leaves
 * it in the cache with the response. It speaks for the user, so models that keep one turn's thinking drop it here (K5). What it
 * asks and what comes back are a few tokens, which are not counted.
 */
export function suggest(run: RequestingThread, call: RecordedCall): void {
  const { context, model } = run;
  stripThinking(run, 'none');
  const out: Outgoing = {
    purpose: 'suggestion',
    turn: run.turn,
    model: model.row,
    salts: model.saltsFor(context.hasImages() ? 'images' : 'no-images', run.client.key),
    view: context,
    breakpoints: breakpointsOf(run, context, call),
    startMs: run.now,
    write: 'write',
    windowTokens: model.apiWindow(),
    outputTokens: 0,
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
  };
  if (run.exchange.send(out, 'own').ok) run.noteSent(out, call);
}
