import { MS_PER_SECOND } from '../base/clock.js';
import { resolveModel } from '../cache/models.js';
import { levelSalts } from '../cache/salts.js';
import { type ComposedAnswer, composeAnswer } from '../llm/answers/compose-answer.js';
import { isTransient, parseFailure, retryDelayMs } from '../llm/failures.js';
import type { Answer, AskRequest, CallFailure, Outcome } from '../model/action.js';
import { type Block, createBlock } from '../model/block.js';
import type { PrefixView } from '../model/prefix.js';
import { lazyText } from '../model/text.js';
import { Context } from './context.js';
import { ForkView } from './fork-view.js';
import { breakpointsOf } from './main-request.js';
import type { ThreadRun } from './thread-run.js';

/** Simulated time between keep-alives while a layer's call runs (FUL-5). */
const KEEP_ALIVE_MS = 30 * MS_PER_SECOND;

/** Asks the LLM for a layer: builds the request, sends it, retries what is transient, and composes the answer. */
export function ask(run: ThreadRun, request: AskRequest): Outcome {
  const { env } = run;
  const random = run.askRandom(request.purpose);
  // The conversation goes on changing; an answer whose words are made later is about what was sent.
  const about = [...(request.about ?? request.messages)];
  const planned = composeAnswer(
    request.answer,
    about,
    request.instruction,
    env.plan.llm.fake,
    random.split('answer'),
    null,
  );
  const capped =
    request.maxOutputTokens === null
      ? planned.outputTokens
      : Math.min(planned.outputTokens, request.maxOutputTokens);
  const { view, freshTokens } = viewOf(run, request);
  const images = run.context.hasImages() ? 'images' : 'no-images';
  const own = request.model === undefined ? null : resolveModel(request.model);
  const model = own ?? run.model.row;
  const salts =
    own === null
      ? run.model.saltsFor(images, null)
      : levelSalts({ model: own, imagesPresent: images === 'images' });
  let startMs = run.now;
  for (let attempt = 0; ; attempt++) {
    const reply = run.exchange.send(
      {
        purpose: request.purpose,
        turn: run.turn,
        model,
        salts,
        view,
        breakpoints:
          request.shape.kind === 'own' && request.shape.breakpoints === 'off'
            ? []
            : breakpointsOf(run, view, null),
        startMs,
        write: request.write,
        windowTokens: windowFor(run, request),
        outputTokens: capped,
        recordedLatencyMs: null,
        seen: null,
        kept: null,
        freshTokens,
        firstChanged: null,
        announced: request.shape.kind === 'own' ? 'system' : null,
        deletedTokens: request.shape.kind === 'own' ? 0 : run.view.deletedTokens,
        unbilledTokens: 0,
      },
      'beside',
    );
    run.tally.calls++;
    const endMs = startMs + reply.latencyMs;
    if (reply.ok) {
      run.tally.costNano += reply.cost?.totalNano ?? 0;
      finishTime(run, request, endMs);
      const answer =
        reply.fault === null
          ? planned
          : composeAnswer(
              request.answer,
              about,
              request.instruction,
              env.plan.llm.fake,
              random.split('answer'),
              reply.fault,
            );
      return {
        kind: 'answer',
        answer: {
          ...withinLimit(answer, capped),
          scratchpadTokens: answer.scratchpadTokens,
          digest: answer.digest,
          usage: reply.usage,
          stopReason: capped < answer.outputTokens ? 'max_tokens' : answer.stopReason,
          form: answer.form,
          endMs,
        },
      };
    }
    const failure: CallFailure = parseFailure(reply.error);
    if (!isTransient(failure) || attempt >= request.retries) {
      finishTime(run, request, endMs);
      return { kind: 'failed', failure };
    }
    startMs = endMs + retryDelayMs(attempt, random, reply.retryAfterSeconds);
  }
}

/** An answer that ran into its output limit ends there. */
function withinLimit(answer: ComposedAnswer, limit: number): Pick<Answer, 'text' | 'tokens'> {
  const { text, tokens, scratchpadTokens, outputTokens } = answer;
  if (outputTokens <= limit) return { text, tokens };
  const chars = Math.floor((text.chars * limit) / outputTokens);
  return {
    text: lazyText(chars, () => text.read().slice(0, chars)),
    tokens: Math.max(0, limit - scratchpadTokens),
  };
}

/** A fork carries the thread's deletions with it (MIC-3); a call with a prefix of its own sends everything. */
function windowFor(run: ThreadRun, request: AskRequest): number | null {
  if (request.model !== undefined) return resolveModel(request.model).window;
  const window = run.model.apiWindow();
  if (window === null || request.shape.kind === 'own') return window;
  return window + run.view.deletedTokens;
}

/** A blocking call holds the thread up until it is over. */
function finishTime(run: ThreadRun, request: AskRequest, endMs: number): void {
  const took = endMs - run.now;
  run.tally.keepAlives += Math.floor(took / KEEP_ALIVE_MS);
  if (request.mode === 'blocking') run.pass(took);
}

/** The request a layer sends: a fork of the thread's own, or one with a prefix of its own. */
function viewOf(
  run: ThreadRun,
  request: AskRequest,
): { readonly view: PrefixView; readonly freshTokens: number } {
  const { shape, messages, instruction } = request;
  const instructionTokens = instruction.blocks.reduce((sum, block) => sum + block.tokens, 0);
  const shared = shape.kind === 'fork' ? sharedMessages(run.context, messages) : 0;
  if (shared > 0) {
    const added = [...messages.slice(shared), instruction].flatMap((message) => message.blocks);
    const length = run.context.endOfMessages(shared);
    const unsent = run.context.tokensBetween(run.context.unchanged, length);
    return {
      view: new ForkView(run.context, length, added),
      freshTokens: added.reduce(
        (sum, block) => sum + block.tokens,
        Math.min(run.context.freshTokens, unsent),
      ),
    };
  }
  const prefix =
    shape.kind === 'fork'
      ? run.context.prefix
      : ownPrefix(shape.systemTokens, shape.toolTokens, request.purpose);
  const context = new Context(prefix);
  context.extend([...messages, instruction]);
  context.seal(run.now);
  const prefixFresh = shape.kind === 'fork' ? 0 : context.prefixTokens;
  return {
    view: context,
    freshTokens: prefixFresh + instructionTokens + Math.min(run.context.freshTokens, context.trueTokens),
  };
}

/** How many of the messages are the thread's own, from the start; none when they would leave a call unanswered. */
function sharedMessages(context: Context, messages: AskRequest['messages']): number {
  const own = context.messages;
  const length = Math.min(own.length, messages.length);
  let count = messages === own ? length : 0;
  while (count < length && own[count] === messages[count]) count++;
  return context.hasOpenCalls && count === own.length ? 0 : count;
}

function ownPrefix(systemTokens: number, toolTokens: number, purpose: string): readonly Block[] {
  const blocks: Block[] = [];
  if (toolTokens > 0)
    blocks.push(
      createBlock({ kind: 'tools', role: 'tools', tokens: toolTokens, text: `tools of ${purpose}` }),
    );
  blocks.push(
    createBlock({
      kind: 'system',
      role: 'system',
      tokens: systemTokens,
      text: `system prompt of ${purpose}`,
    }),
  );
  return blocks;
}
