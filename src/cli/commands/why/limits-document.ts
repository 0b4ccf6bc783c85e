import type { MeterFit } from '../../../analysis/limits/fit-weights.js';
import {
  type LimitChange,
  type LimitsReport,
  type LimitWindow,
  PAUSE_CAUSES,
  type WindowDetail,
  type WindowSlice,
} from '../../../analysis/limits/limits.js';
import { formatCount, formatCounted, formatDecimal, formatShare } from '../../../core/base/format.js';
import { ratio, sum } from '../../../core/base/stats.js';
import * as doc from '../../../report/document/document.js';
import { sessionName } from './why-cells.js';

const MOST_ROWS = 11;
/** A cause below this share is shown with the others. */
const LEAST_SHARE = 0.002;
/** A cause from this share on is named though another window has it. */
const STANDS_OUT = 0.1;
const MOST_NAMED = 2;
const MOST_LEFT_OUT = 2;
const DAY_CHARS = 10;

/** A time to the minute. */
function time(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}

/** A span of time; its end has no day where that is the one of its beginning. */
function span({ from, to }: LimitWindow): string {
  const end = time(to);
  return `${time(from)} to ${from.slice(0, DAY_CHARS) === to.slice(0, DAY_CHARS) ? end.slice(DAY_CHARS + 1) : end} UTC`;
}

/** Per cent: a decimal below ten. */
function percents(value: number): string {
  return formatDecimal(value, value < 10 ? 1 : 0);
}

function percentOf({ percent }: LimitWindow, meter: string): string {
  if (percent === null) return '';
  const { value, low, high } = percent;
  const between = low === high ? '' : ` (${percents(low)} to ${percents(high)})`;
  return `, ${percents(value)} % of the ${meter} limit${between}`;
}

function pauseShare({ byCause }: WindowDetail): string {
  const own = byCause.filter(({ cause }) => PAUSE_CAUSES.includes(cause));
  return formatShare(sum(own.map(({ share }) => share ?? 0)));
}

/** What a window comes to: weighted tokens, and how far that is known. */
function amountOf(window: LimitWindow, meter: string): string {
  const { weighted, weightedBetween } = window;
  const reads =
    weightedBetween === undefined || weightedBetween.high === weighted
      ? ''
      : ` without reads (published fit; ${formatCount(weightedBetween.high)} if reads weigh as priced)`;
  return `${formatCount(weighted)} weighted tokens${reads}${percentOf(window, meter)}`;
}

function fullestSentence(what: string, meter: string, window: WindowDetail): string {
  return `The fullest ${what} ${span(window)}: ${amountOf(window, meter)}; ${pauseShare(window)} of it cache rebuilds after pauses.`;
}

function latestSentence({ fiveHour, weekly }: LimitsReport): string {
  const said = ({ latest, fullest }: LimitsReport['fiveHour'], meter: string): string =>
    latest.to === fullest.to
      ? 'as above'
      : `${formatCount(latest.weighted)} weighted tokens${percentOf(latest, meter)}, ${formatShare(ratio(latest.weighted, fullest.weighted))} of the fullest`;
  const at = `At the last request (${time(fiveHour.latest.to)} UTC)`;
  return `${at}: five hours ${said(fiveHour, 'five-hour')}; week ${said(weekly, 'weekly')}.`;
}

/** A row: what it is, and how to find it in a window. */
interface LimitRow {
  readonly by: string;
  readonly what: string;
  readonly of: (window: WindowDetail) => number;
}

type Split = 'byCause' | 'byModel' | 'bySession' | 'byThread' | 'byCompaction';

function rowOf(by: string, split: Split, name: string, what = name): LimitRow {
  const isOwn = (slice: WindowSlice): boolean => slice.name === name;
  return { by, what, of: (window) => window[split].find(isOwn)?.weighted ?? 0 };
}

/** The largest causes of the first window and the two that stand out in the second, with the others in one row. */
function causeRows(first: WindowDetail, second: WindowDetail, most: number): readonly LimitRow[] {
  const present = ({ share }: WindowSlice): boolean => (share ?? 0) >= LEAST_SHARE;
  const own = first.byCause.filter(present).map(({ name }) => name);
  const others = second.byCause.filter(present).map(({ name }) => name);
  const all = [...new Set([...own, ...others])];
  const standOut = second.byCause.filter(
    ({ share, name }) => share! >= STANDS_OUT && !own.slice(0, most - 1).includes(name),
  );
  const kept = standOut.slice(0, MOST_NAMED).map(({ name }) => name);
  const shown = all.length < most ? all : [...own.slice(0, most - 1 - kept.length), ...kept];
  const names = new Set(shown);
  const rest = (window: WindowDetail): number =>
    sum(window.byCause.filter(({ name }) => !names.has(name)).map(({ weighted }) => weighted));
  const rows = shown.map((name) => rowOf('cause', 'byCause', name));
  return rest(first) + rest(second) === 0 ? rows : [...rows, { by: 'cause', what: 'other causes', of: rest }];
}

