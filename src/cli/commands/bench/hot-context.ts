import { createFiles } from '../../../core/base/files.js';
import { createRandom } from '../../../core/base/random.js';
import { createMessage, type Message, tokensOf } from '../../../core/model/message.js';
import { soloSession } from '../../../core/model/transcript.js';
import type { LayerContext } from '../../../core/run/layer.js';
import { Limits } from '../../../core/run/limit.js';
import type { ParamValues } from '../../../core/run/params.js';
import { Context } from '../../../engine/context/context.js';
import { ThreadView } from '../../../engine/context/thread-view.js';
import { counterRules, SeenCounter } from '../../../engine/counting/seen-counter.js';
import { MutableHookContext } from '../../../engine/thread/layer-host.js';
import { benchPlan, benchTranscript } from './plan.js';

/** A conversation of a given size, ready to be sent, with everything a layer or the loop asks for. */
export interface HotContext {
  /** Tokens of its turns; tools, system and the first prompt are the same at every size. */
  readonly tokens: number;
  readonly context: Context;
  readonly seen: SeenCounter;
  readonly view: ThreadView;
  readonly moment: MutableHookContext;
  readonly messages: readonly Message[];
  /** The messages of one more turn: a response and the results of its calls. */
  readonly nextTurn: readonly Message[];
  readonly layerContext: LayerContext;
  readonly params: ParamValues;
}

/** Turns of the source session: enough for a million tokens. */
const SOURCE_TURNS = 5_000;
/** Larger turns are left out: one of them would be most of a small context, and sizes could not be compared. */
const LARGEST_TURN_TOKENS = 2_000;

let source: readonly (readonly Message[])[] | null = null;

/** The turns of a long generated session, each a response and what came back for it; prompts stand at the end of a turn. */
function sourceTurns(): readonly (readonly Message[])[] {
  if (source !== null) return source;
  const turns: Message[][] = [[]];
  for (const step of benchTranscript(SOURCE_TURNS).threads[0]!.steps) {
    if (step.kind === 'message') turns.at(-1)!.push(step.message);
    else if (step.kind === 'call')
      turns.push([createMessage({ ...step.call.response, responseId: step.call.id })]);
  }
  source = turns.filter(
    (turn, i) => i === 0 || (turn.at(-1)?.role === 'user' && tokensOf(turn) <= LARGEST_TURN_TOKENS),
  );
  return source;
}

/** Builds a context of about this many tokens, besides tools, system and the first prompt, under the parameters of a policy. */
export function hotContext(tokens: number, policy: string): HotContext {
  const plan = benchPlan(policy);
  const params = plan.policy.params;
  const turns = sourceTurns();
  const context = new Context(benchTranscript(1).threads[0]!.prefix);
  const seen = new SeenCounter(counterRules(params, 1));
  const join = (message: Message): void => {
    context.extend([message]);
    seen.add(message);
  };
  turns[0]!.forEach(join);
  const openedWith = context.trueTokens;
  let next = 1;
  while (next < turns.length - 1 && context.trueTokens - openedWith < tokens) turns[next++]!.forEach(join);
  const nextTurn = turns[next]!;
  const view = new ThreadView(context, seen, createFiles());
  view.cacheIsWarm = true;
  const moment = new MutableHookContext('main');
  moment.now = 1_000_000;
  moment.lastResponseMs = 990_000;
  return {
    tokens: context.trueTokens - openedWith,
    context,
    seen,
    view,
    moment,
    messages: context.messages,
    nextTurn,
    params,
    layerContext: {
      params,
      thread: 'main',
      source: 'main',
      model: () => ({ name: 'claude-sonnet-4-5', window: 200_000, maxOutput: 64_000 }),
      plan,
      nextUse: () => Number.POSITIVE_INFINITY,
      limits: new Limits(plan.policy),
      random: createRandom('hot'),
      shared: new Map(),
      session: soloSession(),
    },
  };
}
