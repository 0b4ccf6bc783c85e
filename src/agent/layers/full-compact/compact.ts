import { oncePer } from '../../../core/base/once.js';
import type { Action, Outcome } from '../../../core/run/action.js';
import type { ContextView, HookContext, LayerContext } from '../../../core/run/layer.js';
import type { ParamValues } from '../../../core/run/params.js';
import type { AcceptPart, AskPart } from '../../../core/run/policy-rules.js';
import { sizesOf } from '../../policy-file/check-rules.js';
import type { Sizes } from '../../policy-file/expression.js';
import { compactionHistory } from '../auto-compact/history.js';
import { askFor, type Compaction, putInPlace } from '../rules/compact.js';
import type { CompactionPlace, CompactionRule, ShrinkStep } from '../rules/rule-state.js';
import { splitSinceBoundary } from '../rules/split-history.js';
import { param } from '../support/param-reader.js';

/** Name for the thread's own model in `compact.model`. */
const OWN_MODEL = 'thread';

/** Full compaction (FUL-1): the parameters as a rule, carried out like one of a policy file. A failure leaves everything as it was. */
export function* compactFully(
  moment: HookContext,
  view: ContextView,
  context: LayerContext,
  order: Omit<Compaction, 'rule'>,
): Generator<Action, boolean, Outcome> {
  const { params } = context;
  const partial = moment.point === 'manual' ? (moment.manual?.partial ?? null) : null;
  const split = splitSinceBoundary(view.messages, roundsToKeep(context, moment), partial);
  const place = new FullPlace(context);
  const { layer, trigger, reason, tracking } = order;
  const compaction: Compaction = { layer, rule: fullRule(params), trigger, reason, tracking };
  const asked = yield* askFor(compaction, split, moment, view, place);
  if ('failedAfter' in asked) return false;
  return (yield* putInPlace(asked, moment, view, place)).outcome === 'done';
}

/** Where a full compaction takes place; its sizes are asked for by few. */
class FullPlace implements CompactionPlace {
  constructor(readonly context: LayerContext) {}

  get sizes(): Sizes {
    return sizesOf({ base: 'W' }, this.context.model());
  }
}

/** Rounds that stay verbatim: none if the previous compaction is only a few requests back (R16). */
function roundsToKeep({ params, shared }: LayerContext, { turn }: HookContext): number {
  const since = compactionHistory(shared).turnsSince(turn);
  if (since !== null && since <= param.number(params, 'compact.keepNoneWithin')) return 0;
  return param.number(params, 'compact.keepLastRounds');
}

/** The parameters `compact.*` as a rule. @internal */
export const fullRule = oncePer((params: ParamValues): CompactionRule & { readonly ask: AskPart } => {
  const text = (name: string): string => param.text(params, `compact.${name}`);
  const number = (name: string): number => param.number(params, `compact.${name}`);
  const isOn = (name: string): boolean => param.isOn(params, `compact.${name}`);
  const forks = text('summariser') === 'fork';
  const fallsBack = text('fallback') === 'direct';
  const model = text('model');
  return {
    name: 'compact',
    ask: {
      shapes: forks ? (fallsBack ? ['fork', 'own'] : ['fork']) : ['own'],
      model: model === OWN_MODEL ? null : model,
      input: { scope: 'all', lastTokens: null, results: null, drop: [] },
      output: param.numberOrNull(params, 'compact.maxOutputTokens'),
      systemTokens: number('ownSystemTokens'),
      toolTokens: number('ownToolTokens'),
      calls: { kind: 'one' },
      marks: forks && !isOn('forkWrites') ? 'off' : 'on',
      run: { kind: 'wait' },
    },
    accept: [
      { kind: 'tool-call' },
      ...(isOn('rejectEmpty') ? [{ kind: 'empty' } as const] : []),
      ...(isOn('rejectCut') ? [{ kind: 'cut' } as const] : []),
    ] satisfies readonly AcceptPart[],
    fail: { retry: { n: number('regenerations'), backoffMs: 0 }, shrink: shrinkOf(params) },
    layout: [
      { kind: 'boundary' },
      { kind: 'first' },
      { kind: 'summary', role: 'user', frame: 'standard' },
      { kind: 'tail' },
      { kind: 'restored' },
      { kind: 'hooks' },
    ],
    client: {
      sharedOutput: param.numberOrNull(params, 'compact.forkMaxOutputTokens'),
      sharedMark: text('forkMark') === 'before-last' ? 'before-last' : 'last',
      ownBudget: params['client.thinking'] === 'off' ? [] : param.names(params, 'compact.ownBudget'),
      promptTokens: param.numberOrNull(params, 'compact.promptTokens'),
      strips: text('strip') === 'direct',
      nextShape: isOn('fallbackOnTooLong') ? 'before-cut' : 'after-failure',
      resends: isOn('resendWithoutStreaming'),
      asksAgainUntagged: isOn('askAgainUntagged'),
    },
  };
});

/** How a summary request that is too long gets shorter (FUL-6). */
function shrinkOf(params: ParamValues): readonly ShrinkStep[] {
  const share = param.number(params, 'compact.tooLongShare');
  switch (param.text(params, 'compact.tooLong')) {
    case 'head':
      return [{ kind: 'drop-oldest', share, times: param.number(params, 'compact.tooLongRetries') }];
    case 'tail':
      return [{ kind: 'drop-newest', share, minMessages: param.number(params, 'compact.tailMinMessages') }];
    default:
      return [];
  }
}
