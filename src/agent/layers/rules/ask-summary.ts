import { type Message, messageTokens, tokensOf, withBlocks } from '../../../core/model/message.js';
import type { Action, Answer, AskRequest, CallFailure, Outcome } from '../../../core/run/action.js';
import type { AcceptPart, AskPart, AskShapePart, FailPart } from '../../../core/run/parts.js';
import type { Moment, TierContext } from '../../../core/run/tier.js';
import { MIDDLE, parseAmount, type Sizes } from '../../policy-file/expression.js';
import { summaryInstruction } from '../full-compact/prompt.js';
import { groupByRound } from '../full-compact/rounds.js';
import type { FailureName } from '../full-compact/summarise.js';
import { param } from '../support/param-reader.js';
import { answerMessage, asText, joined } from './answers.js';
import { shrinkSteps, shrunk } from './shrink-request.js';
import { shorter } from './split-history.js';

/** What a summary is asked for. */
export interface SummaryOrder {
  readonly id: string;
  readonly moment: Moment;
  readonly context: TierContext;
  readonly sizes: Sizes;
  readonly ask: AskPart;
  readonly accept: readonly AcceptPart[];
  readonly fail: FailPart;
  /** What the summary is about: the conversation up to the tail that stays. */
  readonly about: readonly Message[];
  /** The tail. */
  readonly after: readonly Message[];
}

/** How asking ended. */
export type SummaryResult =
  | {
      readonly ok: true;
      readonly answer: Answer;
      readonly sent: readonly Message[];
      readonly requests: number;
      readonly shape: AskShapePart;
    }
  | {
      readonly ok: false;
      readonly failure: FailureName;
      readonly message: string;
      readonly requests: number;
    };

interface Miss {
  readonly ok: false;
  readonly failure: FailureName;
  readonly message: string;
  readonly gapTokens: number | null;
}

const BY = { layer: 'rules', reason: 'summary request' } as const;

/** Requests that were made for one summary. */
interface Count {
  requests: number;
}

/** Asks for a summary: the shapes in turn, repeated and shortened as the rule says. */
export function* askForSummary(order: SummaryOrder): Generator<Action, SummaryResult, Outcome> {
  const count: Count = { requests: 0 };
  const { ask, fail } = order;
  let about = order.about;
  const steps = shrinkSteps(fail.shrink);
  for (;;) {
    let miss: Miss | null = null;
    for (const shape of ask.shapes) {
      const result: { readonly ok: true; readonly answer: Answer } | Miss = yield* askShape(
        order,
        shape,
        about,
        count,
      );
      if (result.ok) return { ok: true, answer: result.answer, sent: about, requests: count.requests, shape };
      miss = result;
      if (result.failure === 'aborted') break;
    }
    const { failure, message, gapTokens } = miss!;
    let rest = about;
    while (failure === 'prompt-too-long' && !isSentShorter(order, rest, about)) {
      const step = steps.next().value;
      if (step === undefined) break;
      const candidate = shrunk(rest, step, { whole: order.about, gapTokens, now: order.moment.now });
      if (candidate !== null && tokensOf(candidate) < tokensOf(rest)) rest = candidate;
    }
    if (!isSentShorter(order, rest, about)) return { ok: false, failure, message, requests: count.requests };
    about = rest;
  }
}

/** Whether less is sent in every shape: of a request for the newest part alone, leaving out what is older takes nothing away. */
function isSentShorter(order: SummaryOrder, rest: readonly Message[], before: readonly Message[]): boolean {
  return order.ask.shapes.every(
    (shape) => tokensOf(shownIn(order, shape, rest)) < tokensOf(shownIn(order, shape, before)),
  );
}

/** What a shape shows of a conversation: all of it where it shares the prefix, what the rule prepares otherwise. */
function shownIn(order: SummaryOrder, shape: AskShapePart, about: readonly Message[]): readonly Message[] {
  return sharesPrefix(shape) ? about : prepared(order, about);
}

function sharesPrefix(shape: AskShapePart): boolean {
  return shape === 'extend' || shape === 'fork' || shape === 'native';
}

