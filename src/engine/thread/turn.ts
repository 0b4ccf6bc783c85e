import { hasToolUse, type Message } from '../../core/model/message.js';
import type { RecordedCall } from '../../core/model/transcript.js';
import { isTransient, parseFailure, retryDelayMs } from '../../provider/fake-llm/faults.js';
import { outgoingOf, suggest } from '../requests/main-request.js';
import type { Outgoing } from '../requests/run-env.js';
import type { RunningThread } from '../requests/running-thread.js';
import { keepRecord } from './session-record.js';
import { noteWarm } from './thread-start.js';

/** One turn of the loop (LOP-1): what arrived joins, layers act, the call goes out, layers act on its answer. */
export function takeTurn(run: RunningThread, call: RecordedCall): void {
  if (run.failure === null) prepare(run, call);
  finishTurn(run, call);
}

/** The rest of a turn, once layers have acted on what arrived. */
export function finishTurn(run: RunningThread, call: RecordedCall): void {
  if (run.failure !== null) {
    run.client.skip();
    run.faults.skip(call);
    run.lose(call);
    return;
  }
  run.beforeCheck();
  run.prevention.check(run);
  run.faults.check(run, call);
  run.client.before(call);
  if (!send(run, call)) {
    run.lose(call);
    return;
  }
  run.askLayers('after-response');
  if (run.client.suggests && run.failure === null) suggest(run, call);
  if (hasToolUse(call.response)) return;
  keepRecord(run);
  run.askLayers('end-of-loop');
}

/** What arrived joins the context, and layers act, before a call is made. */
function prepare(run: RunningThread, call: RecordedCall): void {
  run.model.use(call.model, call.effort);
  run.turn++;
  if (run.isMain) run.env.totals.turns++;
  run.joinPending();
  run.askLayers('results');
  if (run.failure === null) run.askLayers('before-request');
}

/** Sends the main request; transient errors are tried again, a prompt that is too long gives layers a chance (REA-1). */
function send(run: RunningThread, call: RecordedCall): boolean {
  const { retries, resends } = run.env.client;
  let resent = resends ? 1 : 0;
  for (let attempt = 0; ; ) {
    const out = outgoingOf(run, call);
    const reply = run.exchange.send(out, 'own');
    if (reply.ok) {
      answered(run, call, out, reply.usage, reply.latencyMs);
      return true;
    }
    run.pass(reply.latencyMs);
    const failure = parseFailure(reply.error);
    if (failure.reason === 'prompt-too-long') {
      if (resent-- > 0) continue;
      run.historyReplaced = false;
      run.askLayers('refused');
      if (run.historyReplaced && run.failure === null) continue;
    } else if (isTransient(failure) && attempt < retries) {
      run.pass(retryDelayMs(attempt++, run.random, reply.retryAfterSeconds));
      continue;
    }
    if (run.failure === null) run.stop('prompt-ended', `the API refused the request: ${reply.error.message}`);
    return false;
  }
}

/** The answer joins the conversation, and its usage says how large that is. */
function answered(
  run: RunningThread,
  call: RecordedCall,
  out: Outgoing,
  usage: NonNullable<Message['usage']>,
  latencyMs: number,
): void {
  run.noteSent(out, call);
  run.takeResponse(call, latencyMs);
  const response = answeredMessage(call, usage, run.now);
  run.context.extend([response]);
  run.journal.append(response);
  run.host.observe(response);
  run.seen.onResponse(response);
  const { deletedIsFree } = run.env.client;
  run.seen.anchor(usage, run.takenOut.recent - (deletedIsFree ? 0 : run.view.deletedTokens));
  if (deletedIsFree) run.seen.forgetDeleted();
  run.env.forks.note(run, call);
  if (run.thread.fork !== undefined) noteWarm(run, out, usage, latencyMs);
}

/** The recorded response as it is answered in this run. */
function answeredMessage(call: RecordedCall, usage: NonNullable<Message['usage']>, at: number): Message {
  const { id, role, origin, blocks, attachedTo } = call.response;
  return { id, role, origin, blocks, at, responseId: call.id, usage, attachedTo };
}
