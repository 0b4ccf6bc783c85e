import type { Difference, Figures, LaneDiff } from '../../../analysis/diff/diff-lanes.js';
import type { LaneRequest } from '../../../analysis/diff/lane.js';
import { formatCount, formatCounted, formatMoney, printable } from '../../../core/base/format.js';
import { DISTINCT } from '../../../report/charts/palette.js';
import { studyHtml } from '../../../report/html/study-html.js';
import type { PageFact } from '../../../report/page-data/page-data.js';
import type { StudyChart, StudySeries } from '../../../report/page-data/study-page-data.js';
import {
  type DiffTold,
  firstSentence,
  laneCost,
  place,
  sessionNotes,
  sumSentence,
  toleranceSentence,
} from './diff-text.js';

/** Differences that the table lists. */
const MOST_ROWS = 5_000;

const NANO = 1e9;

type Side = 'a' | 'b';

/** Where each difference stands among the aligned requests. */
function rowsOf({ pairs, differences }: LaneDiff): ReadonlyMap<number, number> {
  const rows = new Map<number, number>();
  let row = 0;
  for (const [i, { a, b }] of pairs.entries()) {
    const next = differences[row];
    const request = (a ?? b)!;
    if (next === undefined || row >= MOST_ROWS) break;
    const isNext =
      next.thread === request.thread &&
      next.turn === request.turn &&
      next.purpose === request.purpose &&
      next.a?.request === a?.n &&
      next.b?.request === b?.n;
    if (isNext) rows.set(i, row++);
  }
  return rows;
}

/** One lane: a value of each of its requests, at the place where both are aligned. */
function laneSeries(
  diff: LaneDiff,
  rows: ReadonlyMap<number, number>,
  side: Side,
  pick: (request: LaneRequest) => number,
): StudySeries {
  return {
    name: side === 'a' ? 'A' : 'B',
    color: side === 'a' ? DISTINCT.blue : DISTINCT.orange,
    drawn: 'line',
    points: diff.pairs.flatMap((pair, i) => {
      const request = pair[side];
      return request === null ? [] : [{ x: i + 1, y: pick(request), row: rows.get(i) ?? null }];
    }),
  };
}

function chart(
  title: string,
  unit: 'tokens' | 'usd',
  diff: LaneDiff,
  rows: ReadonlyMap<number, number>,
  pick: () => (request: LaneRequest) => number,
): StudyChart {
  return {
    title,
    x: { title: 'request, aligned by turn', unit: null, scale: 'linear' },
    y: { title: unit === 'usd' ? 'US dollars' : 'tokens', unit, scale: 'linear' },
    series: (['a', 'b'] as const).map((side) => laneSeries(diff, rows, side, pick())),
  };
}

/** What was paid up to each request. */
function paidSoFar(): (request: LaneRequest) => number {
  let nano = 0;
  return ({ costNano }) => {
    nano += costNano;
    return nano / NANO;
  };
}

function cells(figures: Figures | null) {
  return [
    { text: formatCount(figures?.prompt ?? null), value: figures?.prompt ?? null },
    { text: formatCount(figures?.read ?? null), value: figures?.read ?? null },
  ];
}

function rowOf(difference: Difference) {
  const { a, b, costUsd, reason } = difference;
  return {
    name: `turn ${place(difference)}`,
    note: printable(reason),
    cells: [
      ...cells(a),
      ...cells(b),
      { text: formatMoney(costUsd), value: costUsd },
      { text: difference.kind },
    ],
  };
}

/** diff.html: two lanes aligned by turn, and every request at which they differ. */
export function diffHtml(diff: LaneDiff, { tolerance, notes }: DiffTold): string {
  const rows = rowsOf(diff);
  const card = (label: string, lane: LaneDiff['a']): PageFact => ({
    label,
    value: laneCost(lane),
    note: `${printable(lane.title)}, ${formatCounted(lane.requests, 'request')}`,
    tone: 'plain',
  });
  const left = diff.differences.length - Math.min(diff.differences.length, MOST_ROWS);
  return studyHtml(
    {
      title: 'Where two runs part',
      lead: printable(firstSentence(diff)),
      cards: [card('A', diff.a), card('B', diff.b)],
      of: 'difference',
      charts: [
        chart(
          'Prompt of each request',
          'tokens',
          diff,
          rows,
          () =>
            ({ prompt }) =>
              prompt,
        ),
        chart(
          'Read from the cache',
          'tokens',
          diff,
          rows,
          () =>
            ({ read }) =>
              read,
        ),
        chart('Paid so far', 'usd', diff, rows, paidSoFar),
      ],
      table: {
        caption: 'Requests that differ',
        columns: ['prompt A', 'read A', 'prompt B', 'read B', 'B costs more by', 'what'],
        rows: diff.differences.slice(0, MOST_ROWS).map(rowOf),
        notes: [
          sumSentence(diff),
          ...sessionNotes(diff),
          ...(tolerance > 0 ? [toleranceSentence(tolerance)] : []),
          ...(left > 0 ? [`${formatCounted(left, 'difference')} not shown here: --json has all`] : []),
          ...notes.map(printable),
        ],
      },
    },
    'ccbench diff prints the same, and ccbench diff --json all of it.',
  );
}
