import type { Message } from '../../../core/model/message.js';
import type { Action, Answer, AskRequest, CallFailure, Outcome } from '../../../core/run/action.js';
import type { ParamValues } from '../../../core/run/params.js';
import { param } from '../support/param-reader.js';
import { OWN_MODEL } from './params.js';
import { prepareForSummary } from './prepare.js';
import { dropHead, dropTail } from './rounds.js';

/** How asking for a summary ended. */
export type SummaryResult =
  | {
      readonly ok: true;
      readonly answer: Answer;
      readonly summarised: readonly Message[];
      readonly requests: number;
      readonly shape: Shape;
    }
  | {
      readonly ok: false;
      readonly failure: FailureName;
      readonly message: string;
      readonly requests: number;
    };

/** Why there is no summary (FUL-7). */
export type FailureName =
  | 'no-summary'
  | 'api-error'
  | 'prompt-too-long'
  | 'aborted'
  | 'tool-call'
  | 'nothing-to-compact'
  | 'too-few-messages';

/** What a summary is asked for. */
export interface SummaryOrder {
  readonly params: ParamValues;
  /** What is sent. */
  readonly messages: readonly Message[];
  /** What is to be summarised of it; absent for all. */
  readonly about?: readonly Message[];
  readonly instruction: Message;
  readonly style: 'full' | 'partial-up-to';
  readonly now: number;
}

const BY = { layer: 'full-compact', reason: 'summary request' } as const;

type Shape = 'fork' | 'own';

/** One request, and what may follow it at once, brought no summary. */
interface Miss {
  readonly ok: false;
  readonly failure: FailureName;
  readonly message: string;
  readonly gapTokens: number | null;
}

type Try = { readonly ok: true; readonly answer: Answer } | Miss;

/** Requests that were made for one summary. */
interface Count {
  requests: number;
}

/** Asks for a summary: the fork first, then what the policy falls back on; a request that is too long is cut and tried again (FUL-4, FUL-6). */
export function* askForSummary(order: SummaryOrder): Generator<Action, SummaryResult, Outcome> {
  const { params } = order;
  const count: Count = { requests: 0 };
  if (param.text(params, 'compact.summariser') === 'own') return yield* askCutting(order, ['own'], count);
  const fallsBack = param.text(params, 'compact.fallback') === 'direct';
  if (fallsBack && param.isOn(params, 'compact.fallbackOnTooLong'))
    return yield* askCutting(order, ['fork', 'own'], count);
  const forked = yield* askCutting(order, ['fork'], count);
  if (!fallsBack || forked.ok || forked.failure === 'prompt-too-long' || forked.failure === 'aborted')
    return forked;
  return yield* askCutting(order, ['own'], count);
}

/** The shapes of the request one after the other, cut as often as the policy allows while the API calls the last too long. */
function* askCutting(
  order: SummaryOrder,
  shapes: readonly Shape[],
  count: Count,
): Generator<Action, SummaryResult, Outcome> {
  let messages = shapes.includes('fork') ? order.messages : preparedFor(order, order.messages);
  for (let cuts = 0; ; cuts++) {
    let miss: Miss | null = null;
    for (const shape of shapes) {
      const sent = shape === 'fork' ? messages : preparedFor(order, messages);
      const result: Try = yield* askOnce(order, shape, sent, count);
      if (result.ok)
        return { ok: true, answer: result.answer, summarised: sent, requests: count.requests, shape };
      miss = result;
      if (result.failure === 'aborted') break;
    }
    const { failure, message, gapTokens } = miss!;
    const shorter = failure === 'prompt-too-long' ? cut(order, messages, gapTokens, cuts) : null;
    if (shorter === null) return { ok: false, failure, message, requests: count.requests };
    messages = shorter;
  }
}

/** What a direct call sends: everything, or what the policy leaves of it (C18). */
function preparedFor({ params }: SummaryOrder, messages: readonly Message[]): readonly Message[] {
  return param.text(params, 'compact.strip') === 'direct' ? prepareForSummary(messages) : messages;
}

/** A shorter request; null when no more may or can be cut (FUL-6). */
function cut(
  { params, now }: SummaryOrder,
  messages: readonly Message[],
  gapTokens: number | null,
  cuts: number,
): readonly Message[] | null {
  const excess = { gapTokens, share: param.number(params, 'compact.tooLongShare') };
  switch (param.text(params, 'compact.tooLong')) {
    case 'head':
      return cuts < param.number(params, 'compact.tooLongRetries') ? dropHead(messages, excess, now) : null;
    case 'tail':
      return dropTail(messages, excess, param.number(params, 'compact.tailMinMessages'));
    default:
      return null;
  }
}

