import type { Mutable } from '../../../core/base/mutable.js';
import { type Message, tokensOf } from '../../../core/model/message.js';
import { isAmong } from '../../../core/model/model-name.js';
import type { Action, Answer, AskRequest, AskShape, CallFailure, Outcome } from '../../../core/run/action.js';
import type { AcceptPart, AskPart, AskShapePart } from '../../../core/run/policy-rules.js';
import { MIDDLE, parseAmount } from '../../policy-file/expression.js';
import { param } from '../support/param-reader.js';
import { answerMessage, asText, joined } from './new-history.js';
import { preparedInput, prepareForSummary } from './prepare.js';
import type { CompactionPlace, CompactionRule } from './rule-state.js';
import { shorterRequest, shrinkSteps } from './shrink-request.js';
import { groupByRound } from './split-history.js';

/** What a summary is asked for. */
export interface SummaryOrder {
  readonly id: string;
  readonly now: number;
  readonly place: CompactionPlace;
  readonly rule: Pick<CompactionRule, 'accept' | 'fail' | 'client'> & { readonly ask: AskPart };
  readonly instruction: Message;
  readonly style: 'full' | 'partial-up-to';
  /** The conversation up to the tail that stays. */
  readonly messages: readonly Message[];
  /** The part of it that the summary is about; absent for all. */
  readonly about?: readonly Message[];
  /** The tail. */
  readonly after: readonly Message[];
}

/** Why there is no summary (FUL-7). */
type FailureName = 'no-summary' | 'api-error' | 'prompt-too-long' | 'aborted' | 'tool-call';

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
  /** Whether an answer came that the rule rejects. */
  readonly isRejected: boolean;
}

type Try = { readonly ok: true; readonly answer: Answer } | Miss;

const BY = { layer: 'rules', reason: 'summary request' } as const;
const BY_CLIENT = { layer: 'full-compact', reason: 'summary request' } as const;

/** Requests that were made for one summary. */
interface Count {
  requests: number;
}

/** Asks for a summary: the shapes in turn, repeated and shortened as the rule says (FUL-4, FUL-6). */
export function* askForSummary(order: SummaryOrder): Generator<Action, SummaryResult, Outcome> {
  const count: Count = { requests: 0 };
  const { shapes } = order.rule.ask;
  if (order.rule.client?.nextShape !== 'after-failure') return yield* askShrinking(order, shapes, count);
  const first = yield* askShrinking(order, shapes.slice(0, 1), count);
  if (shapes.length < 2 || first.ok || first.failure === 'prompt-too-long' || first.failure === 'aborted')
    return first;
  return yield* askShrinking(order, shapes.slice(1), count);
}

/** Some shapes of the request in turn, shortened as long as the API calls the last too long. */
function* askShrinking(
  order: SummaryOrder,
  shapes: readonly AskShapePart[],
  count: Count,
): Generator<Action, SummaryResult, Outcome> {
  const whole = shapes.some(sharesPrefix) ? order.messages : stripped(order, order.messages);
  let messages = whole;
  const steps = shrinkSteps(order.rule.fail.shrink);
  for (;;) {
    let miss: Miss | null = null;
    for (const shape of shapes) {
      const result: Try = yield* askShape(order, shape, messages, count);
      if (result.ok) {
        const sent = sharesPrefix(shape) ? messages : stripped(order, messages);
        return { ok: true, answer: result.answer, sent, requests: count.requests, shape };
      }
      miss = result;
      if (result.failure === 'aborted') break;
    }
    const { failure, message, gapTokens } = miss!;
    const shorter =
      failure === 'prompt-too-long'
        ? shorterRequest(messages, steps, { whole, gapTokens, now: order.now }, (rest) =>
            isSentShorter(order, shapes, rest, messages),
          )
        : null;
    if (shorter === null) return { ok: false, failure, message, requests: count.requests };
    messages = shorter;
  }
}

/** Whether less is sent in every shape: of a request for the newest part alone, leaving out what is older takes nothing away. */
function isSentShorter(
  order: SummaryOrder,
  shapes: readonly AskShapePart[],
  rest: readonly Message[],
  before: readonly Message[],
): boolean {
  return shapes.every(
    (shape) => tokensOf(shownIn(order, shape, rest)) < tokensOf(shownIn(order, shape, before)),
  );
}

