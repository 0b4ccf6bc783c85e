import { MS_PER_SECOND } from '../../core/base/clock.js';
import type { Random } from '../../core/base/random.js';
import { type Block, createBlock } from '../../core/model/block.js';
import { type Message, messageTokens } from '../../core/model/message.js';
import type { Breakpoint, DeletedContent, PrefixView } from '../../core/model/prefix.js';
import type { AskRequest, CallFailure, Outcome } from '../../core/run/action.js';
import type { FaultRule } from '../../core/run/run-plan.js';
import { type LevelSalts, levelSalts, otherBudget } from '../../provider/cache/salts.js';
import {
  type ComposedAnswer,
  composeAnswer,
  type Question,
} from '../../provider/fake-llm/answers/compose-answer.js';
import { isTransient, parseFailure, retryDelayMs } from '../../provider/fake-llm/failures.js';
import type { ModelRow } from '../../provider/prices/model-row.js';
import { Context } from '../context/context.js';
import { ForkView } from '../context/fork-view.js';
import { breakpointsOf } from './main-request.js';
import type { RunningThread } from './running-thread.js';
import { FIRST_KEY, saltsUnder } from './thread-model.js';

/** Simulated time between keep-alives while a call holds the thread up (FUL-5). */
const KEEP_ALIVE_MS = 30 * MS_PER_SECOND;

/** Asks the LLM for a layer: builds the request, sends it, retries what is transient, and composes the answer. */
export function ask(run: RunningThread, request: AskRequest): Outcome {
  const shown = viewOf(run, request);
  try {
    return exchange(run, request, shown);
  } finally {
    if (shown.view instanceof ForkView) shown.view.close();
  }
}

/** A request as a layer sends it. */
interface Shown {
  readonly view: PrefixView;
  readonly freshTokens: number;
  /** A fork carries the thread's deletions with it (MIC-3); on another model, or with a prefix of its own, it sends everything. */
  readonly deleted: DeletedContent | null;
}