/** One request; a bad answer is asked for again (C21), a failed call is sent once more without streaming. */
function* askOnce(
  order: SummaryOrder,
  shape: Shape,
  messages: readonly Message[],
  count: Count,
): Generator<Action, Try, Outcome> {
  const { params } = order;
  let regenerations = param.number(params, 'compact.regenerations');
  let asksForTags = param.isOn(params, 'compact.askAgainUntagged');
  for (;;) {
    count.requests++;
    const outcome: Outcome = yield { kind: 'ask', by: BY, request: requestFor(order, shape, messages) };
    if (outcome.kind === 'done') return missed('no-summary');
    if (outcome.kind === 'failed') return yield* sendAgain(order, shape, messages, outcome.failure, count);
    const verdict = judge(params, outcome.answer);
    if (verdict === 'untagged' && asksForTags) asksForTags = false;
    else if (isAccepted(verdict)) return { ok: true, answer: outcome.answer };
    else if (regenerations-- <= 0) return missed(verdict);
  }
}

/** Clients that stream send a failed summary call once more without streaming. */
function* sendAgain(
  order: SummaryOrder,
  shape: Shape,
  messages: readonly Message[],
  failure: CallFailure,
  count: Count,
): Generator<Action, Try, Outcome> {
  const { params } = order;
  if (failure.reason !== 'aborted' && param.isOn(params, 'compact.resendWithoutStreaming')) {
    count.requests++;
    const request = { ...requestFor(order, shape, messages), retries: 0 };
    const again: Outcome = yield { kind: 'ask', by: BY, request };
    if (again.kind === 'answer' && isAccepted(judge(params, again.answer)))
      return { ok: true, answer: again.answer };
  }
  return failed(failure);
}

function requestFor(order: SummaryOrder, shape: Shape, messages: readonly Message[]): AskRequest {
  const { params, instruction, style } = order;
  const forked = shape === 'fork';
  const model = param.text(params, 'compact.model');
  return {
    purpose: 'compact',
    shape: forked
      ? { kind: 'fork' }
      : {
          kind: 'own',
          systemTokens: param.number(params, 'compact.ownSystemTokens'),
          toolTokens: param.number(params, 'compact.ownToolTokens'),
          breakpoints: param.text(params, 'compact.summariser') === 'own' ? 'on' : 'off',
        },
    messages,
    ...(order.about === undefined ? {} : { about: stillSent(order.about, messages) }),
    instruction,
    write: forked && !param.isOn(params, 'compact.forkWrites') ? 'read-only' : 'write',
    maxOutputTokens: param.numberOrNull(
      params,
      forked ? 'compact.forkMaxOutputTokens' : 'compact.maxOutputTokens',
    ),
    retries: param.number(params, 'client.retries'),
    mode: 'blocking',
    ...(model === OWN_MODEL ? {} : { model }),
    answer: { kind: 'summary', style, quoteTokens: param.number(params, 'compact.quoteTokens') },
  };
}

/** What is left to summarise of a request that was cut. */
function stillSent(about: readonly Message[], sent: readonly Message[]): readonly Message[] {
  const ids = new Set(sent.map((message) => message.id));
  return about.filter((message) => ids.has(message.id));
}

type Verdict = 'good' | 'untagged' | 'cut' | 'no-summary' | 'api-error' | 'tool-call';

function isAccepted(verdict: Verdict): verdict is 'good' | 'untagged' {
  return verdict === 'good' || verdict === 'untagged';
}

/** What a client makes of an answer (FUL-7). A cut one has no closing tag. */
function judge(params: ParamValues, answer: Answer): Verdict {
  switch (answer.form) {
    case 'empty':
      return param.isOn(params, 'compact.rejectEmpty') ? 'no-summary' : 'good';
    case 'error':
      return 'api-error';
    case 'tool-call':
      return 'tool-call';
    case 'cut':
      return param.isOn(params, 'compact.rejectCut') ? 'cut' : 'untagged';
    case 'untagged':
      return 'untagged';
    default:
      return 'good';
  }
}

const SENTENCES = {
  'no-summary': 'the answer held no summary',
  'api-error': 'an error text came back in the place of a summary',
  'tool-call': 'the model called a tool instead of writing the summary',
  cut: 'the answer was cut at its output limit',
} as const;

/** An answer that is thrown away. */
function missed(verdict: keyof typeof SENTENCES): Miss {
  const failure = verdict === 'cut' ? 'no-summary' : verdict;
  return { ok: false, failure, message: SENTENCES[verdict], gapTokens: null };
}

function failed({ reason, message, gapTokens }: CallFailure): Miss {
  const failure = reason === 'prompt-too-long' || reason === 'aborted' ? reason : 'api-error';
  return { ok: false, failure, message, gapTokens };
}
