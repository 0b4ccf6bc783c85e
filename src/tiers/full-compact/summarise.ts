import type { Action, Answer, AskRequest, CallFailure, Outcome } from '../../model/action.js';
import type { Message } from '../../model/message.js';
import type { ParamValues } from '../../model/params.js';
import { param } from '../param-reader.js';
import { prepareForSummary } from './prepare.js';
import { dropHead, dropTail } from './rounds.js';

/** How asking for a summary ended. */
export type SummaryResult =
  | {
      readonly ok: true;
      readonly answer: Answer;
      readonly summarised: readonly Message[];
      readonly requests: number;
      readonly shape: 'fork' | 'own';
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

/** Asks for a summary: the fork first, then what the policy falls back on; a request that is too long is cut and tried again (FUL-4, FUL-6). */
export function* askForSummary(order: SummaryOrder): Generator<Action, SummaryResult, Outcome> {
  const { params } = order;
  if (param.text(params, 'compact.summariser') === 'own') return yield* askCutting(order, 'own', 0);
  const forked = yield* askCutting(order, 'fork', 0);
  if (forked.ok || forked.failure === 'prompt-too-long' || forked.failure === 'aborted') return forked;
  if (param.text(params, 'compact.fallback') === 'none') return forked;
  return yield* askCutting(order, 'own', forked.requests);
}

/** One shape of the request, cut as often as the policy allows while the API calls it too long. */
function* askCutting(
  order: SummaryOrder,
  shape: 'fork' | 'own',
  before: number,
): Generator<Action, SummaryResult, Outcome> {
  const { params } = order;
  const end = param.text(params, 'compact.tooLong');
  const share = param.number(params, 'compact.tooLongShare');
  let messages = shape === 'fork' ? order.messages : prepareForSummary(order.messages);
  let requests = before;
  let askedAgain = false;
  for (let cuts = 0; ; ) {
    const outcome: Outcome = yield { kind: 'ask', by: BY, request: requestFor(order, shape, messages) };
    requests++;
    if (outcome.kind === 'answer') {
      const verdict = judge(params, outcome.answer);
      if (verdict === 'untagged' && param.isOn(params, 'compact.askAgainUntagged') && !askedAgain) {
        askedAgain = true;
        continue;
      }
      if (isAccepted(verdict))
        return { ok: true, answer: outcome.answer, summarised: messages, requests, shape };
      return { ok: false, failure: verdict, message: SENTENCES[verdict], requests };
    }
    const failure = outcome.kind === 'failed' ? outcome.failure : null;
    if (failure === null)
      return { ok: false, failure: 'no-summary', message: SENTENCES['no-summary'], requests };
    const again: Outcome | null =
      failure.reason === 'aborted' ? null : yield* sendAgain(order, shape, messages);
    if (again !== null) {
      requests++;
      if (again.kind === 'answer' && isAccepted(judge(params, again.answer))) {
        return { ok: true, answer: again.answer, summarised: messages, requests, shape };
      }
    }
    if (failure.reason !== 'prompt-too-long' || end === 'none') return failed(failure, requests);
    const excess = { gapTokens: failure.gapTokens, share };
    const shorter: readonly Message[] | null =
      end === 'head'
        ? cuts < param.number(params, 'compact.tooLongRetries')
          ? dropHead(messages, excess, order.now)
          : null
        : dropTail(messages, excess, param.number(params, 'compact.tailMinMessages'));
    cuts++;
    if (shorter === null) return failed(failure, requests);
    messages = shorter;
  }
}

/** Clients that stream send a failed summary call once more without streaming. */
function* sendAgain(
  order: SummaryOrder,
  shape: 'fork' | 'own',
  messages: readonly Message[],
): Generator<Action, Outcome | null, Outcome> {
  if (!param.isOn(order.params, 'compact.resendWithoutStreaming')) return null;
  return yield { kind: 'ask', by: BY, request: { ...requestFor(order, shape, messages), retries: 0 } };
}

function requestFor(order: SummaryOrder, shape: 'fork' | 'own', messages: readonly Message[]): AskRequest {
  const { params, instruction, style } = order;
  const forked = shape === 'fork';
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
    retries: param.number(params, 'client.retries') + param.number(params, 'compact.streamRetries'),
    mode: 'blocking',
    answer: { kind: 'summary', style },
  };
}

/** What is left to summarise of a request that was cut. */
function stillSent(about: readonly Message[], sent: readonly Message[]): readonly Message[] {
  const ids = new Set(sent.map((message) => message.id));
  return about.filter((message) => ids.has(message.id));
}

type Verdict = 'good' | 'untagged' | 'no-summary' | 'api-error' | 'tool-call';

function isAccepted(verdict: Verdict): verdict is 'good' | 'untagged' {
  return verdict === 'good' || verdict === 'untagged';
}

/** What a client makes of an answer (FUL-7). */
function judge(params: ParamValues, answer: Answer): Verdict {
  switch (answer.form) {
    case 'empty':
      return param.isOn(params, 'compact.rejectEmpty') ? 'no-summary' : 'good';
    case 'error':
      return 'api-error';
    case 'tool-call':
      return 'tool-call';
    case 'untagged':
      return 'untagged';
    default:
      return 'good';
  }
}

function failed(failure: CallFailure, requests: number): SummaryResult {
  const name: FailureName =
    failure.reason === 'prompt-too-long'
      ? 'prompt-too-long'
      : failure.reason === 'aborted'
        ? 'aborted'
        : 'api-error';
  return { ok: false, failure: name, message: failure.message, requests };
}

const SENTENCES = {
  'no-summary': 'the answer held no summary',
  'api-error': 'an error text came back in the place of a summary',
  'tool-call': 'the model called a tool instead of writing the summary',
} as const;