function exchange(run: RunningThread, request: AskRequest, { view, freshTokens, deleted }: Shown): Outcome {
  const { env } = run;
  const random = run.askRandom(request.purpose);
  const own = otherModel(run, request);
  const model = own ?? run.model.row;
  const question: Question = {
    messages: request.about ?? request.messages,
    tokens: conversationTokens(view, request.instruction),
    digest: view.digests[view.length - 1]!,
    maxOutputTokens: Math.min(request.maxOutputTokens ?? Number.POSITIVE_INFINITY, model.maxOutput), // C19
  };
  const compose = (fault: FaultRule | null): ComposedAnswer =>
    composeAnswer(request.answer, question, env.answers, random, fault);
  const planned = compose(null);
  const images = run.context.hasImages() ? 'images' : 'no-images';
  const salts =
    own === null
      ? budgetSalts(request, run.model.saltsFor(images, run.client.key))
      : saltsUnder(
          { ...FIRST_KEY, session: run.client.key.session },
          levelSalts({ model: own, imagesPresent: images === 'images' }),
        );
  let startMs = run.now;
  for (let attempt = 0; ; attempt++) {
    const reply = run.exchange.send(
      {
        purpose: request.purpose,
        turn: run.turn,
        model,
        salts,
        view,
        breakpoints: marksOf(run, request, view),
        startMs,
        write: request.write,
        windowTokens: own === null ? run.model.apiWindow() : own.window,
        outputTokens: planned.outputTokens,
        outputWith: (fault) => compose(fault).outputTokens,
        recordedLatencyMs: null,
        outsideTokens: run.client.outsideTokens(view, model),
        seen: null,
        kept: null,
        untouched: null,
        freshTokens,
        firstChanged: null,
        announced: request.shape.kind === 'own' ? 'system' : null,
        deleted,
        risk: 0,
        adjust: null,
      },
      'beside',
    );
    run.tally.calls++;
    const endMs = startMs + reply.latencyMs;
    if (reply.ok) {
      run.tally.costNano += reply.cost?.totalNano ?? 0;
      const isThere = request.write === 'write' || reply.usage.cacheRead > 0;
      if (request.purpose === 'keep_alive' && isThere) run.noteKeptAlive(startMs);
      finishTime(run, request, endMs);
      const answer = reply.fault === null ? planned : compose(reply.fault);
      const { text, tokens, sections, scratchpadTokens, digest, stopReason, form } = answer;
      return {
        kind: 'answer',
        answer: {
          text,
          tokens,
          sections,
          scratchpadTokens,
          digest,
          usage: reply.usage,
          stopReason,
          form,
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

/** The salts of a request that may think with a budget of its own: nothing of the thread's messages is found then (R11). */
function budgetSalts({ shape }: AskRequest, salts: LevelSalts): LevelSalts {
  return shape.kind === 'fork' && shape.thinking === 'own-budget' ? otherBudget(salts) : salts;
}

/** Where a request of a layer marks the cache. */
function marksOf(run: RunningThread, request: AskRequest, view: PrefixView): readonly Breakpoint[] {
  const { shape } = request;
  if (shape.kind === 'own' && shape.breakpoints === 'off') return [];
  const marks = breakpointsOf(run, view, null);
  const last = marks.at(-1);
  if (shape.kind === 'own' || shape.mark !== 'before-last' || last?.position !== view.length - 1)
    return marks;
  const position = beforeLastMessage(view.length, request);
  return position < view.systemEnd ? marks.slice(0, -1) : [...marks.slice(0, -1), { ...last, position }];
}

/** Last position of the response in front of what a request says last: results of tools and the instruction are one message. */
function beforeLastMessage(
  length: number,
  { messages, ownTurns = NO_TURNS, instruction }: AskRequest,
): number {
  let position = length - 1 - instruction.blocks.length;
  const said = [...messages, ...ownTurns];
  for (let i = said.length - 1; i >= 0 && said[i]!.role === 'user'; i--) position -= said[i]!.blocks.length;
  return position;
}

/** Tokens of a request without its prefix and the instruction at its end. */
function conversationTokens(view: PrefixView, instruction: Message): number {
  const before = view.systemEnd === 0 ? 0 : view.sums[view.systemEnd - 1]!;
  return view.sums[view.length - 1]! - before - messageTokens(instruction);
}

/** The model of a call where it is not the thread's own: it shares no cache with it (C20). */
function otherModel(run: RunningThread, request: AskRequest): ModelRow | null {
  if (request.model === undefined) return null;
  const row = run.model.models.orUnknown(request.model);
  return row.id === run.model.row.id ? null : row;
}

/** A blocking call holds the thread up until it is over, with keep-alives on the way (FUL-5). */
function finishTime(run: RunningThread, request: AskRequest, endMs: number): void {
  if (request.mode !== 'blocking') return;
  const took = endMs - run.now;
  run.tally.keepAlives += Math.floor(took / KEEP_ALIVE_MS);
  run.pass(took);
}

const NO_TURNS: readonly Message[] = [];

/** The request a layer sends: a fork of the thread's own, or one with a prefix of its own. */
function viewOf(run: RunningThread, request: AskRequest): Shown {
  const { shape, messages, ownTurns = NO_TURNS, instruction } = request;
  const instructionTokens = messageTokens(instruction);
  const shared = shape.kind === 'fork' ? sharedMessages(run.context, messages) : 0;
  if (shared > 0) {
    const { context } = run;
    const length = context.endOfMessages(shared);
    const added: Block[] = [];
    for (let i = shared; i < messages.length; i++) lay(messages[i]!, added);
    let freshTokens = context.freshBefore(length);
    if (added.length > 0) freshTokens += context.freshAmong(added, length);
    const laid = added.length;
    for (let i = 0; i < ownTurns.length; i++) lay(ownTurns[i]!, added);
    lay(instruction, added);
    for (let i = laid; i < added.length; i++) freshTokens += added[i]!.tokens;
    const deleted = otherModel(run, request) === null ? run.view.deletions.within(length, added) : null;
    return { view: new ForkView(context, length, added), freshTokens, deleted };
  }
  const prefix =
    shape.kind === 'fork'
      ? run.context.prefix
      : ownPrefix(shape.systemTokens, shape.toolTokens, request.purpose);
  const context = new Context(prefix);
  context.extend([...messages, ...ownTurns, instruction]);
  context.seal(run.now);
  const prefixFresh = shape.kind === 'fork' ? 0 : context.prefixTokens;
  return {
    view: context,
    freshTokens: prefixFresh + instructionTokens + Math.min(run.context.freshTokens, context.trueTokens),
    deleted: shape.kind === 'fork' ? run.view.deletions.within(0, context.blocks) : null,
  };
}

function lay({ blocks }: Message, added: Block[]): void {
  for (let i = 0; i < blocks.length; i++) added.push(blocks[i]!);
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

/** The chance in what layers of a thread are answered: the same call draws the same, whatever others asked (INV-11). */
export class AskDraws {
  private readonly counts = new Map<string, number>();

  constructor(private readonly random: Random) {}

  /** A generator for the next call of a purpose. */
  next(purpose: string): Random {
    const count = (this.counts.get(purpose) ?? 0) + 1;
    this.counts.set(purpose, count);
    return this.random.split(`${purpose} ${count}`);
  }
}
