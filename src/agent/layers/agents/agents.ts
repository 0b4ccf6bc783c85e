import { MS_PER_MINUTE, MS_PER_SECOND } from '../../../core/base/clock.js';
import type { Files } from '../../../core/base/files.js';
import { isBinary } from '../../../core/model/memory.js';
import { type Message, textMessage } from '../../../core/model/message.js';
import type { SessionContext } from '../../../core/model/transcript.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import type { ParamValues } from '../../../core/run/params.js';
import { type ChildAgents, childAgents } from '../../../core/run/run-plan.js';
import { type Envelope, type MessageBus, mailbox, messageBus } from '../../client/message-bus.js';
import { askFork, tokensOfChars } from '../auto-memory/fork-turns.js';
import { indexLimits, loadIndex } from '../auto-memory/memory-index.js';
import { changeReport, quietReport, sizeBefore } from '../support/compaction-report.js';
import { layerParams, param } from '../support/param-reader.js';

/** Value of `agents.progressModel` for the model that the child itself runs on. */
const OWN_MODEL = 'child';
/** Three to five words (AGT-5). */
const PROGRESS_TOKENS = 8;
/** What asks for them (assumed). */
const INSTRUCTION_TOKENS = 40;

/** The longest run of a tool, that of a shell command; what takes longer is a pause (assumed). */
const LONGEST_TOOL_MS = 10 * MS_PER_MINUTE;
/** Tools that run while their agent only waits: for the user, or for another agent. */
const WAITING_TOOLS: ReadonlySet<string> = new Set([
  'AskUserQuestion',
  'ExitPlanMode',
  'Task',
  'Agent',
  'TaskOutput',
  'AgentOutputTool',
]);

const BY: Asker = { layer: 'agents', reason: 'a child has been at work for another while' };

/**
 * Progress summaries of one child in coordinator mode (AGT-5, C35). Half minutes are counted from its first request; one that
 * passes while a call is open is reported when the response is there, one that passes while a tool runs when its result is there
 * (C46); both from what the latest call had sent.
 * @internal
 */
export class Progress {
  private readonly everyMs: number;
  private readonly model: string;
  private nextMs: number | null = null;
  private reports = 0;

  constructor(params: ParamValues) {
    const isOn = param.isOn(params, 'agents.coordinator');
    this.everyMs = isOn ? param.number(params, 'agents.progressSeconds') * MS_PER_SECOND : 0;
    this.model = param.text(params, 'agents.progressModel');
  }

  /** A call of the child opens: what passed in a pause before it is not reported. */
  callOpens(now: number): void {
    if (this.everyMs === 0) return;
    const nextMs = this.nextMs ?? now + this.everyMs;
    const behind = Math.max(0, Math.ceil((now - nextMs) / this.everyMs));
    this.nextMs = nextMs + behind * this.everyMs;
  }

  /** True when the time for a summary came while a tool ran that the child did not only wait for (C46). */
  passedInTool({ now, lastResponseMs }: HookContext, { messages }: ContextView): boolean {
    if (!this.isDue(now) || lastResponseMs === null || now - lastResponseMs > LONGEST_TOOL_MS) return false;
    return ranTool(messages);
  }

  /** True when the time for a summary came while the call was open. */
  isDue(now: number): boolean {
    return this.nextMs !== null && this.nextMs <= now;
  }

  *report(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    for (; this.nextMs !== null && this.nextMs <= moment.now; this.nextMs += this.everyMs) {
      const outcome = yield this.ask(moment, view);
      yield quietReport('agents', view, {
        action: 'progress',
        outcome: outcome.kind === 'failed' ? 'failed' : 'done',
        reason: BY.reason,
        failure: outcome.kind === 'failed' ? outcome.failure.reason : null,
        details: { words: outcome.kind === 'answer' ? outcome.answer.text.read() : '' },
      });
    }
  }

  private ask({ now }: HookContext, { messages }: ContextView): Action {
    const instruction = textMessage(
      { id: `progress-${++this.reports}`, origin: 'directive', at: now },
      { tokens: INSTRUCTION_TOKENS, text: 'Say in three to five words what goes on.' },
    );
    return askFork(BY, {
      purpose: 'agent_summary',
      messages: messages.slice(0, sentLength(messages)),
      instruction,
      write: 'read-only',
      ...(this.model === OWN_MODEL ? {} : { model: this.model }),
      answer: { kind: 'short', tokens: PROGRESS_TOKENS },
    });
  }
}

