import { createFiles } from '../base/files.js';
import { createRandom } from '../base/random.js';
import { Context } from '../engine/context.js';
import { counterRules, SeenCounter } from '../engine/seen-counter.js';
import { ThreadView } from '../engine/thread-view.js';
import { MutableMoment } from '../engine/tier-host.js';
import { createMessage, type Message } from '../model/message.js';
import type { ParamValues } from '../model/params.js';
import { soloSession } from '../model/session.js';
import type { TierContext } from '../model/tier.js';
import { benchPlan, benchTranscript } from './plan.js';

/** A conversation of a given size, ready to be sent, with everything a tier or the loop asks for. */
export interface HotContext {
  readonly context: Context;
  readonly seen: SeenCounter;
  readonly view: ThreadView;
  readonly moment: MutableMoment;
  readonly messages: readonly Message[];
  /** The messages of one more turn: a response and the results of its calls. */
  readonly nextTurn: readonly Message[];
  readonly tierContext: TierContext;
  readonly params: ParamValues;
}

/** Turns of the source session: enough for a million tokens. */
const SOURCE_TURNS = 2_500;

let source: readonly Message[] | null = null;

/** The messages of a long generated session, responses in their places. */
function sourceMessages(): readonly Message[] {
  source ??= benchTranscript(SOURCE_TURNS).threads[0]!.steps.flatMap((step) => {
    if (step.kind === 'message') return [step.message];
    return step.kind === 'call' ? [createMessage({ ...step.call.response, responseId: step.call.id })] : [];
  });
  return source;
}

/** Builds a context whose messages hold about so many tokens, besides tools and system, under the parameters of a policy. */
export function hotContext(tokens: number, policy: string): HotContext {
  const plan = benchPlan(policy);
  const params = plan.policy.params;
  const all = sourceMessages();
  const context = new Context(benchTranscript(1).threads[0]!.prefix);
  const seen = new SeenCounter(counterRules(params, 1));
  const isFull = (): boolean => context.trueTokens - context.prefixTokens >= tokens;
  let i = 0;
  while (i < all.length && !(isFull() && all[i]!.role === 'assistant')) {
    const message = all[i++]!;
    context.extend([message]);
    seen.add(message);
  }
  const answered = all.findIndex((message, k) => k > i && message.role === 'assistant');
  const nextTurn = all.slice(i, answered);
  const view = new ThreadView(context, seen, createFiles());
  view.cacheIsWarm = true;
  const moment = new MutableMoment('main');
  moment.now = 1_000_000;
  moment.lastResponseMs = 990_000;
  return {
    context,
    seen,
    view,
    moment,
    messages: context.messages,
    nextTurn,
    params,
    tierContext: {
      params,
      thread: 'main',
      source: 'main',
      model: () => ({ name: 'claude-sonnet-4-5', window: 200_000, maxOutput: 64_000 }),
      plan,
      random: createRandom('hot'),
      shared: new Map(),
      session: soloSession(),
    },
  };
}