function rowsOf({ fiveHour, weekly }: LimitsReport): readonly LimitRow[] {
  const { fullest } = fiveHour;
  const named = (by: string, split: Split, whatOf = (name: string) => name): readonly LimitRow[] =>
    fullest[split].slice(0, MOST_NAMED).map(({ name }) => rowOf(by, split, name, whatOf(name)));
  const compactions: LimitRow = {
    by: 'compaction',
    what: 'summaries and rebuilds',
    of: ({ byCompaction }) =>
      sum(byCompaction.filter(({ name }) => name !== 'everything else').map(({ weighted }) => weighted)),
  };
  const compacted = fullest.byCause.find(({ cause }) => cause === 'compaction')?.weighted ?? 0;
  const rest = [
    ...(compactions.of(fullest) > compacted ? [compactions] : []),
    ...named('thread', 'byThread'),
    ...named('model', 'byModel'),
    ...named('session', 'bySession', sessionName),
  ];
  return [...causeRows(fullest, weekly.fullest, MOST_ROWS - rest.length), ...rest];
}

function columns({ fiveHour, weekly }: LimitsReport): readonly doc.ColumnOf<LimitRow>[] {
  const share = (window: WindowDetail) => (row: LimitRow) =>
    formatShare(ratio(row.of(window), window.weighted));
  return [
    doc.text('by', ({ by }) => by),
    doc.text('', ({ what }) => what),
    doc.number('fullest 5 h', ({ of }) => of(fiveHour.fullest), formatCount),
    doc.amount('share', share(fiveHour.fullest)),
    doc.amount('last 5 h', share(fiveHour.latest), 1),
    doc.amount('fullest week', share(weekly.fullest), 2),
  ];
}

/** What the best change would have saved. */
function changeSentence({ fiveHour, weekly }: LimitsReport): string {
  const { changes } = fiveHour;
  if (changes.length === 0)
    return 'No change was tried: changes are tried only on sessions of Claude Code and Codex.';
  const inWeek = (own: LimitChange): string =>
    formatShare(weekly.changes.find(({ name }) => name === own.name)?.share ?? null);
  const saving = changes.filter(({ weighted }) => weighted > 0).slice(0, MOST_NAMED);
  if (saving.length === 0)
    return 'None of the standard changes would have saved anything in the fullest five hours.';
  const each = saving.map((own) => `${own.name} ${formatShare(own.share)} (week ${inWeek(own)})`);
  return `Simulated savings in the fullest five hours: ${each.join('; ')}.`;
}

function fitSentence(what: string, fit: MeterFit): readonly string[] {
  if (fit.kind === 'no-readings') return [];
  if (fit.kind === 'failed') return [`Weights of the ${what} by your readings: not known, ${fit.reason}.`];
  const off =
    fit.errorPoints === null
      ? 'error unknown from one reading'
      : `off by ${formatDecimal(fit.errorPoints, 1)} points (leave-one-out)`;
  return [
    `Weights of the ${what}: fitted to ${formatCounted(fit.readings, 'reading')} (${fit.freed}), ${off}; a million weighted tokens is ${formatDecimal(fit.percentPerMillion, 2)} %.`,
  ];
}

/** What the weights rest on. */
function weightNotes({ weights, fit, fiveHour }: LimitsReport): readonly string[] {
  const { read, write, writeHour, output } = weights.kinds;
  const prices = `Weights: list prices (read ${read}, write ${write} or ${writeHour}, output ${output} × input; 1 is Sonnet input), assumed.`;
  const fitted = [...fitSentence('five hours', fit.fiveHour), ...fitSentence('week', fit.weekly)];
  if (fit.fiveHour.kind === 'fitted') return [prices, ...fitted];
  const { low, high } = weights.meters.fiveHour.tokensPerPercent;
  const { publishedPercent } = fiveHour.fullest;
  const known =
    publishedPercent === null
      ? 'no fit is published for these meters'
      : `published fits, ± ${formatDecimal((100 * (high - low)) / (high + low), 0)} %: the fullest is ${percents(publishedPercent.low)} to ${percents(publishedPercent.high)} % of one account’s limit`;
  const open = fit.fiveHour.kind === 'no-readings' ? 'No readings' : 'Without them';
  return [prices, ...fitted, `${open}: ${known}. --observed 2026-11-10T14:05=63% fits your plan.`];
}

/** What is in no window, by why. */
function leftOutNotes({ fit, leftOut }: LimitsReport): readonly string[] {
  const unused = [fit.fiveHour, fit.weekly].flatMap((own) => (own.kind === 'no-readings' ? [] : own.unused));
  const readings = unused.map(({ reading, why }) => ({
    what: `reading of ${time(new Date(reading.atMs).toISOString())} UTC`,
    why,
  }));
  const byWhy = new Map<string, string[]>();
  for (const { what, why } of [...leftOut, ...readings])
    byWhy.set(why, [...(byWhy.get(why) ?? []), what.includes('/') ? sessionName(what) : what]);
  const lines = [...byWhy].map(([why, all]) => {
    const more = all.length - MOST_NAMED;
    const named = all.slice(0, MOST_NAMED).join(', ');
    return `Left out: ${named}${more > 0 ? ` and ${formatCount(more)} more` : ''}: ${why}.`;
  });
  return lines.slice(0, MOST_LEFT_OUT);
}

/** Where the limits went, the answer first. */
export function limitsBlocks(report: LimitsReport): readonly doc.Block[] {
  const { fiveHour, weekly } = report;
  return [
    doc.said(fullestSentence('five hours were', 'five-hour', fiveHour.fullest), 'strong'),
    fullestSentence('week was', 'weekly', weekly.fullest),
    latestSentence(report),
    '',
    doc.table(columns(report), rowsOf(report)),
    '',
    changeSentence(report),
    ...doc.notes([...weightNotes(report), ...leftOutNotes(report)]),
    doc.DROPPED,
  ];
}