/** What a shape shows of a conversation: all of it where it shares the prefix, what the rule prepares otherwise. */
function shownIn(order: SummaryOrder, shape: AskShapePart, messages: readonly Message[]): readonly Message[] {
  return sharesPrefix(shape) ? messages : preparedInput(order.rule.ask.input, stripped(order, messages));
}

function stripped({ rule }: SummaryOrder, messages: readonly Message[]): readonly Message[] {
  return rule.client?.strips === true ? prepareForSummary(messages) : messages;
}

function sharesPrefix(shape: AskShapePart): boolean {
  return shape === 'extend' || shape === 'fork' || shape === 'native';
}

/** One shape of the request, with its calls; what is rejected or failed is repeated (C21). */
function* askShape(
  order: SummaryOrder,
  shape: AskShapePart,
  messages: readonly Message[],
  count: Count,
): Generator<Action, Try, Outcome> {
  const { client, fail } = order.rule;
  const { n, backoffMs } = fail.retry;
  let asksForTags = client?.asksAgainUntagged === true;
  for (let attempt = 0; ; ) {
    const result = yield* askCalls(order, shape, messages, count);
    if (result.ok) {
      if (!asksForTags || !isUntagged(result.answer)) return result;
      asksForTags = false;
      continue;
    }
    if (attempt >= n || result.failure === 'aborted' || result.failure === 'prompt-too-long') return result;
    if (client !== undefined && !result.isRejected) return result;
    if (backoffMs > 0) yield { kind: 'wait', by: BY, ms: backoffMs * 2 ** attempt };
    attempt++;
  }
}

/** The calls that one summary takes. */
function* askCalls(
  order: SummaryOrder,
  shape: AskShapePart,
  messages: readonly Message[],
  count: Count,
): Generator<Action, Try, Outcome> {
  const { calls } = order.rule.ask;
  if (calls.kind === 'verify') {
    const first = yield* askOnce(order, shape, messages, [], count);
    if (!first.ok) return first;
    const draft = answerMessage(`${order.id}-draft`, order.now, 'assistant', first.answer);
    const second = yield* askOnce(order, shape, messages, [draft], count);
    return second.ok ? second : first;
  }
  let pieces = piecesOf(order, messages);
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
      answerMessage(`${order.id}-chunk-${level}-${i}`, order.now, 'user', answer),
    );
    // The last level has one call; before it, summaries that do not fit into one piece are pieces again.
    pieces =
      level + 1 >= calls.depth
        ? [summaries]
        : chunksOf(
            summaries.map((summary) => [summary]),
            parseAmount(calls.tokens)(order.place.sizes, MIDDLE),
          );
  }
}

/** The pieces of a conversation that are summarised one by one. */
function piecesOf(
  { rule, place }: SummaryOrder,
  messages: readonly Message[],
): readonly (readonly Message[])[] {
  const { calls } = rule.ask;
  if (calls.kind === 'split-turn') {
    const turn = messages.findLastIndex(({ origin }) => origin === 'human');
    return turn > 0 ? [messages.slice(0, turn), messages.slice(turn)] : [messages];
  }
  if (calls.kind !== 'chunks') return [messages];
  return chunksOf(groupByRound(messages), parseAmount(calls.tokens)(place.sizes, MIDDLE));
}

/** Groups joined into pieces of at most `limit` tokens. */
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

/** One request and what the client makes of its answer; Claude Code may send a failed one again without streaming. */
function* askOnce(
  order: SummaryOrder,
  shape: AskShapePart,
  messages: readonly Message[],
  ownTurns: readonly Message[],
  count: Count,
): Generator<Action, Try, Outcome> {
  const { accept, client } = order.rule;
  count.requests++;
  const request = requestFor(order, shape, messages, ownTurns, count.requests);
  const by = client === undefined ? BY : BY_CLIENT;
  const outcome: Outcome = yield { kind: 'ask', by, request };
  if (outcome.kind === 'done')
    return { ...rejected('no-summary', 'the answer held no summary'), isRejected: false };
  if (outcome.kind === 'answer')
    return faultOf(outcome.answer, accept) ?? { ok: true, answer: outcome.answer };
  if (client?.resends === true && outcome.failure.reason !== 'aborted') {
    count.requests++;
    const again: Outcome = yield { kind: 'ask', by, request: { ...request, retries: 0 } };
    if (again.kind === 'answer' && faultOf(again.answer, accept) === null)
      return { ok: true, answer: again.answer };
  }
  return failed(outcome.failure);
}