/** One shape of the request, with its calls; what is rejected or failed is repeated. */
function* askShape(
  order: SummaryOrder,
  shape: AskShapePart,
  about: readonly Message[],
  count: Count,
): Generator<Action, { readonly ok: true; readonly answer: Answer } | Miss, Outcome> {
  const { retry } = order.fail;
  for (let attempt = 0; ; attempt++) {
    const result = yield* askCalls(order, shape, about, count);
    if (
      result.ok ||
      attempt >= retry.n ||
      result.failure === 'aborted' ||
      result.failure === 'prompt-too-long'
    )
      return result;
    if (retry.backoffMs > 0) yield { kind: 'wait', by: BY, ms: retry.backoffMs * 2 ** attempt };
  }
}

/** The calls that one summary takes. */
function* askCalls(
  order: SummaryOrder,
  shape: AskShapePart,
  about: readonly Message[],
  count: Count,
): Generator<Action, { readonly ok: true; readonly answer: Answer } | Miss, Outcome> {
  const { calls } = order.ask;
  if (calls.kind === 'verify') {
    const first = yield* askOnce(order, shape, about, [], count);
    if (!first.ok) return first;
    const draft = answerMessage(`${order.id}-draft`, order.moment.now, 'assistant', first.answer);
    const second = yield* askOnce(order, shape, about, [draft], count);
    return second.ok ? second : first;
  }
  let pieces = piecesOf(order, about);
  for (let level = 1; ; level++) {
    const answers: Answer[] = [];
    for (const piece of pieces) {
      const result = yield* askOnce(
        level === 1 ? order : { ...order, after: [] },
        level > 1 && (shape === 'extend' || shape === 'fork') ? 'own' : shape,
        piece,
        [],
        count,
      );
      if (!result.ok) return result;
      answers.push(result.answer);
    }
    if (calls.kind !== 'chunks' || answers.length < 2 || level >= calls.depth)
      return { ok: true, answer: joined(answers) };
    const summaries = answers.map((answer, i) =>
      answerMessage(`${order.id}-chunk-${level}-${i}`, order.moment.now, 'user', answer),
    );
    // The last level has one call; before it, summaries that do not fit into one piece are pieces again.
    pieces =
      level + 1 >= calls.depth
        ? [summaries]
        : chunksOf(
            summaries.map((summary) => [summary]),
            parseAmount(calls.tokens)(order.sizes, MIDDLE),
          );
  }
}

/** The pieces of a conversation that are summarised one by one. */
function piecesOf(
  { ask: { calls }, sizes }: SummaryOrder,
  about: readonly Message[],
): readonly (readonly Message[])[] {
  if (calls.kind === 'split-turn') {
    const turn = about.findLastIndex(({ origin }) => origin === 'human');
    return turn > 0 ? [about.slice(0, turn), about.slice(turn)] : [about];
  }
  if (calls.kind !== 'chunks') return [about];
  return chunksOf(groupByRound(about), parseAmount(calls.tokens)(sizes, MIDDLE));
}

/** Groups put together as long as they fit into so many tokens. */
function chunksOf(groups: readonly (readonly Message[])[], limit: number): readonly (readonly Message[])[] {
  const pieces: Message[][] = [[]];
  let size = 0;
  for (const group of groups) {
    const tokens = tokensOf(group);
    if (size > 0 && size + tokens > limit) {
      pieces.push([]);
      size = 0;
    }
    pieces.at(-1)!.push(...group);
    size += tokens;
  }
  return pieces;
}

/** One request and what the client makes of its answer. */
function* askOnce(
  order: SummaryOrder,
  shape: AskShapePart,
  about: readonly Message[],
  ownTurns: readonly Message[],
  count: Count,
): Generator<Action, { readonly ok: true; readonly answer: Answer } | Miss, Outcome> {
  count.requests++;
  const outcome: Outcome = yield {
    kind: 'ask',
    by: BY,
    request: requestFor(order, shape, about, ownTurns, count.requests),
  };
  if (outcome.kind === 'failed') return failed(outcome.failure);
  if (outcome.kind === 'done') return missed('no-summary', 'the answer held no summary');
  const fault = faultOf(outcome.answer, order.accept);
  return fault ?? { ok: true, answer: outcome.answer };
}

