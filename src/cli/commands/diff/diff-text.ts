import type { Difference, LaneDiff } from '../../../analysis/diff/diff-lanes.js';
import {
  formatCount,
  formatCounted,
  formatMoney,
  formatShare,
  printable,
} from '../../../core/base/format.js';
import { formatAtLeast, unpricedText } from '../../../report/text/at-least.js';
import { shortName } from '../../../report/text/short-name.js';
import { type Column, droppedHeaders, type Row, tableLines, wrapText } from '../../../report/text/table.js';
import type { Screen } from '../../../report/text/terminal.js';

const INDENT = '  ';
const THREAD_CHARS = 12;

const COLUMNS: readonly Column[] = [
  { header: 'turn', align: 'left', drop: null },
  { header: 'prompt A', align: 'right', drop: 4 },
  { header: 'B', align: 'right', drop: 5 },
  { header: 'read A', align: 'right', drop: 2 },
  { header: 'B', align: 'right', drop: 3 },
  { header: 'B costs more by', align: 'right', drop: null },
  { header: 'what', align: 'left', drop: null },
];

/** Thread, turn and purpose of a difference. */
export function place({ thread, turn, purpose }: Difference): string {
  const name = thread === 'main' ? '' : `${shortName(printable(thread), THREAD_CHARS)} `;
  const kind = purpose === 'main' || purpose === 'subagent' ? '' : ` ${purpose}`;
  return `${name}${formatCount(turn)}${kind}`;
}

function rowOf(difference: Difference): Row {
  const { a, b, costUsd, kind } = difference;
  return {
    cells: [
      place(difference),
      formatCount(a?.prompt ?? null),
      formatCount(b?.prompt ?? null),
      formatCount(a?.read ?? null),
      formatCount(b?.read ?? null),
      formatMoney(costUsd),
      kind,
    ],
  };
}

/** Where the lanes part, and why. */
export function firstSentence({ firstDifference, a }: LaneDiff): string {
  if (firstDifference === null) return `They are the same in all ${formatCounted(a.requests, 'request')}.`;
  const { request, turn, thread, reason } = firstDifference;
  const where = thread === 'main' ? '' : ` of ${thread}`;
  return `They part at request ${formatCount(request)} (turn ${formatCount(turn)}${where}): ${reason}.`;
}

/** What counts as the same. */
export function toleranceSentence(tolerance: number): string {
  return `figures within ${formatShare(tolerance)} of each other count as the same`;
}

/** Says that two sides are no runs of one session: what stands side by side then has nothing to do with each other. */
export function sessionNotes({ sameSession }: LaneDiff): readonly string[] {
  return sameSession === false
    ? [
        'the sides are different sessions: their requests are aligned by turn alone, and what differs is mostly the sessions',
      ]
    : [];
}

/** Which of the two costs more, as far as their models have prices. */
function costVerdict({ a, b }: LaneDiff): string {
  if (a.costUsd === null || b.costUsd === null)
    return 'what they cost cannot be told, as a side is of models without a price';
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
  const text = unpricedText(priced, 'request');
  return `${formatAtLeast(costUsd, priced)}${text === null ? '' : ` (${text})`}`;
}

/** The sum, and how much of it is there at the first difference. */
export function sumSentence(diff: LaneDiff): string {
  const { differences, pairs } = diff;
  const verdict = costVerdict(diff);
  return `${formatCount(differences.length)} of ${formatCounted(pairs.length, 'request')} ${differences.length === 1 ? 'differs' : 'differ'}; ${verdict}.`;
}

/** What is told besides a difference. */
export interface DiffTold {
  readonly tolerance: number;
  /** What the costs of recordings leave out, and what of them is estimated. */
  readonly notes: readonly string[];
}

/** Two lanes for the screen: where they part, then what differs. */
export function diffText(
  diff: LaneDiff,
  { tolerance, notes: billed, rows: most }: DiffTold & { readonly rows: number },
  screen: Screen,
): string {
  const { width, style } = screen;
  const say = (text: string): readonly string[] => wrapText(printable(text), width, '', INDENT);
  const side = (name: string, lane: LaneDiff['a']): readonly string[] =>
    say(`${name}  ${lane.title}: ${laneCost(lane)}, ${formatCounted(lane.requests, 'request')}`);
  const rows = diff.differences.slice(0, most).map(rowOf);
  const dropped = droppedHeaders(COLUMNS, rows, width - INDENT.length);
  const left = diff.differences.length - rows.length;
  const notes = [
    ...(left > 0 ? [`${formatCount(left)} more; --rows ${diff.differences.length} shows all`] : []),
    ...(dropped.length > 0 ? [`not shown in ${width} columns: prompts or reads; --json has all`] : []),
    ...(diff.unrecorded.requests > 0
      ? [
          `left out: ${formatCounted(diff.unrecorded.requests, 'request')} for suggestions and layers that no recording holds (${formatMoney(diff.unrecorded.costUsd)})`,
        ]
      : []),
    ...(tolerance > 0 ? [toleranceSentence(tolerance)] : []),
    ...sessionNotes(diff),
    ...billed,
  ];
  const lines = [
    ...side('A', diff.a),
    ...side('B', diff.b),
    '',
    ...say(firstSentence(diff)).map(style.bold),
    ...(rows.length === 0 ? [] : ['', ...tableLines(COLUMNS, rows, { indent: INDENT, ...screen })]),
    ...notes.flatMap((note) => wrapText(printable(note), width, INDENT, INDENT + INDENT).map(style.dim)),
  ];
  return `${lines.join('\n')}\n`;
}
