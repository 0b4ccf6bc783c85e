import type { Layer, ReturnedEntry } from '../../core/run/run-log.js';
import type { RunningThread } from '../requests/running-thread.js';

/** The cache is gone, and the deletions that lived in it: their content is sent again (MIC-3, C9). */
export function returnExpired(run: RunningThread): void {
  const { deletions } = run.view;
  const tokens = deletions.clear();
  run.seen.returnDeleted(tokens);
  giveBack(run, deletions.layer, tokens, 'expired');
}

/** A new process reads the record back: what layers changed in memory alone is there again. */
export function returnAtResume(run: RunningThread): void {
  const deleted = run.view.deletions.clear();
  let returned = run.env.client.deletedIsFree ? 0 : -deleted;
  for (const [layer, tokens] of run.takenOut.live()) {
    returned += tokens;
    giveBack(run, layer, tokens, 'resume');
  }
  run.seen.returnUncounted(returned);
}

function giveBack(run: RunningThread, layer: Layer, tokens: number, why: ReturnedEntry['why']): void {
  run.takenOut.giveBack(layer, tokens);
  run.env.sink.write({
    type: 'returned',
    t: run.now,
    thread: run.thread.id,
    turn: run.turn,
    layer,
    tokens,
    why,
  });
}
