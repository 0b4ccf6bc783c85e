import type { Files } from '../../base/files.js';
import type { Action, Asker, Outcome } from '../../model/action.js';
import { createBlock } from '../../model/block.js';
import { isBinary } from '../../model/memory.js';
import { createMessage } from '../../model/message.js';
import type { ParamValues } from '../../model/params.js';
import type { ContextView, Moment } from '../../model/tier.js';
import { tokensOfChars } from '../auto-memory/fork-turns.js';
import { loadIndex } from '../auto-memory/memory-index.js';
import { indexLimits } from '../auto-memory/params.js';
import { param } from '../param-reader.js';

/** Where each scope keeps the memory of agents (AGT-5): for the user, with the project, or on this machine alone. */
const AGENT_MEMORY_FOLDERS = {
  user: '/user/agent-memory',
  project: '/repo/.agents/memory',
  local: '/repo/.agents/memory-local',
} as const;

/** The kind of agent a thread is: agents of a kind share their memory. */
function kindOf(thread: string): string {
  const own = thread.slice(thread.lastIndexOf('/') + 1);
  return own.replace(/-?\d+$/, '') || 'agent';
}

/** The memory one agent keeps for those that come after it (AGT-5). */
export class AgentMemory {
  readonly path: string | null;
  private state: 'to-be-loaded' | 'loaded' = 'to-be-loaded';
  private readonly by: Asker;

  constructor(
    private readonly params: ParamValues,
    private readonly thread: string,
  ) {
    const scope = param.text(params, 'agents.memory');
    this.by = { layer: 'agents', reason: `agent memory of the scope ${scope}` };
    this.path =
      scope === 'none'
        ? null
        : `${AGENT_MEMORY_FOLDERS[scope as keyof typeof AGENT_MEMORY_FOLDERS]}/${kindOf(thread)}/MEMORY.md`;
  }

  isWaiting(files: Files): boolean {
    return this.path !== null && this.state === 'to-be-loaded' && files.read(this.path) !== null;
  }

  /** The memory joins the context at the agent's first request, within the limits of an index (AUT-3). */
  *load(view: ContextView, moment: Moment): Generator<Action, void, Outcome> {
    const waiting = this.isWaiting(view.files);
    this.state = 'loaded';
    if (!waiting || this.path === null) return;
    const text = loadIndex(view.files.read(this.path)!, indexLimits(this.params)).text;
    if (text === null) return;
    const block = createBlock({
      kind: 'text',
      role: 'user',
      tokens: tokensOfChars(text.chars),
      text,
      facts: { attachment: 'agent_memory', path: this.path },
    });
    const message = createMessage({
      id: 'agent-memory',
      role: 'user',
      origin: 'attachment',
      blocks: [block],
      at: moment.now,
    });
    yield { kind: 'attach', by: this.by, message };
  }

  /** The agent leaves a line for the next one of its kind. */
  *keep(view: ContextView, moment: Moment): Generator<Action, void, Outcome> {
    if (this.path === null) return;
    const before = view.files.read(this.path)?.text ?? '';
    if (isBinary(before)) return;
    const line = `- ${this.thread} finished its task in turn ${moment.turn}\n`;
    yield { kind: 'write-file', by: this.by, path: this.path, text: `${before}${line}` };
  }
}
