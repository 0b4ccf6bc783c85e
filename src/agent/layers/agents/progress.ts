import { MS_PER_MINUTE, MS_PER_SECOND } from '../../../core/base/clock.js';
import { type Message, textMessage } from '../../../core/model/message.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import type { ContextView, HookContext } from '../../../core/run/layer.js';
import type { ParamValues } from '../../../core/run/params.js';
import { askFork } from '../auto-memory/fork-turns.js';
import { quietReport } from '../support/change-report.js';
import { param } from '../support/param-reader.js';

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
