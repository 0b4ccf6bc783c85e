import { SESSION_MEMORY_PARAMS } from '../../../src/agent/layers/session-memory/notes-file.js';
import { layerParams } from '../../../src/agent/layers/support/param-reader.js';
import { createFiles, type Files } from '../../../src/core/base/files.js';
import { createRandom } from '../../../src/core/base/random.js';
import { type Block, createBlock } from '../../../src/core/model/block.js';
import {
  createMessage,
  type Message,
  type MessageInit,
  messageTokens,
} from '../../../src/core/model/message.js';
import { literalText } from '../../../src/core/model/text.js';
import { soloSession } from '../../../src/core/model/transcript.js';
import type { Action, Answer, LayerReport, Outcome } from '../../../src/core/run/action.js';
import type { ContextView, HookContext, LayerContext } from '../../../src/core/run/layer.js';
import { Limits } from '../../../src/core/run/limit.js';
import type { ParamSpec, ParamValues } from '../../../src/core/run/params.js';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { callOf, resultOf } from '../blocks.js';

function defaults(specs: readonly ParamSpec[]): Record<string, ParamValues[string]> {
  return Object.fromEntries(specs.map((spec) => [spec.path, spec.default]));
}

/** A text block whose rough estimate and true count are both the given tokens. */
export function words(tokens: number, role: 'user' | 'assistant' = 'user'): Block {
  return createBlock({ kind: 'text', role, tokens, chars: tokens * 4 });
}

/** A tool call of one token. */
export function toolUse(id: string): Block {
  return callOf(id, 1, { chars: 4, tool: 'Read' });
}

/** A tool result of this many tokens. */
export function toolResult(id: string, tokens = 1): Block {
  return resultOf(id, tokens, { chars: tokens * 4, tool: 'Read' });
}

/** A message of the user or a tool. */
export function userMessage(id: string, blocks: readonly Block[], init: Partial<MessageInit> = {}): Message {
  return createMessage({ id, role: 'user', origin: 'human', blocks, at: 0, ...init });
}

/** A message of the model. */
export function modelMessage(id: string, blocks: readonly Block[], init: Partial<MessageInit> = {}): Message {
  return createMessage({ id, role: 'assistant', origin: 'model', blocks, at: 0, ...init });
}

/** A layer's context with every default, and some parameters set otherwise. */
export function layerContext(set: ParamValues = {}, estimatorFactor = 1): LayerContext {
  const params = {
    ...defaults(layerParams('restore')),
    ...defaults(SESSION_MEMORY_PARAMS),
    ...defaults(layerParams('window')),
    'counter.newContent': 'rough',
    'counter.jsonBytesPerToken': null,
    ...set,
  };
  return {
    params,
    nextUse: () => Number.POSITIVE_INFINITY,
    limits: new Limits({ name: 'driven', params }),
    isSumming: false,
    thread: 'main',
    source: 'main',
    model: () => ({ name: 'claude-x', window: 200_000, maxOutput: 32_000 }),
    plan: { estimatorFactor } as RunPlan,
    random: createRandom(1),
    shared: new Map(),
    session: soloSession(),
  };
}

/** A moment after a response, unless said otherwise. */
export function moment(now = 0, init: Partial<HookContext> = {}): HookContext {
  return {
    point: 'after-response',
    now,
    turn: 1,
    prompt: 1,
    source: 'main',
    lastResponseMs: null,
    manual: null,
    ...init,
  };
}

/** A view over messages. */
export function viewOf(
  messages: readonly Message[],
  seenTokens: number,
  files: Files = createFiles(),
): ContextView {
  let total = 0;
  for (const message of messages) total += messageTokens(message);
  return {
    messages,
    prefix: [],
    prefixTokens: 0,
    trueTokens: total,
    seenTokens,
    seenBy: () => 0,
    files,
    cacheIsWarm: true,
    cacheExpiresMs: null,
    cacheLifetimeMs: null,
    deletedTokens: 0,
  };
}

/** An answer of the LLM with the given text. */
export function notesAnswer(text: string, endMs: number, init: Partial<Answer> = {}): Outcome {
  const answer: Answer = {
    text: literalText(text),
    tokens: Math.ceil(text.length / 4),
    sections: null,
    scratchpadTokens: 0,
    digest: text.length,
    usage: { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 },
    stopReason: 'end_turn',
    form: 'normal',
    endMs,
    ...init,
  };
  return { kind: 'answer', answer };
}

/** What a generator did. */
export interface Driven<T> {
  readonly actions: readonly Action[];
  readonly result: T;
}

/** Runs a layer's generator: files are written, questions are answered, everything else is done. */
export function drive<T>(
  steps: Generator<Action, T, Outcome>,
  files: Files,
  answer: Outcome = { kind: 'done' },
): Driven<T> {
  const actions: Action[] = [];
  let step = steps.next();
  while (!step.done) {
    const action = step.value;
    actions.push(action);
    if (action.kind === 'write-file') files.write(action.path, action.text, 0);
    step = steps.next(action.kind === 'ask' ? answer : { kind: 'done' });
  }
  return { actions, result: step.value };
}

/** The actions of one kind. */
export function only<K extends Action['kind']>(
  driven: Driven<unknown>,
  kind: K,
): Extract<Action, { kind: K }>[] {
  return driven.actions.filter((action): action is Extract<Action, { kind: K }> => action.kind === kind);
}

/** The single report of a run. */
export function reportOf(driven: Driven<unknown>): LayerReport {
  const reports = only(driven, 'report');
  if (reports.length !== 1) throw new Error(`${reports.length} reports`);
  return reports[0]!.entry;
}
