import { type Block, createBlock } from '../../../core/model/block.js';
import type { Message } from '../../../core/model/message.js';
import type { Action, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { changeReport, sizeBefore } from '../support/compaction-report.js';
import { deletedResults, forgetResults, type Leaves, leaveOut } from '../support/leave-out.js';
import { layerParams, param } from '../support/param-reader.js';

/** How much may go, and what has to stay. */
interface SnipLimits {
  /** Tokens that should go, as a chars/4 counter sees them. */
  readonly wanted: number;
  readonly keepRounds: number;
  /** Results that the server leaves out already, by id. */
  readonly deleted: ReadonlySet<string>;
}

/** The oldest rounds of a conversation. */
interface OldestRounds {
  readonly messages: readonly Message[];
  readonly rounds: number;
  /** What they take as a chars/4 counter sees it. */
  readonly rough: number;
  /** Rounds that stay. */
  readonly kept: number;
}

/**
 * The oldest rounds that together take what is wanted, the latest protected. A round is a response with the results of its
 * calls, so no pair is split; what the user said, what was attached and what stands for earlier history belong to none. @internal
 */
export function oldestRounds(
  messages: readonly Message[],
  { wanted, keepRounds, deleted }: SnipLimits,
): OldestRounds {
  const rounds = roundsOf(messages);
  const most = Math.max(0, rounds.length - keepRounds);
  const taken: Message[] = [];
  let rough = 0;
  let count = 0;
  while (count < most && rough < wanted) {
    for (const message of rounds[count]!) {
      taken.push(message);
      for (const block of message.blocks)
        if (leavesWithRound(block, message) && !deleted.has(block.toolUseId ?? '')) rough += block.rough;
    }
    count++;
  }
  return { messages: taken, rounds: count, rough, kept: rounds.length - count };
}

/** True for what a round consists of: all of a response, of what follows it the results. @internal */
export function leavesWithRound({ kind }: Block, { role }: Message): boolean {
  return role === 'assistant' || kind === 'tool_result';
}

function roundsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  const rounds: Message[][] = [];
  let response: string | null = null;
  for (const message of messages) {
    const { role, blocks, responseId } = message;
    if (blocks.length === 0 || blocks.some(({ facts }) => facts.replaces === 'marker')) continue;
    if (role === 'assistant') {
      if (responseId === null || responseId !== response) rounds.push([]);
      response = responseId;
      rounds.at(-1)!.push(message);
    } else if (rounds.length > 0 && blocks.some(({ kind }) => kind === 'tool_result'))
      rounds.at(-1)!.push(message);
  }
  return rounds;
}

/** Tokens of the marker (assumed). */
const MARKER_TOKENS = 24;

/** Where the marker stands, and how many rounds it stands for. */
interface Marker {
  readonly messageId: string;
  readonly rounds: number;
}

/** Leaves the oldest rounds out of a long conversation, behind one marker and without a call (FLG-1; assumed). */
class Snip implements LayerInstance {
  private readonly aboveTokens: number;
  private readonly downToTokens: number;
  private readonly keepRounds: number;
  private readonly minTokens: number;
  private marker: Marker | null = null;
  /** Nothing is tried below this: what could go was too little the last time. */
  private nextTokens = 0;

  constructor(private readonly context: LayerContext) {
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

  due(moment: HookContext, { seenTokens }: ContextView): boolean {
    return moment.source === 'main' && seenTokens > this.aboveTokens && seenTokens >= this.nextTokens;
  }

  *act(_moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const before = sizeBefore(view);
    const { keepRounds, minTokens, marker } = this;
    const deleted = deletedResults(this.context);
    const wanted = before.estimatedBefore - this.downToTokens;
    const { messages, rounds, rough, kept } = oldestRounds(view.messages, { wanted, keepRounds, deleted });
    this.nextTokens = before.estimatedBefore + Math.max(1, minTokens - rough);
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
    const reason = `${before.estimatedBefore} tokens seen, more than ${this.aboveTokens}`;
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
export const snipLayer: LayerDefinition = {
  name: 'snip',
  layer: 'snip',
  points: ['before-request'],
  needs: [],
  killSwitch: 'snip.enabled',
  params: layerParams('snip'),
  create: (context) => new Snip(context),
};