/** Whether the latest response was answered by results of tools alone. */
function ranTool(messages: readonly Message[]): boolean {
  let found = false;
  for (let i = messages.length - 1; i >= 0 && messages[i]!.role !== 'assistant'; i--) {
    const { origin, blocks } = messages[i]!;
    if (origin === 'human' || origin === 'directive') return false;
    for (const { kind, tool } of blocks) {
      if (kind !== 'tool_result') continue;
      if (WAITING_TOOLS.has(tool ?? '')) return false;
      found = true;
    }
  }
  return found;
}

/** Messages in front of the latest response: what its call had sent. */
function sentLength(messages: readonly Message[]): number {
  let length = messages.length;
  while (length > 0 && messages[length - 1]!.role !== 'assistant') length--;
  while (length > 0 && messages[length - 1]!.role === 'assistant') length--;
  return length;
}

/** Where a scope keeps the memory of agents (AGT-5): all projects share one, all checkouts of a project, or nobody else. */
function folderOf(scope: string, { project, checkout }: SessionContext): string | null {
  switch (scope) {
    case 'user':
      return '/user/agent-memory';
    case 'project':
      return `/${project}/.agents/memory`;
    case 'local':
      return `/${project}${checkout === null ? '' : `/checkouts/${checkout}`}/.agents/memory-local`;
    default:
      return null;
  }
}

/** The kind of agent a thread is: agents of a kind share their memory. */
function kindOf(thread: string): string {
  const own = thread.slice(thread.lastIndexOf('/') + 1);
  return own.replace(/(?:-?\d+)+$/, '') || 'agent';
}

/** The memory one agent keeps for those that come after it (AGT-5). @internal */
export class AgentMemory {
  readonly path: string | null;
  private state: 'to-be-loaded' | 'loaded' = 'to-be-loaded';
  private readonly by: Asker;

  private readonly params: ParamValues;
  private readonly thread: string;
  private readonly scope: string;

  constructor({ params, thread, session }: LayerContext) {
    this.params = params;
    this.thread = thread;
    this.scope = param.text(params, 'agents.memory');
    this.by = { layer: 'agents', reason: `agent memory of the scope ${this.scope}` };
    const folder = folderOf(this.scope, session);
    this.path = folder === null ? null : `${folder}/${kindOf(thread)}/MEMORY.md`;
  }

  isWaiting(files: Files): boolean {
    return this.path !== null && this.state === 'to-be-loaded' && files.read(this.path) !== null;
  }

  /** The memory joins the context at the agent's first request, within the limits of an index (AUT-3). */
  *load(view: ContextView, moment: HookContext): Generator<Action, void, Outcome> {
    const waiting = this.isWaiting(view.files);
    this.state = 'loaded';
    if (!waiting || this.path === null) return;
    const text = loadIndex(view.files.read(this.path)!, indexLimits(this.params)).text;
    if (text === null) return;
    const tokens = tokensOfChars(text.chars);
    const facts = { attachment: 'agent_memory', path: this.path };
    const head = { id: 'agent-memory', origin: 'attachment', at: moment.now } as const;
    const message = textMessage(head, { tokens, text, facts });
    yield { kind: 'attach', by: this.by, message };
    yield this.report(view, 'recall', tokens);
  }

  /** The agent leaves a line for the next one of its kind. */
  *keep(view: ContextView, moment: HookContext): Generator<Action, void, Outcome> {
    if (this.path === null) return;
    const before = view.files.read(this.path)?.text ?? '';
    if (isBinary(before)) return;
    const line = `- ${this.thread} finished its task in turn ${moment.turn}\n`;
    yield { kind: 'write-file', by: this.by, path: this.path, text: `${before}${line}` };
    yield this.report(view, 'remember', tokensOfChars(line.length));
  }

  private report(view: ContextView, action: 'recall' | 'remember', tokens: number): Action {
    const details = { scope: this.scope, path: this.path, tokens };
    return quietReport('agents', view, {
      action,
      outcome: 'done',
      reason: this.by.reason,
      failure: null,
      details,
    });
  }
}

const LAYER = 'agents';

/** Delivers messages between agents (AGT-4), keeps their memory and reports their progress (AGT-5). */
class Agents implements LayerInstance {
  readonly canCheckpoint = true;
  private readonly bus: MessageBus;
  private readonly children: ChildAgents;
  private readonly memory: AgentMemory;
  private readonly progress: Progress;
  private readonly lateMs: number;
  private readonly isChild: boolean;
  private messages = 0;

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
    const head = { id: `agent-message-${++this.messages}`, origin: 'attachment', at } as const;
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
