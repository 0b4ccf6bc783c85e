import type { Difference, LaneDiff } from '../../../analysis/diff/diff-lanes.js';
import type { ReasonKind } from '../../../analysis/diff/explain.js';
import type { LaneRequest } from '../../../analysis/diff/lane.js';
import { formatCounted, printable } from '../../../core/base/format.js';
import { usd } from '../../../metrics/metric.js';
import { DISTINCT } from '../../../report/charts/palette.js';
import { type ColumnsOf, card, pageTable, text } from '../../../report/document/document.js';
import { type StudyPage, studyPage } from '../../../report/html/page-html.js';
import type { StudyChart } from '../../../report/page-data/page-data.js';
import {
  COLUMNS,
  type DiffContext,
  diffNotes,
  firstSentence,
  laneCost,
  sumSentence,
} from './diff-document.js';

/** Differences that the table lists. */
const MOST_ROWS = 5_000;

/** The position of each difference among the aligned requests. */
function placesOf({ pairs, differences }: LaneDiff): ReadonlyMap<number, number> {
  const rows = new Map<number, number>();
  let row = 0;
  for (const [i, { a, b }] of pairs.entries()) {
    const next = differences[row];
    const request = (a ?? b)!;
    if (next === undefined) break;
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

/** What makes two requests differ, in words. */
const KIND_WORDS: Readonly<Record<ReasonKind, string>> = {
  missing: 'only one side',
  threshold: 'another threshold',
  counter: 'another count',
  layer: 'a layer acted',
  model: 'another model',
  bytes: 'other prompt',
  cache: 'cache',
  price: 'other price',
  output: 'other output',
};

/** Differences with most money in them first, as indexes; what has no price comes last. */
function byMoney({ differences }: LaneDiff): readonly number[] {
  const size = (i: number): number => Math.abs(differences[i]!.costUsd ?? 0);
  return [...differences.keys()].sort((a, b) => size(b) - size(a)).slice(0, MOST_ROWS);
}

/** The places at which a side compacts. */
function compactionsOf({ pairs }: LaneDiff): NonNullable<StudyChart['events']> {
  const isCompacted = (request: LaneRequest | null): boolean =>
    request?.acts.some(({ action, outcome }) => action === 'compact' && outcome === 'done') === true;
  return pairs.flatMap(({ a, b }, i) => {
    const [ofA, ofB] = [isCompacted(a), isCompacted(b)];
    if (!ofA && !ofB) return [];
    const name = ofA && ofB ? 'both compact' : `${ofA ? 'A' : 'B'} compacts`;
    const color = ofA && ofB ? DISTINCT.grey : ofA ? DISTINCT.blue : DISTINCT.orange;
    return [{ x: i + 1, name, color }];
  });
}

/** What is drawn of each request; made again for each lane, as a value may be a running sum. */
type Pick = () => (request: LaneRequest) => number;

/** What was paid up to each request. */
const paidSoFar: Pick = () => {
  let nano = 0;
  return ({ costNano }) => {
    nano += costNano;
    return usd(nano);
  };
};

/** Both lanes, each request at the place where they are aligned. */
function chartsOf(diff: LaneDiff, order: readonly number[]): readonly StudyChart[] {
  const places = placesOf(diff);
  const rowOf = new Map(order.map((difference, row) => [difference, row]));
  const events = compactionsOf(diff);
  const lane = (side: 'a' | 'b', value: (request: LaneRequest) => number) => ({
    name: side === 'a' ? 'A' : 'B',
    color: side === 'a' ? DISTINCT.blue : DISTINCT.orange,
    drawn: 'line' as const,
    points: diff.pairs.flatMap((pair, i) => {
      const request = pair[side];
      return request === null
        ? []
        : [{ x: i + 1, y: value(request), row: rowOf.get(places.get(i) ?? -1) ?? null }];
    }),
  });
  const charts: readonly (readonly [name: string, title: string, unit: 'tokens' | 'usd', pick: Pick])[] = [
    ['prompts', 'Prompt of each request', 'tokens', () => (request) => request.prompt],
    ['reads', 'Read from the cache', 'tokens', () => (request) => request.read],
    ['paid', 'Paid so far', 'usd', paidSoFar],
  ];
  return charts.map(([name, title, unit, pick]) => ({
    name,
    title,
    x: { title: 'request, aligned by turn', unit: null, scale: 'linear' },
    y: { title: unit === 'usd' ? 'US dollars' : 'tokens', unit, scale: 'linear' },
    series: [lane('a', pick()), lane('b', pick())],
    ...(events.length === 0 ? {} : { events }),
  }));
}

const PAGE_COLUMNS: ColumnsOf<Difference> = [
  COLUMNS[0],
  ...COLUMNS.slice(1, -1),
  text('what', ({ kind }) => KIND_WORDS[kind]),
];

/** diff.html: two lanes aligned by turn, and every request at which they differ. */
export function diffPage(diff: LaneDiff, context: DiffContext): StudyPage {
  const side = (label: string, lane: LaneDiff['a']) =>
    card(label, laneCost(lane), `${printable(lane.title)}, ${formatCounted(lane.requests, 'request')}`);
  const order = byMoney(diff);
  const shown = order.map((i) => diff.differences[i]!);
  const left = diff.differences.length - shown.length;
  const table = pageTable('Requests that differ, most money first', PAGE_COLUMNS, shown, [
    sumSentence(diff),
    ...(left > 0 ? [`${formatCounted(left, 'difference')} not shown here: --json has all`] : []),
    ...diffNotes(diff, context).map(printable),
  ]);
  const rows = table.rows.map((row, i) => ({
    ...row,
    name: `turn ${row.name}`,
    note: printable(shown[i]!.reason),
  }));
  return studyPage(
    {
      title: 'Where two runs diverge',
      lead: printable(firstSentence(diff)),
      cards: [side('A', diff.a), side('B', diff.b)],
      of: 'difference',
      charts: chartsOf(diff, order),
      table: { ...table, rows },
    },
    'ccbench diff prints the same, and ccbench diff --json all of it.',
  );
}
