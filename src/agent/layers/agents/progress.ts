import { MS_PER_SECOND } from '../../../core/base/clock.js';
import { createBlock } from '../../../core/model/block.js';
import { createMessage, type Message } from '../../../core/model/message.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import type { ContextView, HookContext } from '../../../core/run/layer.js';
import type { ParamValues } from '../../../core/run/params.js';
import { askFork } from '../auto-memory/fork-turns.js';
import { param } from '../support/param-reader.js';
import { quietReport } from '../support/quiet-report.js';

/** Value of `agents.progressModel` for the model that the child itself runs on. */
const OWN_MODEL = 'child';
/** Three to five words (AGT-5). */
const PROGRESS_TOKENS = 8;
/** What asks for them (assumed). */
const INSTRUCTION_TOKENS = 40;

const BY: Asker = { layer: 'agents', reason: 'a child has been at work for another while' };

/**
 * Progress summaries of one child in coordinator mode (AGT-5, C35). Half minutes are counted from its first request; one that
 * passes while a call is open is reported when the response is there, from what that call had sent.
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
    const text = 'Say in three to five words what goes on.';
    const instruction = createMessage({
      id: `progress-${++this.reports}`,
      role: 'user',
      origin: 'directive',
      blocks: [createBlock({ kind: 'text', role: 'user', tokens: INSTRUCTION_TOKENS, text })],
      at: now,
    });
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

/** Messages in front of the latest response: what the call had sent while it was open. */
function sentLength(messages: readonly Message[]): number {
  let length = messages.length;
  while (length > 0 && messages[length - 1]!.role === 'assistant') length--;
  return length;
}
