import { MS_PER_SECOND } from '../../base/clock.js';
import type { Action, Asker, LayerReport, Outcome } from '../../model/action.js';
import { createBlock } from '../../model/block.js';
import { createMessage, type Message } from '../../model/message.js';
import type { ContextView, Moment, TierContext, TierDefinition, TierInstance } from '../../model/tier.js';
import { param } from '../param-reader.js';
import { AgentMemory } from './agent-memory.js';
import { AGENTS_PARAMS } from './params.js';
import { type Envelope, mailbox, type PostOffice, postOffice, replyTo } from './post-office.js';

const LAYER = 'agents';

/** Latest messages that a progress summary looks at (assumed). */
const PROGRESS_MESSAGES = 6;
/** System prompt of a progress summary (assumed); it has no tools (AGT-5). */
const PROGRESS_SYSTEM_TOKENS = 200;
/** Three to five words (AGT-5). */
const PROGRESS_TOKENS = 8;

/** Delivers messages between agents (AGT-4), keeps their memory and tells of their progress (AGT-5). */
class Agents implements TierInstance {
  private readonly office: PostOffice;
  private readonly memory: AgentMemory;
  private readonly lateMs: number;
  private readonly progressMs: number;
  private nextProgressMs: number | null = null;
  private isDone = false;
  private letters = 0;
  private summaries = 0;

  constructor(private readonly context: TierContext) {
    const { params, session, thread } = context;
    this.office = postOffice(session.world);
    this.memory = new AgentMemory(params, thread);
    this.lateMs = param.number(params, 'agents.lateSeconds') * MS_PER_SECOND;
    this.progressMs = param.number(params, 'agents.progressSeconds') * MS_PER_SECOND;
  }

  due(moment: Moment, view: ContextView): boolean {
    const isChild = moment.source === 'subagent' || moment.source === 'fork';
    switch (moment.point) {
      case 'before-request':
        if (this.office.hasMail(this.context.thread, view.files)) return true;
        return isChild && (this.startsProgress() || this.memory.isWaiting(view.files));
      case 'wake':
        return isChild && !this.isDone && this.nextProgressMs !== null && this.nextProgressMs <= moment.now;
      default:
        return isChild;
    }
  }

  private startsProgress(): boolean {
    return this.progressMs > 0 && this.nextProgressMs === null;
  }

  *act(moment: Moment, view: ContextView): Generator<Action, void, Outcome> {
    if (moment.point === 'wake') yield* this.tellProgress(moment, view);
    else if (moment.point === 'end-of-loop') {
      this.isDone = true;
      yield* this.memory.keep(view, moment);
    } else {
      if (moment.source !== 'main') {
        yield* this.memory.load(view, moment);
        if (this.startsProgress()) {
          this.nextProgressMs = moment.now + this.progressMs;
          yield { kind: 'wake-at', by: PROGRESS, timeMs: this.nextProgressMs };
        }
      }
      yield* this.deliver(moment, view);
    }
  }

  /** What waits for this agent joins its context before the next request: the next tool round (AGT-4). */
  private *deliver(moment: Moment, view: ContextView): Generator<Action, void, Outcome> {
    const { thread } = this.context;
    if (!this.office.hasMail(thread, view.files)) return;
    const { envelopes, late, broken, rest } = this.office.take(thread, view.files, moment.now, this.lateMs);
    const by: Asker = { layer: LAYER, reason: 'messages from other agents' };
    if (rest !== null) yield { kind: 'write-file', by, path: mailbox(thread), text: rest };
    if (envelopes.length === 0 && broken === 0) return;
    const { trueTokens, seenTokens } = view;
    for (const envelope of envelopes) {
      yield { kind: 'attach', by, message: this.messageFor(envelope, moment.now) };
      const reply = replyTo(envelope);
      if (reply !== null) this.office.send(thread, reply, view.files, moment.now);
    }
    yield report(view, trueTokens, seenTokens, 'deliver', by.reason, {
      delivered: envelopes.length,
      late,
      broken,
      subjects: envelopes.map(({ subject }) => subject),
      waitedMs: envelopes.map(({ sentMs }) => moment.now - sentMs),
    });
  }

  private messageFor({ id, from, subject, tokens }: Envelope, at: number): Message {
    const text = `<agent-message from="${from}" subject="${subject}" number="${id}">`;
    const block = createBlock({
      kind: 'text',
      role: 'user',
      tokens,
      text,
      facts: { attachment: 'agent_message' },
    });
    const own = `agent-message-${++this.letters}`;
    return createMessage({ id: own, role: 'user', origin: 'attachment', blocks: [block], at });
  }

  /** Three to five words on what the child is doing, by the cheapest model and without tools (AGT-5); a pause tells nothing. */
  private *tellProgress(moment: Moment, view: ContextView): Generator<Action, void, Outcome> {
    while (this.nextProgressMs! <= moment.now) {
      const atMs = this.nextProgressMs!;
      this.nextProgressMs = atMs + this.progressMs;
      if (!isAtWork(atMs, moment)) continue;
      const instruction = createMessage({
        id: `progress-${++this.summaries}`,
        role: 'user',
        origin: 'directive',
        blocks: [
          createBlock({
            kind: 'text',
            role: 'user',
            tokens: 40,
            text: 'Say in three to five words what goes on.',
          }),
        ],
        at: moment.now,
      });
      const outcome = yield {
        kind: 'ask',
        by: PROGRESS,
        request: {
          purpose: 'agent_summary',
          shape: { kind: 'own', systemTokens: PROGRESS_SYSTEM_TOKENS, toolTokens: 0, breakpoints: 'off' },
          messages: view.messages.slice(-PROGRESS_MESSAGES),
          instruction,
          write: 'read-only',
          maxOutputTokens: null,
          retries: 0,
          mode: 'background',
          model: param.text(this.context.params, 'agents.progressModel'),
          answer: { kind: 'short', tokens: PROGRESS_TOKENS },
        },
      };
      const failure = outcome.kind === 'failed' ? outcome.failure.reason : null;
      const words = outcome.kind === 'answer' ? outcome.answer.text.read() : '';
      const { trueTokens, seenTokens } = view;
      yield report(view, trueTokens, seenTokens, 'progress', PROGRESS.reason, { words }, failure);
    }
    yield { kind: 'wake-at', by: PROGRESS, timeMs: this.nextProgressMs! };
  }
}

const PROGRESS: Asker = { layer: LAYER, reason: 'a child has been at work for another while' };

function report(
  view: ContextView,
  trueBefore: number,
  seenBefore: number,
  action: string,
  reason: string,
  details: LayerReport['details'],
  failure: string | null = null,
): Action {
  return {
    kind: 'report',
    entry: {
      layer: LAYER,
      action,
      trigger: 'auto',
      outcome: failure === null ? 'done' : 'failed',
      reason,
      failure,
      seenBefore,
      seenAfter: view.seenTokens,
      trueBefore,
      trueAfter: view.trueTokens,
      saved: 0,
      details,
    },
  };
}

/** Forks and the traffic between agents (AGT). */
export const agentsTier: TierDefinition = {
  name: 'agents',
  layer: LAYER,
  points: ['before-request', 'end-of-loop', 'wake'],
  needs: [],
  params: AGENTS_PARAMS,
  killSwitch: 'agents.enabled',
  create: (context) => new Agents(context),
};

/** True when a call of the child was open at a time: its response came later. */
function isAtWork(atMs: number, { lastResponseMs }: Moment): boolean {
  return lastResponseMs !== null && atMs <= lastResponseMs;
}
