import type { LayerReport } from '../../model/action.js';
import { type Message, messageTokens } from '../../model/message.js';
import type { TierContext, TierDefinition, TierInstance } from '../../model/tier.js';
import { compactionHistory } from '../auto-compact/history.js';
import { contextBefore, reportCompaction } from '../compaction-report.js';
import { groupByRound } from '../full-compact/rounds.js';
import { param, switchParam } from '../param-reader.js';
import { effectiveWindow } from '../window/thresholds.js';

/** Drops the oldest half of the conversation when the window is full; the opening prompt and the latest round stay. */
export const truncateTier: TierDefinition = {
  name: 'baseline-truncate',
  layer: 'baseline',
  points: ['before-request', 'refused'],
  needs: [],
  killSwitch: 'baselines.truncate.enabled',
  params: [
    switchParam('baselines.truncate.enabled', true, 'The oldest rounds are dropped when the window is full.'),
    {
      path: 'baselines.truncate.share',
      kind: { type: 'number', min: 0.01, max: 1 },
      default: 0.5,
      unit: 'share',
      help: 'Share of the conversation that goes, in tokens, rounded up to whole rounds.',
    },
  ],
  create: (context) => createTruncate(context),
};

function createTruncate(context: TierContext): TierInstance {
  const share = param.number(context.params, 'baselines.truncate.share');
  const limit = (): number => effectiveWindow(context.params, context.model());
  return {
    due: (moment, view) => moment.point === 'refused' || view.seenTokens >= limit(),
    *act(moment, view) {
      const { seenTokens: seenBefore, trueTokens: trueBefore } = view;
      const refused = moment.point === 'refused';
      const reason = refused
        ? 'the API refused the request as too long'
        : `${seenBefore} tokens seen, the window holds ${limit()}`;
      const history = compactionHistory(context.shared);
      const threshold = refused ? null : limit();
      const tracking = history.track(moment, seenBefore, threshold, context.params);
      const before = contextBefore(view);
      const cut = withoutOldest(view.messages, share);
      const said: Pick<LayerReport, 'layer' | 'action' | 'trigger' | 'seenBefore' | 'trueBefore'> = {
        layer: 'baseline',
        action: 'truncate',
        trigger: refused ? 'reactive' : 'auto',
        seenBefore,
        trueBefore,
      };
      if (cut === null) {
        yield {
          kind: 'report',
          entry: {
            ...said,
            outcome: 'failed',
            reason: 'nothing is left that could be dropped',
            failure: 'nothing-to-drop',
            seenAfter: seenBefore,
            trueAfter: trueBefore,
            saved: 0,
            details: {},
          },
        };
        return;
      }
      const by = { layer: 'baseline', reason } as const;
      yield { kind: 'replace-history', by, messages: cut.messages };
      yield { kind: 'cleanup', by };
      history.succeeded(moment.turn);
      yield* reportCompaction(
        {
          layer: 'baseline',
          action: 'truncate',
          trigger: said.trigger,
          reason,
          before,
          tracking,
          history: { summarised: cut.dropped, before: [], after: cut.messages, summaryId: null },
          restored: null,
          discoveredTools: [],
          details: { rounds: cut.rounds },
        },
        context,
        view,
      );
    },
  };
}

/** The conversation without its oldest rounds; null when only the opening prompt and the latest round are left. */
function withoutOldest(
  messages: readonly Message[],
  share: number,
): {
  readonly messages: readonly Message[];
  readonly dropped: readonly Message[];
  readonly rounds: number;
} | null {
  const groups = groupByRound(messages);
  const head = messages[0]?.role === 'user' ? 1 : 0;
  if (groups.length <= head + 1) return null;
  const sizes = groups.map((group) => group.reduce((sum, message) => sum + messageTokens(message), 0));
  const wanted = sizes.reduce((sum, size) => sum + size, 0) * share;
  let rounds = 0;
  let dropped = 0;
  while (dropped < wanted && head + rounds < groups.length - 1) dropped += sizes[head + rounds++]!;
  return {
    messages: [...groups.slice(0, head), ...groups.slice(head + rounds)].flat(),
    dropped: groups.slice(head, head + rounds).flat(),
    rounds,
  };
}