/** The request of a shape. */
function requestFor(
  order: SummaryOrder,
  shape: AskShapePart,
  about: readonly Message[],
  ownTurns: readonly Message[],
  n: number,
): AskRequest {
  const { ask, context, moment, id } = order;
  const { params } = context;
  const shares = sharesPrefix(shape);
  const isWhole = shape === 'extend' && about === order.about;
  const seen = shownIn(order, shape, about);
  const shown = isWhole ? [...seen, ...order.after] : seen;
  const messages = shape === 'text' ? [asText(`${id}-text-${n}`, moment.now, shown)] : shown;
  return {
    purpose: 'compact',
    shape: shares
      ? { kind: 'fork' }
      : {
          kind: 'own',
          systemTokens: ask.systemTokens,
          toolTokens: ask.toolTokens,
          breakpoints: ownMarks(ask),
        },
    messages,
    ...(ownTurns.length === 0 ? {} : { ownTurns }),
    about: seen,
    instruction: summaryInstruction(
      `${id}-instruction`,
      moment.now,
      'full',
      moment.manual?.instructions ?? '',
      [],
    ),
    write: shares && ask.marks === 'off' ? 'read-only' : 'write',
    maxOutputTokens: ask.output,
    retries: param.number(params, 'client.retries'),
    mode: ask.run.kind === 'wait' ? 'blocking' : 'background',
    ...(ask.model === null ? {} : { model: ask.model }),
    answer: { kind: 'summary', style: 'full', quoteTokens: param.number(params, 'compact.quoteTokens') },
  };
}

/** A request that only follows one which shares the prefix marks nothing: nobody would read it. */
function ownMarks({ shapes, marks }: AskPart): 'on' | 'off' {
  return shapes.every((shape) => shape === 'own' || shape === 'text') ? marks : 'off';
}

/** What a request with a prefix of its own sends: less, where the rule says so. */
function prepared({ ask: { input } }: SummaryOrder, about: readonly Message[]): readonly Message[] {
  let messages = about;
  if (input.scope === 'since-last') {
    const last = messages.findLastIndex(({ origin }) => origin === 'summary');
    if (last > 0) messages = messages.slice(last);
  }
  if (input.drop.length > 0) {
    const gone = new Set<string>(
      input.drop.flatMap((what) => (what === 'media' ? ['image', 'document'] : ['thinking'])),
    );
    messages = messages
      .map((message) =>
        withBlocks(
          message,
          message.blocks.filter(({ kind }) => !gone.has(kind)),
        ),
      )
      .filter(({ blocks }) => blocks.length > 0);
  }
  if (input.results !== null) {
    const { over, chars } = input.results;
    messages = messages.map((message) =>
      withBlocks(
        message,
        message.blocks.map((block) =>
          block.kind === 'tool_result' && block.chars > over
            ? shorter(block, Math.max(1, Math.round((block.tokens * chars) / block.chars)))
            : block,
        ),
      ),
    );
  }
  if (input.lastTokens === null) return messages;
  let from = messages.length;
  let sum = 0;
  while (from > 0 && sum + messageTokens(messages[from - 1]!) <= input.lastTokens)
    sum += messageTokens(messages[--from]!);
  while (from < messages.length && messages[from]!.blocks.some(({ kind }) => kind === 'tool_result')) from++;
  return messages.slice(from);
}

/** What is wrong with an answer that a rule rejects; null when it is accepted. */
function faultOf({ form }: Answer, accept: readonly AcceptPart[]): Miss | null {
  const rejects = (kind: AcceptPart['kind']): boolean => accept.some((part) => part.kind === kind);
  if (form === 'error') return missed('api-error', 'an error text came back in the place of a summary');
  if (form === 'empty' && rejects('empty')) return missed('no-summary', 'the answer held no summary');
  // An answer that only calls a tool holds no text either.
  if (form === 'tool-call' && (rejects('tool-call') || rejects('empty')))
    return missed('tool-call', 'the model called a tool instead of writing the summary');
  if (form === 'cut' && rejects('cut')) return missed('no-summary', 'the answer was cut at its output limit');
  if (form === 'untagged' && rejects('untagged'))
    return missed('no-summary', 'the summary came without its tags');
  return null;
}

function missed(failure: FailureName, message: string): Miss {
  return { ok: false, failure, message, gapTokens: null };
}

function failed({ reason, message, gapTokens }: CallFailure): Miss {
  const failure = reason === 'prompt-too-long' || reason === 'aborted' ? reason : 'api-error';
  return { ok: false, failure, message, gapTokens };
}
