import { createFiles, type Files } from '../../../src/core/base/files.js';
import { createRandom } from '../../../src/core/base/random.js';
import type { Message } from '../../../src/core/model/message.js';
import { type SessionContext, soloSession } from '../../../src/core/model/transcript.js';
import type { Action, AskRequest, LayerReport, Outcome } from '../../../src/core/run/action.js';
import type { HookContext, LayerDefinition, LayerInstance } from '../../../src/core/run/layer.js';
import { Limits } from '../../../src/core/run/limit.js';
import type { ParamValue } from '../../../src/core/run/params.js';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { notesAnswer, viewOf } from './drive-session-memory.js';

/** Drives one layer whose forks work in the background: its files are real, each request takes a second. */
export class ForkDriver {
  readonly files: Files = createFiles();
  readonly actions: Action[] = [];
  readonly layer: LayerInstance;
  /** What the layers of the thread share. */
  readonly shared = new Map<string, unknown>();
  messages: readonly Message[] = [];
  now = 0;
  /** What comes back for a request; an answer of one word unless told. */
  answer: (request: AskRequest, n: number) => Outcome = () => this.says('fine');
  /** Looked at after each action, for what others do meanwhile. */
  afterAction: (action: Action) => void = () => {};
  private asked = 0;

  constructor(
    definition: LayerDefinition,
    set: Readonly<Record<string, ParamValue>> = {},
    session: Partial<SessionContext> = {},
  ) {
    const params: Record<string, ParamValue> = {};
    for (const { path, default: value } of definition.params) params[path] = value;
    Object.assign(params, set);
    this.layer = definition.create({
      params,
      thread: 'main',
      source: 'main',
      model: () => ({ name: 'claude-sonnet-4-5', window: 200_000, maxOutput: 32_000 }),
      plan: { policy: {} } as RunPlan,
      nextUse: () => Number.POSITIVE_INFINITY,
      limits: new Limits({ name: 'driven', params }),
      isSumming: false,
      random: createRandom(1),
      shared: this.shared,
      session: { ...soloSession(), ...session },
    });
  }

  /** An answer that is there a second from now. */
  says(text: string, init: Parameters<typeof notesAnswer>[2] = {}): Outcome {
    return notesAnswer(text, this.now + 1_000, init);
  }

  /** Asks the layer at a point; returns what it did. */
  at(point: HookContext['point'], change: Partial<HookContext> = {}): readonly Action[] {
    const from = this.actions.length;
    const moment: HookContext = {
      point,
      now: this.now,
      turn: 1,
      prompt: 1,
      source: 'main',
      lastResponseMs: null,
      manual: null,
      ...change,
    };
    const view = viewOf(this.messages, 0, this.files);
    if (!this.layer.due(moment, view)) return [];
    const steps = this.layer.act(moment, view);
    for (let step = steps.next(); step.done !== true; ) {
      const action = step.value;
      this.actions.push(action);
      const outcome = this.carryOut(action);
      this.afterAction(action);
      step = steps.next(outcome);
    }
    return this.actions.slice(from);
  }

  /** Wakes the layer a second later, until it has nothing more to do. */
  wakeUp(most = 100): void {
    for (let i = 0; i < most; i++) {
      this.now += 1_000;
      if (this.at('wake').length === 0) return;
    }
  }

  get requests(): readonly AskRequest[] {
    return this.actions.flatMap((action) => (action.kind === 'ask' ? [action.request] : []));
  }

  reports(action?: string): readonly LayerReport[] {
    const all = this.actions.flatMap((one) => (one.kind === 'report' ? [one.entry] : []));
    return action === undefined ? all : all.filter((entry) => entry.action === action);
  }

  private carryOut(action: Action): Outcome {
    const { files, now } = this;
    if (action.kind === 'ask') return this.answer(action.request, ++this.asked);
    if (action.kind === 'write-file') files.write(action.path, action.text, now);
    else if (action.kind === 'remove-file') files.remove(action.path);
    else if (action.kind === 'set-mtime') files.setMtime(action.path, action.mtimeMs);
    return { kind: 'done' };
  }
}
