import { createBlock } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import type { Action, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  Moment,
  TierContext,
  TierDefinition,
  TierInstance,
} from '../../../core/run/tier.js';
import { changeReport, sizeBefore } from '../support/change-report.js';
import { deletedResults, forgetResults, type Leaves, leaveOut } from '../support/leave-out.js';
import { integerParam, param, switchParam } from '../support/param-reader.js';
import { leavesWithRound, oldestRounds } from './oldest-rounds.js';

/** Tokens of the marker (assumed). */
const MARKER_TOKENS = 24;

/** Where the marker stands, and how many rounds it stands for. */
interface Marker {
  readonly messageId: string;
  readonly rounds: number;
}

/** Leaves the oldest rounds out of a long conversation, behind one marker and without a call (FLG-1; assumed). */
class Snip implements TierInstance {
  private readonly aboveTokens: number;
  private readonly downToTokens: number;
  private readonly keepRounds: number;
  private readonly minTokens: number;
  private marker: Marker | null = null;
  /** Nothing is tried below this: what could go was too little the last time. */
  private nextTokens = 0;

  constructor(private readonly context: TierContext) {
    const { params } = context;
    this.aboveTokens = param.number(params, 'snip.aboveTokens');
    this.downToTokens = param.number(params, 'snip.downToTokens');
    this.keepRounds = param.number(params, 'snip.keepRounds');
    this.minTokens = Math.max(MARKER_TOKENS + 1, param.number(params, 'snip.minTokens'));
  }

  reset(messages: readonly Message[]): void {
    this.nextTokens = 0;
    if (this.marker !== null && markedMessage(messages, this.marker.messageId) === null) this.marker = null;
  }

  resume(): void {
    this.nextTokens = 0;
    this.marker = null;
  }

  due(moment: Moment, { seenTokens }: ContextView): boolean {
    return moment.source === 'main' && seenTokens > this.aboveTokens && seenTokens >= this.nextTokens;
  }

  *act(_moment: Moment, view: ContextView): Generator<Action, void, Outcome> {
    const before = sizeBefore(view);
    const { keepRounds, minTokens, marker } = this;
    const deleted = deletedResults(this.context);
    const wanted = before.seenBefore - this.downToTokens;
    const { messages, rounds, rough, kept } = oldestRounds(view.messages, { wanted, keepRounds, deleted });
    this.nextTokens = before.seenBefore + Math.max(1, minTokens - rough);
    if (rough < minTokens) return;
    const old = marker === null ? null : markedMessage(view.messages, marker.messageId);
    const host = old ?? messages.find(({ role }) => role === 'user') ?? messages[0]!;
    const all = rounds + (old === null ? 0 : marker!.rounds);
    const text = createBlock({
      kind: 'text',
      role: host.role,
      tokens: MARKER_TOKENS,
      text: `[${all} earlier rounds of this conversation were left out to make room]`,
      facts: { replaces: 'marker' },
    });
    const leaves: Leaves = (block, message) =>
      message === old ? block.facts.replaces === 'marker' : leavesWithRound(block, message);
    const { edits, tokens } = leaveOut(
      old === null ? messages : [old, ...messages],
      leaves,
      host,
      text,
      deleted,
    );
    if (tokens <= MARKER_TOKENS) return;
    this.nextTokens = 0;
    const reason = `${before.seenBefore} tokens seen, more than ${this.aboveTokens}`;
    yield { kind: 'rewrite-blocks', by: { layer: 'snip', reason }, cause: 'snip', keep: 'live', edits };
    forgetResults(this.context, messages);
    this.marker = { messageId: host.id, rounds: all };
    yield changeReport(view, before, {
      layer: 'snip',
      action: 'snip',
      trigger: 'auto',
      reason,
      saved: before.trueBefore - view.trueTokens,
      details: { rounds, roundsInAll: all, keptRounds: kept, threshold: this.aboveTokens },
    });
  }
}

/** The message that holds the marker; null when it is gone. */
function markedMessage(messages: readonly Message[], id: string): Message | null {
  const found = messages.find((message) => message.id === id);
  return found?.blocks.some(({ facts }) => facts.replaces === 'marker') === true ? found : null;
}

/** History snip: named by the analyses, defined here (FLG-1; assumed). */
export const snipTier: TierDefinition = {
  name: 'snip',
  layer: 'snip',
  points: ['before-request'],
  needs: [],
  killSwitch: 'snip.enabled',
  params: [
    switchParam(
      'snip.enabled',
      false,
      'History snip: the oldest rounds leave a long conversation behind a marker, without a call (FLG-1; assumed).',
    ),
    integerParam(
      'snip.aboveTokens',
      120_000,
      'tokens',
      'Snips when the counter shows more than this (assumed).',
    ),
    integerParam(
      'snip.downToTokens',
      80_000,
      'tokens',
      'Whole rounds go, oldest first, until the counter shows no more than this (assumed).',
    ),
    integerParam('snip.keepRounds', 10, 'rounds', 'The latest rounds always stay (assumed).', { min: 1 }),
    integerParam(
      'snip.minTokens',
      10_000,
      'tokens',
      'Nothing goes unless it takes this much out: each snip breaks the cache (assumed).',
      { min: 1 },
    ),
  ],
  create: (context) => new Snip(context),
};
