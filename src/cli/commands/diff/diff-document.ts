import type { Difference, LaneDiff } from '../../../analysis/diff/diff-lanes.js';
import {
  formatCount,
  formatCounted,
  formatMoney,
  formatShare,
  printable,
} from '../../../core/base/format.js';
import * as doc from '../../../report/document/document.js';
import { formatAtLeast, shortName, unpricedText } from '../../../report/text/words.js';

const THREAD_CHARS = 12;

/** What both sides have at a request where they differ. */
export const COLUMNS: doc.ColumnsOf<Difference> = [
  doc.text('turn', place),
  doc.number('prompt A', ({ a }) => a?.prompt ?? null, formatCount, 4),
  doc.number('prompt B', ({ b }) => b?.prompt ?? null, formatCount, 5),
  doc.number('read A', ({ a }) => a?.read ?? null, formatCount, 2),
  doc.number('read B', ({ b }) => b?.read ?? null, formatCount, 3),
  doc.number('B costs more by', ({ costUsd }) => costUsd, formatMoney),
  doc.text('what', ({ kind }) => kind),
];

/** Thread, turn and purpose of a difference. @internal */
export function place({ thread, turn, purpose }: Difference): string {
  const name = thread === 'main' ? '' : `${shortName(printable(thread), THREAD_CHARS)} `;
  const kind = purpose === 'main' || purpose === 'subagent' ? '' : ` ${purpose}`;
  return `${name}${formatCount(turn)}${kind}`;
}

/** Where the lanes part, and why. */
export function firstSentence({ firstDifference, a }: LaneDiff): string {
  if (firstDifference === null) return `They are the same in all ${formatCounted(a.requests, 'request')}.`;
  const { request, turn, thread, reason } = firstDifference;
  const where = thread === 'main' ? '' : ` of ${thread}`;
  return `They first differ at request ${formatCount(request)} (turn ${formatCount(turn)}${where}): ${reason}.`;
}

/** What is shown besides a difference. */
export interface DiffContext {
  readonly tolerance: number;
  /** What the costs of recordings leave out, and what of them is estimated. */
  readonly notes: readonly string[];
}

/** What counts as the same, whether the sides are of one session, and what their costs leave out. */
export function diffNotes({ sameSession }: LaneDiff, { tolerance, notes: billed }: DiffContext) {
  return [
    ...(tolerance > 0 ? [`figures within ${formatShare(tolerance)} of each other count as equal`] : []),
    ...(sameSession === false
      ? [
          'the sides are different sessions: requests are aligned only by turn, and most differences come from the sessions',
        ]
      : []),
    ...billed,
  ];
}

/** Which of the two costs more, as far as their models have prices. */
function costVerdict({ a, b }: LaneDiff): string {
  if (a.costUsd === null || b.costUsd === null)
    return 'their cost is unknown: one side uses models without a price';
  const more = b.costUsd - a.costUsd;
  const share = a.costUsd === 0 ? null : Math.abs(more) / a.costUsd;
  const isPart = a.unpricedRequests + b.unpricedRequests > 0;
  const part = isPart ? `, without ${unpricedOf(a)} in A and ${unpricedOf(b)} in B that have no price` : '';
  return Math.abs(more) < 5e-10
    ? `both cost the same${part}`
    : `B costs ${formatMoney(Math.abs(more))} ${more > 0 ? 'more' : 'less'} (${formatShare(share)})${part}`;
}

function unpricedOf({ unpricedRequests, requests }: LaneDiff['a']): string {
  return `${formatCount(unpricedRequests)} of ${formatCounted(requests, 'request')}`;
}

/** What a side costs, with what that leaves out. */
export function laneCost({ costUsd, requests, unpricedRequests }: LaneDiff['a']): string {
  const priced = { calls: requests, unpricedCalls: unpricedRequests };
  const left = unpricedText(priced, 'request');
  return `${formatAtLeast(costUsd, priced)}${left === null ? '' : ` (${left})`}`;
}

/** The sum, and how much of it is there at the first difference. */
export function sumSentence(diff: LaneDiff): string {
  const { differences, pairs } = diff;
  return `${formatCount(differences.length)} of ${formatCounted(pairs.length, 'request')} ${differences.length === 1 || pairs.length === 1 ? 'differs' : 'differ'}; ${costVerdict(diff)}.`;
}

/** Two lanes: where they part, then what differs. */
export function diffBlocks(
  diff: LaneDiff,
  { rows: most, ...context }: DiffContext & { readonly rows: number },
): readonly doc.Block[] {
  const side = (name: string, lane: LaneDiff['a']): doc.Block =>
    doc.said(
      `${name}  ${printable(lane.title)}: ${laneCost(lane)}, ${formatCounted(lane.requests, 'request')}`,
      'plain',
      '  ',
    );
  const { differences, unrecorded } = diff;
  const left = differences.length - most;
  return [
    side('A', diff.a),
    side('B', diff.b),
    '',
    doc.said(firstSentence(diff), 'strong', '  '),
    '',
    doc.table(COLUMNS, differences.slice(0, most)),
    ...doc.notes([left > 0 && `${formatCount(left)} more; --rows ${differences.length} shows all`]),
    doc.DROPPED,
    ...doc.notes([
      unrecorded.requests > 0 &&
        `left out: ${formatCounted(unrecorded.requests, 'request')} for suggestions and layers, not recorded (${formatMoney(unrecorded.costUsd)})`,
      ...diffNotes(diff, context),
    ]),
  ];
}

/** What a difference does not say by itself. */
export function adviceOn({ firstDifference, sameSession, samePlan }: LaneDiff, isRecorded: boolean): string {
  if (sameSession === false)
    return 'To see what settings do, compare two sides of one session: name the same recording on both.';
  if (isRecorded) return 'One session is one sample: ccbench validate shows the error over many.';
  if (samePlan) return 'Their settings are the same.';
  return firstDifference === null
    ? 'The settings that differ had no effect here.'
    : 'This is one session: ccbench compare over several shows whether the difference holds.';
}
