import {
  askForSummary,
  type SummaryOrder,
  type SummaryResult,
} from '../../../../src/agent/layers/rules/ask-summary.js';
import { type Block, type BlockFacts, createBlock } from '../../../../src/core/model/block.js';
import type { Message } from '../../../../src/core/model/message.js';
import type { Action, AskRequest, CallFailure, Outcome } from '../../../../src/core/run/action.js';
import type { ContextView } from '../../../../src/core/run/layer.js';
import type { ParamValues } from '../../../../src/core/run/params.js';
import type { SelectPart } from '../../../../src/core/run/policy-rules.js';
import { callOf, messageFrom, resultOf } from '../../../helpers/blocks.js';
import { layerContext } from '../../../helpers/drive/drive-session-memory.js';

/** A selection of results that keeps nothing, unless told otherwise. */
export function selectOf(
  change: Partial<Omit<SelectPart, 'keep'>> & { readonly keep?: Partial<SelectPart['keep']> },
): SelectPart {
  const { keep = {}, ...rest } = change;
  return {
    what: 'tool-results',
    of: null,
    except: [],
    minChars: 0,
    exceptMedia: false,
    order: 'oldest',
    boundary: 'pair',
    move: 'back',
    count: null,
    ...rest,
    keep: {
      first: 0,
      last: null,
      tokens: null,
      share: null,
      atMost: null,
      atLeast: null,
      user: null,
      recentFiles: null,
      finalAnswers: false,
      errors: false,
      ...keep,
    },
  };
}

/** Sizes that no amount of these tests goes by. */
export const SIZES = { W: 200_000, O: 32_000, I: 168_000, B: 200_000 };

/** A view of messages and nothing else. */
export const viewOf = (messages: readonly Message[]): ContextView => ({ messages }) as unknown as ContextView;

export const text = (tokens: number, role: Block['role'] = 'user', facts: BlockFacts = {}): Block =>
  createBlock({ kind: 'text', role, tokens, chars: 4 * tokens, facts });

/** The user says something. */
export const prompt = (id: string, tokens = 10): Message => messageFrom('human', id, [text(tokens)]);

/** The model answers. */
export const answer = (id: string, tokens = 10): Message =>
  messageFrom('model', id, [text(tokens, 'assistant')]);

/** A call of ten tokens and its result: messages `<id>-call` and `<id>`. */
export function round(
  id: string,
  tokens: number,
  { tool = 'Read', facts = {} }: { readonly tool?: string; readonly facts?: BlockFacts } = {},
): readonly Message[] {
  const call = callOf(id, 10, { chars: 40, tool });
  const result = resultOf(id, tokens, { chars: 4 * tokens, tool, facts });
  return [messageFrom('model', `${id}-call`, [call]), messageFrom('tool', id, [result])];
}

export const idsOf = (messages: readonly Message[]): string => messages.map(({ id }) => id).join(' ');

/** A call that failed. */
export const failing = (reason: CallFailure['reason'], gapTokens: number | null = null): Outcome =>
  ({ kind: 'failed', failure: { reason, message: `it was ${reason}`, gapTokens } }) as Outcome;

/** What asking for a summary sends, how long it waits and what comes of it. */
export interface Asked {
  readonly requests: readonly AskRequest[];
  readonly waits: readonly number[];
  readonly result: SummaryResult;
}

/** Asks for a summary; the n-th request gets the n-th outcome, all others get the last argument. */
export function ask(
  order: Pick<SummaryOrder, 'rule' | 'messages' | 'about'> & Partial<SummaryOrder>,
  params: ParamValues,
  outcomes: readonly Outcome[],
  otherwise: Outcome,
): Asked {
  const steps = askForSummary({
    id: 's',
    now: 0,
    place: { context: layerContext(params), sizes: SIZES },
    instruction: prompt('s-instruction', 1),
    style: 'full',
    after: [],
    ...order,
  });
  const requests: AskRequest[] = [];
  const waits: number[] = [];
  let step: IteratorResult<Action, SummaryResult> = steps.next();
  while (step.done !== true) {
    const action = step.value;
    if (action.kind === 'wait') waits.push(action.ms);
    if (action.kind === 'ask') requests.push(action.request);
    step = steps.next(
      action.kind === 'ask' ? (outcomes[requests.length - 1] ?? otherwise) : { kind: 'done' },
    );
  }
  return { requests, waits, result: step.value };
}
