import type { Action, Outcome } from '../../core/run/action.js';
import { ask } from '../requests/ask.js';
import type { ActingThread } from './acting-thread.js';
import { attach } from './attach.js';
import { breaker } from './breaker.js';
import { cleanUp } from './cleanup.js';
import { deleteCached } from './delete-cached.js';
import { DONE } from './done.js';
import { replaceHistory } from './replace-history.js';
import { report } from './report.js';
import { rewriteBlocks } from './rewrite-blocks.js';

/** What carries out each kind of action. */
type ActionTable = {
  readonly [K in Action['kind']]: (run: ActingThread, action: Extract<Action, { kind: K }>) => Outcome;
};

const ACTIONS: ActionTable = {
  'rewrite-blocks': rewriteBlocks,
  'delete-cached': deleteCached,
  'replace-history': replaceHistory,
  cleanup: cleanUp,
  report,
  breaker,
  attach,
  ask: (run, { request }) => ask(run, request),
  'write-file': ({ env, now }, { path, text }) => done(env.files.write(path, text, now)),
  'remove-file': ({ env }, { path }) => done(env.files.remove(path)),
  'set-mtime': ({ env }, { path, mtimeMs }) => done(env.files.setMtime(path, mtimeMs)),
  'wake-at': (run, { timeMs }) => done(run.wakeAt(timeMs)),
  wait: (run, { ms }) => done(run.pass(ms)),
  stop: (run, { what, message }) => done(run.stop(what, message)),
};

function done(_nothing: unknown): Outcome {
  return DONE;
}

/** Carries out an action for a thread and hands the outcome back. */
export function apply(run: ActingThread, action: Action): Outcome {
  return (ACTIONS[action.kind] as (run: ActingThread, action: Action) => Outcome)(run, action);
}
