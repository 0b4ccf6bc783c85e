import { chainDigest, digestText } from '../../base/digest.js';
import type { Action, Answer, Outcome } from '../../model/action.js';
import { createBlock } from '../../model/block.js';
import { createMessage, type Message } from '../../model/message.js';
import type { ContextView, Moment, TierContext, TierDefinition, TierInstance } from '../../model/tier.js';
import { compactionHistory } from '../auto-compact/history.js';
import { contextBefore, reportCompaction } from '../compaction-report.js';
import { summaryInstruction } from '../full-compact/prompt.js';
import { groupByRound } from '../full-compact/rounds.js';
import { askForSummary } from '../full-compact/summarise.js';
import { integerParam, param, switchParam } from '../param-reader.js';

/** Summarises so many of the oldest turns at a time and keeps the latest verbatim (E3: 21 and 10). */
export const summariseTier: TierDefinition = {
  name: 'baseline-summarise',
  layer: 'baseline',
  points: ['before-request'],
  needs: [],
  killSwitch: 'baselines.summarise.enabled',
  params: [
    switchParam('baselines.summarise.enabled', true, 'Old turns are summarised, so many at a time.'),
    integerParam(
      'baselines.summarise.everyTurns',
      21,
      'turns',
      'Turns that go into a summary at a time (E3: 21).',
      { min: 1 },
    ),
    integerParam('baselines.summarise.keepTurns', 10, 'turns', 'Latest turns that stay verbatim (E3: 10).', {
      min: 1,
    }),
  ],
  create: (context) => createSummarise(context),
};

function createSummarise(context: TierContext): TierInstance {
  const { params } = context;
  const every = param.number(params, 'baselines.summarise.everyTurns');
  const keep = param.number(params, 'baselines.summarise.keepTurns');
  let turns = 0;
  const count = (messages: readonly Message[]): void => {
    turns = messages.filter((message) => message.role === 'assistant').length;
  };
  return {
    observe(message) {
      if (message.role === 'assistant') turns++;
    },
    reset: count,
    resume: count,
    due: () => turns >= every + keep,
    act: (moment, view) => summarise(context, moment, view, keep),
  };
}

/** Opening prompt, summary of what lies between, latest turns; an earlier summary goes into the new one. */
function* summarise(
  context: TierContext,
  moment: Moment,
  view: ContextView,
  keep: number,
): Generator<Action, void, Outcome> {
  const groups = groupByRound(view.messages);
  const opening = groups[0]!.filter((message) => message.role === 'user' && message.origin !== 'summary');
  const head = new Set(groups[0]![0]?.role === 'user' ? opening : []);
  const older = groups.slice(0, -keep).flat();
  const id = `summary-${moment.turn}-${moment.now}`;
  const reason = `${groups.length - 1} turns since the last summary, the latest ${keep} stay`;
  const history = compactionHistory(context.shared);
  const tracking = history.track(moment, view.seenTokens, null, context.params);
  const result = yield* askForSummary({
    params: context.params,
    messages: older,
    about: older,
    instruction: summaryInstruction(`${id}-instruction`, moment.now, 'full', '', []),
    style: 'full',
    now: moment.now,
  });
  const before = contextBefore(view);
  if (!result.ok) {
    const { seenBefore, trueBefore } = before;
    yield {
      kind: 'report',
      entry: {
        layer: 'baseline',
        action: 'summarise',
        trigger: 'auto',
        outcome: 'failed',
        reason: result.message,
        failure: result.failure,
        seenBefore,
        seenAfter: seenBefore,
        trueBefore,
        trueAfter: trueBefore,
        saved: 0,
        details: { ...tracking, requests: result.requests },
      },
    };
    return;
  }
  const summary = summaryMessage(id, moment.now, result.answer);
  const by = { layer: 'baseline', reason } as const;
  const kept = groups.slice(-keep).flat();
  const opened = older.filter((message) => head.has(message));
  yield { kind: 'replace-history', by, messages: [...opened, summary, ...kept] };
  yield { kind: 'cleanup', by };
  history.succeeded(moment.turn);
  yield* reportCompaction(
    {
      layer: 'baseline',
      action: 'summarise',
      trigger: 'auto',
      reason,
      before,
      tracking,
      history: {
        summarised: older.filter((message) => !head.has(message)),
        before: opened,
        after: kept,
        summaryId: summary.id,
      },
      restored: null,
      discoveredTools: [],
      details: { requests: result.requests, summaryTokens: result.answer.tokens },
    },
    context,
    view,
  );
}

function summaryMessage(id: string, at: number, answer: Answer): Message {
  const block = createBlock({
    kind: 'text',
    role: 'user',
    tokens: answer.tokens,
    chars: answer.text.chars,
    digest: chainDigest(answer.digest, digestText('summary')),
    text: answer.text,
    facts: { replaces: 'summary' },
  });
  return createMessage({ id, role: 'user', origin: 'summary', blocks: [block], at });
}
