import { messageBus } from '../../agent/client/message-bus.js';
import { restoreEntries } from '../../core/base/checkpoint.js';
import { digestText } from '../../core/base/digest.js';
import { type Message, withBlocks } from '../../core/model/message.js';
import { promptTokens, type Usage } from '../../core/model/usage.js';
import { childAgents } from '../../core/run/run-plan.js';
import { firstTokenMs } from '../../provider/fake-llm/fake-llm.js';
import { contextFiles, contextMessage, renderPrompt } from '../actions/context-message.js';
import { checkLostChild } from '../context/invariants.js';
import type { Outgoing } from '../requests/run-env.js';
import { type RunningThread, requestStateOf } from '../requests/running-thread.js';
import { carriesForkMarker, changedPrefix, childLead, type ForkLayout } from './fork-layout.js';
import { returnAtResume } from './session-record.js';

const PARENT_ENDED = 'the agent that would have started it was shut down';

/** Begins a thread: on its own, as the continuation of an earlier session, or as a fork of its parent (AGT-1). */
export function startThread(
  run: RunningThread,
  parent: RunningThread | null,
  origin: RunningThread | null,
): void {
  const { env, thread, session } = run;
  const isFork = thread.fork !== undefined && parent !== null;
  run.shiftMs = isFork ? env.forks.shiftOf(thread) : (parent?.shiftMs ?? 0);
  if (run.isMain) session.state = 'running';
  messageBus(env.sessions.world).arrive(thread.id);
  if (origin !== null) run.now = Math.max(run.now, origin.now);
  if (isFork) inherit(run, parent);
  else {
    if (run.isMain) contextFiles(run).render();
    const reminder = contextMessage(env.plan.policy.params, 0, contextFiles(run).shown);
    if (reminder !== null && origin === null) run.expectMessage(reminder);
    renderPrompt(run);
    if (origin !== null) takeUp(run, origin);
  }
  if (!isFork && parent?.failure?.how === 'ended') run.giveUp(PARENT_ENDED, 'ended');
  else if (!isFork && (parent?.failure ?? null) !== null)
    run.giveUp('the prompt that started this agent failed');
  const doubt = run.isMain ? run.model.windowDoubt() : null;
  if (doubt !== null)
    env.warnings.add('window-assumed', doubt, 'set `window.explicit` to the one you know of');
  const takenOut = run.takenOut.byLayer();
  env.sink.write({
    type: 'thread',
    t: run.nextTimeMs() ?? 0,
    thread: thread.id,
    parent: thread.parentId,
    label: thread.label,
    prefixTokens: run.context.prefixTokens,
    window: run.model.apiWindow(),
    ...(run.sharedTokens === null ? {} : { sharedTokens: run.sharedTokens }),
    ...(takenOut === null ? {} : { takenOut }),
    ...(thread.session === undefined ? {} : { session: thread.session }),
  });
}

/** The bytes of a parent's conversation, its state copied, and what only a child gets: placeholders and the marker. */
function inherit(run: RunningThread, parent: RunningThread): void {
  const { env, thread } = run;
  const point = env.forks.snapshotOf(thread);
  if (point === null) {
    if (parent.failure?.how === 'ended') run.giveUp(PARENT_ENDED, 'ended');
    else lose(run);
    return;
  }
  const { params } = env.plan.policy;
  const child = env.forks.numberOf(thread);
  const refusal = refusalOf(point.messages, child, params['agents.maxChildren'] as number);
  if (refusal !== null) {
    run.note('fork-refused', refusal);
    run.giveUp(refusal);
    return;
  }
  childAgents(env.sessions.world).start(parent.thread.id, { thread: thread.id, label: thread.label });
  takeCourse(run, parent);
  const layout = params['agents.layout'] as ForkLayout;
  run.model.follow(parent.model);
  run.client.inherit(point.key);
  run.context.replacePrefix(
    layout === 'own-system' ? changedPrefix(point.prefix, `child ${child}`) : point.prefix,
  );
  run.inheritMessages(point.messages, point.requests);
  run.view.deletions = point.deletions.copyTo(run.context);
  run.takenOut.inherit(point.takenOut, point.deletions.layer, point.deletions.tokens);
  run.context.assumeSent(point.freshTokens);
  run.context.unchanged = layout === 'own-system' ? run.context.toolsEnd : point.sentLength;
  run.sentLength = point.sentLength;
  run.sharedTokens = run.context.trueTokens;
  restoreEntries(run.shared, point.shared);
  const uses = (point.messages.at(-1)?.blocks ?? []).filter((block) => block.kind === 'tool_use');
  const lead = childLead(uses, layout, child, run.now);
  run.sharedEnd = run.context.length + lead.blocks.length - 1;
  run.expectMessage(lead);
  const heldUntilMs = params['agents.warmFirst'] === true ? env.forks.holdUntil(thread) : null;
  if (heldUntilMs !== null) run.shiftMs += Math.max(0, heldUntilMs - (run.nextTimeMs() ?? 0));
}

