import type { RecordedCall } from '../model/transcript.js';
import type { Outgoing } from './exchange.js';
import { breakpointsOf } from './main-request.js';
import { stripThinking } from './strip-thinking.js';
import type { ThreadRun } from './thread-run.js';

/**
 * The request for a suggestion that clients send when a turn ends and that no transcript shows: it reads the prompt and leaves
 * it in the cache with the response. It speaks for the user, so models that keep one turn's thinking drop it here (K5). What it
 * asks and what comes back are a few tokens, which are not counted.
 */
export function suggest(run: ThreadRun, call: RecordedCall): void {
  const { context, model } = run;
  stripThinking(run, 'none');
  const window = model.apiWindow();
  const out: Outgoing = {
    purpose: 'suggestion',
    turn: run.turn,
    model: model.row,
    salts: model.saltsFor(context.hasImages() ? 'images' : 'no-images', call.effort, run.client.key),
    view: context,
    breakpoints: breakpointsOf(run, context, call),
    startMs: run.now,
    write: 'write',
    windowTokens: window === null ? null : window + run.view.deletedTokens,
    outputTokens: 0,
    recordedLatencyMs: null,
    seen: null,
    kept: null,
    freshTokens: context.freshTokens,
    firstChanged: run.sent.firstChanged,
    announced: run.announced,
    deletedTokens: run.view.deletedTokens,
    unbilledTokens: run.env.client.deletedIsFree ? run.view.deletedTokens : 0,
    risk: 0,
  };
  if (run.exchange.send(out, 'own').ok) run.noteSent(out, call);
}
