import type { Files } from '../../../core/base/files.js';
import { isBinary } from '../../../core/model/memory.js';
import { textMessage } from '../../../core/model/message.js';
import type { SessionContext } from '../../../core/model/session.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import type { ContextView, HookContext, LayerContext } from '../../../core/run/layer.js';
import type { ParamValues } from '../../../core/run/params.js';
import { tokensOfChars } from '../auto-memory/fork-turns.js';
import { indexLimits, loadIndex } from '../auto-memory/memory-index.js';
import { quietReport } from '../support/change-report.js';
import { param } from '../support/param-reader.js';

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

/** The memory one agent keeps for those that come after it (AGT-5). */
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