/** The request of a shape. */
function requestFor(
  order: SummaryOrder,
  shape: AskShapePart,
  messages: readonly Message[],
  ownTurns: readonly Message[],
  n: number,
): AskRequest {
  const { id, now, instruction, style } = order;
  const { ask, client } = order.rule;
  const { params } = order.place.context;
  const shares = sharesPrefix(shape);
  const isWhole = shape === 'extend' && messages === order.messages;
  const seen = shownIn(order, shape, messages);
  const shown = isWhole ? [...seen, ...order.after] : seen;
  const sent = shape === 'text' ? [asText(`${id}-text-${n}`, now, shown)] : shown;
  const about = order.about === undefined ? seen : stillSent(order.about, seen);
  const request: Mutable<AskRequest> = {
    purpose: 'compact',
    shape: shares
      ? sharedShape(order)
      : {
          kind: 'own',
          systemTokens: ask.systemTokens,
          toolTokens: ask.toolTokens,
          breakpoints: ownMarks(ask),
        },
    messages: sent,
    instruction,
    write: shares && ask.marks === 'off' ? 'read-only' : 'write',
    maxOutputTokens: shares && client !== undefined ? client.sharedOutput : ask.output,
    retries: param.number(params, 'client.retries'),
    mode: ask.run.kind === 'wait' ? 'blocking' : 'background',
    answer: { kind: 'summary', style, quoteTokens: param.number(params, 'compact.quoteTokens') },
  };
  if (ownTurns.length > 0) request.ownTurns = ownTurns;
  if (about !== sent) request.about = about;
  if (ask.model !== null) request.model = ask.model;
  return request;
}

/** A request that shares the main prefix, as the client marks it and thinks about it. */
function sharedShape({ rule: { client }, place }: SummaryOrder): AskShape {
  if (client === undefined) return { kind: 'fork' };
  const ownsBudget = client.ownBudget.length > 0 && isAmong(place.context.model().name, client.ownBudget);
  return {
    kind: 'fork',
    ...(client.sharedMark === 'last' ? {} : { mark: client.sharedMark }),
    ...(ownsBudget ? { thinking: 'own-budget' } : {}),
  };
}

/** What is left to summarise of a request that was cut. */
function stillSent(about: readonly Message[], sent: readonly Message[]): readonly Message[] {
  const ids = new Set(sent.map(({ id }) => id));
  return about.filter(({ id }) => ids.has(id));
}

/** A request that only follows one which shares the prefix marks nothing: nobody would read it. */
function ownMarks({ shapes, marks }: AskPart): 'on' | 'off' {
  return shapes.every((shape) => shape === 'own' || shape === 'text') ? marks : 'off';
}

/** What is wrong with an answer that a rule rejects; null when it is accepted (FUL-7). */
function faultOf({ form }: Answer, accept: readonly AcceptPart[]): Miss | null {
  const rejects = (kind: AcceptPart['kind']): boolean => accept.some((part) => part.kind === kind);
  if (form === 'error') return rejected('api-error', 'an error text came back instead of a summary');
  if (form === 'empty' && rejects('empty')) return rejected('no-summary', 'the answer held no summary');
  // An answer that only calls a tool holds no text either.
  if (form === 'tool-call' && (rejects('tool-call') || rejects('empty')))
    return rejected('tool-call', 'the model called a tool instead of writing the summary');
  if (form === 'cut' && rejects('cut'))
    return rejected('no-summary', 'the answer was cut at its output limit');
  if (form === 'untagged' && rejects('untagged'))
    return rejected('no-summary', 'the summary came without its tags');
  return null;
}

/** A cut answer has no closing tag. */
function isUntagged({ form }: Answer): boolean {
  return form === 'untagged' || form === 'cut';
}

function rejected(failure: FailureName, message: string): Miss {
  return { ok: false, failure, message, gapTokens: null, isRejected: true };
}

function failed({ reason, message, gapTokens }: CallFailure): Miss {
  const failure = reason === 'prompt-too-long' || reason === 'aborted' ? reason : 'api-error';
  return { ok: false, failure, message, gapTokens, isRejected: false };
}
