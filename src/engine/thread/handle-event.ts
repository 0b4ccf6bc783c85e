import { messageBus } from '../../agent/client/message-bus.js';
import { createBlock } from '../../core/model/block.js';
import type { AgentMessage, ThreadEvent } from '../../core/model/transcript.js';
import { childAgents } from '../../core/run/run-plan.js';
import { TTL_5M_MS } from '../../provider/cache/ttl.js';
import { isRendered, renderPrompt } from '../actions/context-message.js';
import { renew } from '../requests/main-request.js';
import type { RunningThread } from '../requests/running-thread.js';
import { returnAtResume } from './session-record.js';
import { inNewForm, renewSystem } from './thread-start.js';
import {
  clearConversation,
  clearResultsNow,
  compactAsRecorded,
  compactByHand,
  compactNow,
  isAsRecorded,
  passSummary,
  rewindConversation,
} from './user-acts.js';

/**
 * Something happens to a thread besides messages and calls. What the user did happens in every run (C1); automatic
 * compactions are the recording's own and pass by, with what it attached because of them (C2).
 */
export function handleEvent(run: RunningThread, event: ThreadEvent): void {
  switch (event.kind) {
    case 'manual-compact':
      leaveRecording(run);
      compactNow(run, event.compaction);
      return;
    case 'manual-microcompact':
      leaveRecording(run);
      clearResultsNow(run);
      return;
    case 'end-dream':
      run.askLayers('end-dream');
      return;
    case 'recorded-microcompact':
      if (event.trigger === 'manual' && run.course !== 'recorded') clearResultsNow(run);
      return;
    case 'resume':
      run.note(event.kind, `the session was resumed: ${event.reason}`);
      resume(run, event.lostIds ?? []);
      return;
    case 'model-switch':
      run.note(event.kind, `the model changes to ${event.model}`);
      run.model.use(event.model);
      return;
    case 'prefix-change':
      run.note(event.kind, `the ${event.what} changes: ${event.label}`);
      if (event.tools !== undefined) run.changedTools = [...(run.changedTools ?? []), ...event.tools];
      run.context.replacePrefix(
        run.context.prefix.map((block) =>
          block.role === event.what && !isRendered(run, block)
            ? createBlock({
                kind: block.kind,
                role: block.role,
                tokens: block.tokens,
                text: `${event.label} at ${event.at}`,
                chars: block.chars,
              })
            : block,
        ),
      );
      return;
    case 'recorded-compaction':
      run.model.pass(event);
      if (isAsRecorded(run, event)) compactAsRecorded(run, event);
      else {
        run.part();
        if (event.trigger === 'manual') compactByHand(run, event);
        else if (event.summary !== null) passSummary(run, event.summary);
      }
      return;
    case 'clear':
      run.note(event.kind, 'the user emptied the conversation');
      clearConversation(run);
      return;
    case 'rewind':
      if (rewindConversation(run, event.lastId) === 'rewound')
        run.note(event.kind, 'the user went back to an earlier message');
      else run.note(event.kind, 'the user went back to a message that this run no longer holds');
      return;
    case 'away-summary':
      summariseAway(run);
      return;
    case 'agent-message':
      send(run, event.message);
      return;
    default:
      return;
  }
}

/** A summary for a user who was away renews the cache with the latest response (K17). */
function summariseAway(run: RunningThread): void {
  const { awaySummaries } = run.client;
  if (awaySummaries === 'off' || run.call === null || run.failure !== null) return;
  if (awaySummaries === 'always' || run.model.ttlFor(null) === TTL_5M_MS) renew(run, run.call, 'keep_alive');
}

/** The user does something that was not recorded: from here on the policy decides. */
function leaveRecording(run: RunningThread): void {
  if (run.course === 'recorded') run.course = 'same';
}

/** A message goes out; without the layer of agents nothing delivers it (AGT-4). The sender of a plan waits for the answer. */
function send(run: RunningThread, message: AgentMessage): void {
  if (run.failure !== null || !run.env.layers.some((layer) => layer.name === 'agents')) return;
  const reached = messageBus(run.env.sessions.world).send(run.thread.id, message, run.env.files, run.now);
  if (reached === 0) run.note('message-returned', `nobody is called ${message.to}: the message comes back`);
  else if (message.subject === 'plan-request' && message.way !== 'bridge') {
    childAgents(run.env.sessions.world).waits(run.thread.id);
    run.env.approvals.wait(run);
  }
}

/** A new process reads the record back: what layers changed only in memory is as it was before. */
function resume(run: RunningThread, lostIds: readonly string[]): void {
  run.joinPending();
  const form = run.env.plan.policy.params['client.resume'];
  const lost = new Set(run.env.behaviours.record === 'parent-chain' ? lostIds : []);
  run.faults.excuse(lost);
  const rebuilt = run.journal.rebuild().filter((message) => !lost.has(message.id));
  const messages = form === 'new-content' ? inNewForm(rebuilt) : rebuilt;
  const before = run.context.unchanged;
  run.context.replaceHistory(messages);
  run.thinkingStrippedTo = 0;
  if (run.context.unchanged < before) run.announced ??= 'messages';
  run.seen.forgetDeleted();
  returnAtResume(run);
  run.host.resume(run.context.messages, run.view);
  renderPrompt(run);
  if (form === 'new-system') renewSystem(run);
}
