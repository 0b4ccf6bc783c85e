import { MS_PER_SECOND } from '../../../core/base/clock.js';
import { type Message, textMessage } from '../../../core/model/message.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import { type ChildAgents, childAgents } from '../../../core/run/child-agents.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { type Envelope, type MessageBus, mailbox, messageBus } from '../../client/message-bus.js';
import { changeReport, sizeBefore } from '../support/change-report.js';
import { layerParams, param } from '../support/param-reader.js';
import { AgentMemory } from './agent-memory.js';
import { Progress } from './progress.js';

const LAYER = 'agents';

/** Delivers messages between agents (AGT-4), keeps their memory and reports their progress (AGT-5). */
class Agents implements LayerInstance {
  private readonly bus: MessageBus;
  private readonly children: ChildAgents;
  private readonly memory: AgentMemory;
  private readonly progress: Progress;
  private readonly lateMs: number;
  private readonly isChild: boolean;
  private letters = 0;

  constructor(private readonly context: LayerContext) {
    const { params, session, source } = context;
    this.bus = messageBus(session.world);
    this.children = childAgents(session.world);
    this.memory = new AgentMemory(context);
    this.progress = new Progress(params);
    this.lateMs = param.number(params, 'agents.lateSeconds') * MS_PER_SECOND;
    this.isChild = source === 'subagent' || source === 'fork';
  }

  due(moment: HookContext, view: ContextView): boolean {
    if (moment.point === 'before-request') {
      if (this.isChild && this.children.takeWait(this.context.thread)) this.progress.callOpens(moment.now);
      if (this.isChild && this.progress.passedInTool(moment, view)) return true;
      if (this.isChild) this.progress.callOpens(moment.now);
      if (this.bus.hasMail(this.context.thread, view.files)) return true;
      return this.isChild && this.memory.isWaiting(view.files);
    }
    return this.isChild && (moment.point === 'end-of-loop' || this.progress.isDue(moment.now));
  }

  *act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    if (moment.point === 'after-response') yield* this.progress.report(moment, view);
    else if (moment.point === 'end-of-loop') yield* this.memory.keep(view, moment);
    else {
      if (this.isChild && this.progress.passedInTool(moment, view)) yield* this.progress.report(moment, view);
      if (this.isChild) this.progress.callOpens(moment.now);
      if (this.isChild) yield* this.memory.load(view, moment);
      yield* this.deliver(moment, view);
    }
  }

  /** What waits for this agent joins its context before the next request: the next tool round (AGT-4). */
  private *deliver(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const { thread } = this.context;
    if (!this.bus.hasMail(thread, view.files)) return;
    const { envelopes, late, broken, rest } = this.bus.take(thread, view.files, moment.now, this.lateMs);
    const by: Asker = { layer: LAYER, reason: 'messages from other agents' };
    if (rest !== null) yield { kind: 'write-file', by, path: mailbox(thread), text: rest };
    if (envelopes.length === 0 && broken === 0) return;
    const before = sizeBefore(view);
    let endedBy: string | null = null;
    for (const envelope of envelopes) {
      if (this.isChild && envelope.subject === 'shutdown-request') endedBy ??= envelope.from;
      else yield { kind: 'attach', by, message: this.messageFor(envelope, moment.now) };
      const reply = this.bus.replyTo(envelope);
      if (reply !== null) this.bus.send(thread, reply, view.files, moment.now);
    }
    yield changeReport(view, before, {
      layer: LAYER,
      action: 'deliver',
      trigger: 'auto',
      reason: by.reason,
      saved: 0,
      details: {
        delivered: envelopes.length,
        late,
        broken,
        subjects: envelopes.map(({ subject }) => subject),
        waitedMs: envelopes.map(({ sentMs }) => moment.now - sentMs),
      },
    });
    if (endedBy !== null)
      yield { kind: 'stop', by, what: 'shut-down', message: `${endedBy} asked the agent to shut down` };
  }

  private messageFor({ id, from, subject, tokens }: Envelope, at: number): Message {
    const text = `<agent-message from="${from}" subject="${subject}" number="${id}">`;
    const head = { id: `agent-message-${++this.letters}`, origin: 'attachment', at } as const;
    return textMessage(head, { tokens, text, facts: { attachment: 'agent_message' } });
  }
}

/** Forks and the traffic between agents (AGT). */
export const agentsLayer: LayerDefinition = {
  name: 'agents',
  layer: LAYER,
  points: ['before-request', 'after-response', 'end-of-loop'],
  needs: [],
  params: layerParams('agents'),
  killSwitch: 'agents.enabled',
  create: (context) => new Agents(context),
};
