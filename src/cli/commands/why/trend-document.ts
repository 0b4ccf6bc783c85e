import type { Compared } from '../../../analysis/why/alike.js';
import type { Split } from '../../../analysis/why/split.js';
import type { Trend, TrendRow } from '../../../analysis/why/trend.js';
import { formatCount, formatCounted, formatMoney, formatShare } from '../../../core/base/format.js';
import { ratio, sum } from '../../../core/base/stats.js';
import * as doc from '../../../report/document/document.js';
import { formatAtLeast, formatSigned } from '../../../report/text/words.js';
import { money } from './why-cells.js';

const MOST_ROWS = 12;
/** What all models of a vendor have in common, and the day of a release. */
const MODEL_ENDS = /^claude-(?!code )|-20\d{6}$/g;
/** Models that a row names. */
const MOST_MODELS = 2;
/** Versions and models that are compared on the screen. */
const MOST_COMPARED = 4;

/** `opus 81 %, sonnet 19 %`. */
function modelsOf({ byModel, usd }: TrendRow): string {
  const named = byModel
    .slice(0, MOST_MODELS)
    .map(
      (own) =>
        `${own.name.replace(MODEL_ENDS, '')} ${formatShare(!usd || own.usd === null ? null : own.usd / usd)}`,
    );
  const more = byModel.length - named.length;
  return [...named, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join(', ');
}

function trendColumns(period: Trend['period']): readonly doc.ColumnOf<TrendRow>[] {
  return [
    doc.text(period === 'day' ? 'day' : 'week from', ({ from }) => from),
    doc.number('sessions', ({ sessions }) => sessions, formatCount, 2),
    doc.number('requests', ({ requests }) => requests, formatCount, 3),
    doc.number('cost', ({ usd }) => usd, money),
    doc.number('read', ({ hitRate }) => hitRate, formatShare),
    doc.number('in breaks', ({ lostUsd }) => lostUsd, money),
    doc.text('models', modelsOf, 1),
  ];
}

function perRequest(rows: readonly TrendRow[]): string {
  const priced = sum(rows.map(({ requests, unpricedCalls }) => requests - unpricedCalls));
  return formatMoney(ratio(sum(rows.map(({ usd }) => usd ?? 0)), priced));
}

/** What the newest period came to beside those before it. */
function trendSentence({ period, rows }: Trend): string {
  const last = rows.at(-1)!;
  const when = period === 'day' ? `On ${last.from}` : `In the week from ${last.from}`;
  const now = `${when} ${formatCounted(last.sessions, 'session')} cost ${formatAtLeast(last.usd, { ...last, calls: last.requests })}, ${perRequest([last])} a request`;
  const earlier = rows.slice(0, -1);
  return earlier.length === 0 ? `${now}.` : `${now}; before, it was ${perRequest(earlier)}.`;
}

/** What sessions cost over time, the newest last. */
export function trendBlocks(trend: Trend): readonly doc.Block[] {
  const { period, rows, undatedSessions } = trend;
  if (rows.length === 0) return ['No session has a recorded time.'];
  const earlier = rows.length - MOST_ROWS;
  return [
    trendSentence(trend),
    '',
    doc.table(trendColumns(period), rows.slice(-MOST_ROWS)),
    ...doc.notes([
      earlier > 0 &&
        `${formatCounted(earlier, `earlier ${period} is`, `earlier ${period}s are`)} not shown; --json has all, and hours of the day.`,
      undatedSessions > 0 && `${formatCounted(undatedSessions, 'session')} without times left out.`,
    ]),
    doc.DROPPED,
  ];
}

/** A difference in per cent with its sign. */
function signedShare(share: number): string {
  return formatSigned(share, formatShare);
}

function differenceOf({ difference }: Compared): string {
  return difference === null ? 'cannot tell' : signedShare(difference);
}

/** Columns of a comparison: what its rows are, and what its sides are. */
function comparedColumns(what: string, before: string, after: string): readonly doc.ColumnOf<Compared>[] {
  return [
    doc.text(what, ({ name }) => name.replace(MODEL_ENDS, '')),
    doc.number(before, ({ beforeUsd }) => beforeUsd, formatMoney),
    doc.number(after, ({ afterUsd }) => afterUsd, formatMoney),
    doc.amount('difference', differenceOf),
    doc.text('between', ({ low, high }) =>
      low === null ? '' : `${signedShare(low)} and ${signedShare(high!)}`,
    ),
    doc.amount(
      'similar sessions',
      ({ alike }) => `${formatCount(alike.before)} + ${formatCount(alike.after)}`,
    ),
  ];
}

const VERDICTS: Readonly<Record<Compared['verdict'], string>> = {
  more: 'more than before',
  less: 'less than before',
  'no-difference': 'no clear difference',
  'cannot-tell': 'cannot tell',
};

function splitSentence({ day, before, after, measures }: Split): string {
  const [first] = measures;
  const { verdict, difference, low, high, alike } = first!;
  const sides = `${formatCounted(before, 'session')} before ${day}, ${formatCount(after)} from then on`;
  if (difference === null)
    return `Whether a request costs more from ${day} on: cannot tell (${formatCount(alike.before)} and ${formatCount(alike.after)} similar sessions; five are needed on each side; ${sides}).`;
  return `From ${day} on a request costs ${signedShare(difference)} (${signedShare(low!)} to ${signedShare(high!)}): ${VERDICTS[verdict]}, by ${formatCount(alike.before)} and ${formatCount(alike.after)} similar sessions.`;
}

/** The last of those with a verdict. */
function decided(rows: readonly Compared[]): readonly Compared[] {
  return rows.filter(({ difference }) => difference !== null).slice(-MOST_COMPARED);
}

function undecidedNote(what: string, rows: readonly Compared[]): doc.Said {
  const few = rows.filter(({ difference }) => difference === null).length;
  return (
    few > 0 &&
    `Cannot tell for ${formatCount(few)} of ${formatCounted(rows.length, what)}: too few similar sessions.`
  );
}

/** What a request, a turn and output cost before a day and from it on; and by version and model. */
export function splitBlocks(split: Split): readonly doc.Block[] {
  const { measures, byVersion, byModel, across, undated } = split;
  const left = across + undated;
  return [
    splitSentence(split),
    '',
    doc.table(comparedColumns('cost of', 'before', 'after'), measures),
    doc.section(
      'Does a request cost more on a version or a model?',
      doc.table(comparedColumns('', 'others', 'it'), [
        ...decided(byVersion),
        ...decided([...byModel].sort((a, b) => a.alike.after - b.alike.after)),
      ]),
    ),
    ...doc.notes([
      'Similar: same agent, model and size (requests of the same power of two). Others are earlier versions, or other models.',
      undecidedNote('version', byVersion),
      undecidedNote('model', byModel),
      left > 0 &&
        `${formatCounted(left, 'session')} on neither side: under way on that day, or without a time.`,
    ]),
    doc.DROPPED,
  ];
}