/** A conversation that begins with another one continues as that does through the recording. */
function takeCourse(run: RunningThread, { course }: RunningThread): void {
  if (course === 'parted') run.part();
  else run.course = course;
}

/** Why a client starts no child here; null when it does (AGT-3). */
function refusalOf(messages: readonly Message[], child: number, maxChildren: number): string | null {
  if (carriesForkMarker(messages)) return 'a fork may not fork again';
  return child > maxChildren ? `a turn starts at most ${maxChildren} children` : null;
}

/** A child that cannot start is reported where users look, and never for another reason than the call that starts it (INV-15). */
function lose(run: RunningThread): void {
  const reason = run.env.forks.whyLost(run.thread);
  checkLostChild(run.thread.id, reason);
  const message = `the fork ${run.thread.label} never started: ${reason}`;
  run.env.warnings.add(
    'fork-lost',
    `a fork never started, and all its calls are lost: ${reason}`,
    'the events tell what ended the prompt before that call: a refusal, a guard or a fault',
  );
  run.note('fork-lost', message);
  run.giveUp(reason);
}

/** A child's response began: what it wrote can be read by the siblings that wait for it (CCH-5). */
export function noteWarm(run: RunningThread, out: Outgoing, usage: Usage, latencyMs: number): void {
  const { env, thread, model } = run;
  const uncached = promptTokens(usage) - usage.cacheRead;
  const beginsMs = firstTokenMs(model.row, uncached, env.plan.llm.fake.latencyScale);
  env.forks.warmed(thread, out.startMs + Math.min(beginsMs, latencyMs));
}

/** A new process reads the record of an earlier session back and continues from there. */
function takeUp(run: RunningThread, origin: RunningThread): void {
  takeCourse(run, origin);
  const form = run.env.plan.policy.params['client.resume'];
  const messages = origin.journal.rebuild();
  returnAtResume(origin);
  run.inheritMessages(form === 'new-content' ? inNewForm(messages) : messages, requestStateOf(origin));
  run.seen.forgetDeleted();
  run.takenOut.inherit(origin.takenOut, 'microcompact', 0);
  run.context.assumeSent(origin.context.freshTokens);
  run.sentLength = run.context.length;
  run.client.inherit(origin.client.key);
  run.context.unchanged = form === 'new-content' ? run.context.systemEnd : run.context.length;
  if (form === 'new-system') renewSystem(run);
  run.note('resume', `the session ${origin.session.name} was resumed`);
}

/** What a client changes when it resumes a session; everything after the first difference is cold (E5.5). */
export function renewSystem(run: RunningThread): void {
  run.context.replacePrefix(changedPrefix(run.context.prefix, `rendered at ${run.now}`));
}

/** The same conversation with its first words in another form: a plain text instead of a list of blocks. */
export function inNewForm(messages: readonly Message[]): readonly Message[] {
  const index = messages.findIndex((message) => message.role === 'user' && message.blocks.length > 0);
  return messages.map((message, i) => {
    if (i !== index) return message;
    const [first, ...rest] = message.blocks;
    const digest = digestText('as one text', first!.digest);
    return withBlocks(message, [{ ...first!, digest }, ...rest]);
  });
}
