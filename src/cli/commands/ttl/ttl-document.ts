import type { SessionCost } from '../../../analysis/lifetime/lifetime-curve.js';
import type {
  ConversationHitRates,
  LifetimeCostReport,
  LifetimeReport,
} from '../../../analysis/lifetime/lifetime-report.js';
import {
  formatCount,
  formatCounted,
  formatMoney,
  formatShare,
  printable,
  wordList,
} from '../../../core/base/format.js';
import { sum } from '../../../core/base/stats.js';
import { isWorthSaving, NOT_WORTH_ACTING } from '../../../metrics/cost-interval.js';
import * as doc from '../../../report/document/document.js';
import { AS_RECORDED } from '../../../report/text/as-recorded.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { formatAtLeast, unpricedText } from '../../../report/text/words.js';
import type { RecordedCosts } from '../../runs/recorded-costs.js';
import {
  EQUAL_USD,
  lifetimeName,
  type ProviderLifetimes,
  providerLifetimesBlocks,
} from './provider-lifetimes-document.js';

const CURVE: readonly doc.ColumnOf<LifetimeReport['curve'][number]>[] = [
  doc.amount('lifetime', ({ ttlSeconds }) => lifetimeName(ttlSeconds)),
  doc.number('hit rate', ({ hitRate }) => hitRate, formatShare),
  doc.number('hit tokens', ({ hitTokens }) => hitTokens, formatCount, 1),
];

/** What is shown next to the report. */
export interface TtlFigures {
  readonly hitRates: ConversationHitRates;
  /** Of all sessions. */
  readonly recorded: RecordedCosts | null;
  /** Of those that have a choice of lifetimes. */
  readonly chosen: RecordedCosts | null;
  readonly byProvider: Readonly<Record<string, ProviderLifetimes>>;
  /** Sessions without cache reads, whose costs depend on time alone, as hit rates do. */
  readonly byTime: number;
}

/** How the curve and the costs are made. */
function methodSentence(sessions: number, byTime: number): string {
  const rule = 'by time alone: a prompt reads what an earlier one began with';
  if (byTime === sessions) return `hit rates and costs ${rule}`;
  const whose =
    byTime === 0
      ? ''
      : ` in ${formatCount(sessions - byTime)} of ${formatCounted(sessions, 'session')}, those that record reads`;
  return `hit rates ${rule}; costs include other cache breaks${whose}`;
}

/** What `ccbench ttl` prints. */
export function ttlBlocks(
  report: LifetimeReport,
  { hitRates, recorded, chosen, byProvider, byTime }: TtlFigures,
  perSession: 'each' | 'total',
): readonly doc.Block[] {
  const { curve, cost, sessions, requests, promptTokens } = report;
  const hasCosts = cost.perSession.length > 0;
  const unpriced = unpricedText(cost);
  return [
    `${formatCounted(sessions, 'session')} · ${formatCounted(requests, 'request')} · ${formatCount(promptTokens)} prompt tokens`,
    '',
    doc.table(CURVE, curve),
    doc.inset(methodSentence(sessions, byTime), 'dim'),
    '',
    ...(hasCosts && perSession === 'each' ? [sessionTable(cost.perSession, chosen), ''] : []),
    ...(hasCosts && chosen !== null ? [recordedTable(cost, chosen)] : []),
    ...[...(unpriced === null ? [] : [unpriced]), ...(recorded?.notes ?? [])].map((note) => doc.inset(note)),
    '',
    ...(sessions > 1 ? [spreadSentence(hitRates)] : []),
    ...(hasCosts ? moneySentences(cost) : []),
    ...Object.values(byProvider).flatMap((own) => ['', ...providerLifetimesBlocks(own, perSession)]),
  ];
}

/**
 * What the sessions cost as recorded, and at each lifetime alone. If only some have a recorded cost, those have a column of their
 * own, so that a row is of the same sessions as the next.
 */
function recordedTable(cost: LifetimeCostReport, recorded: RecordedCosts): doc.Block {
  const priced = cost.perSession.filter((_, i) => recorded.each[i]!.costUsd !== null);
  const [part, all] = [priced.length, cost.perSession.length];
  const rows: readonly (readonly [name: string, part: number | null, all: number | null | undefined])[] = [
    [AS_RECORDED, recorded.costUsd, undefined],
    ['5 minutes', sum(priced.map(({ cost5mUsd }) => cost5mUsd)), cost.total5mUsd],
    ['1 hour', sum(priced.map(({ cost1hUsd }) => cost1hUsd)), cost.total1hUsd],
  ];
  const columns: readonly doc.ColumnOf<(typeof rows)[number]>[] = [
    doc.text('', ([name]) => name),
    doc.amount(
      part === all ? 'cost' : `${formatCount(part)} of ${formatCounted(all, 'session')}`,
      ([, own]) => formatAtLeast(own, cost),
    ),
    doc.amount('all', ([, , own]) => (own === undefined ? '' : formatAtLeast(own, cost))),
  ];
  return doc.table(part === all ? columns.slice(0, 2) : columns, rows);
}

/** Dollars of a session, the least where calls have no price. */
function costColumn(
  header: string,
  pick: (own: SessionCost, index: number) => number | null,
): doc.ColumnOf<SessionCost> {
  return doc.column(header, (own, i) => ({ text: formatAtLeast(pick(own, i), own), value: pick(own, i) }));
}

/** Each session at both lifetimes. */
export const SESSION_COLUMNS: doc.ColumnsOf<SessionCost> = [
  doc.text('session', ({ id }) => printable(id)),
  costColumn('5 min', ({ cost5mUsd }) => cost5mUsd),
  costColumn('1 h', ({ cost1hUsd }) => cost1hUsd),
  doc.text('cheaper', ({ cheaper }) => cheaper, 3),
  doc.number('rescued', ({ rescuedTokens }) => rescuedTokens, formatCount, 2),
  doc.number('break-even', ({ breakEvenTokens }) => breakEvenTokens, formatCount, 1),
];

function sessionTable(costs: readonly SessionCost[], recorded: RecordedCosts | null): doc.Block {
  const [name, ...others] = SESSION_COLUMNS;
  const billed = recorded && costColumn(AS_RECORDED, (_, i) => recorded.each[i]!.costUsd);
  const columns = billed === null ? SESSION_COLUMNS : [name, billed, ...others];
  return doc.answer('Each session', doc.table(columns, costs));
}

/** How the sessions differ where nothing ever expires. */
function spreadSentence({ median, lowerQuartile, mean, min }: ConversationHitRates): string {
  return `Hit rate per session at an unlimited lifetime: median ${formatShare(median)}, lower quartile ${formatShare(lowerQuartile)}, mean ${formatShare(mean)}, lowest ${formatShare(min)}.`;
}

/** How 5 minutes and 1 hour part, in words. */
function moneySentences(cost: LifetimeCostReport): readonly string[] {
  const { unrecordedUsd } = cost;
  const unrecorded = formatMoney(Math.abs(unrecordedUsd));
  return [
    `5 minutes is cheaper for ${formatShare(cost.share5mCheaper)} of the sessions, 1 hour for ${formatShare(cost.share1hCheaper)}, neither for ${formatShare(cost.shareEqual)}.`,
    `1 hour pays ${formatMoney(cost.premiumUsd)} more for writes and saves ${formatMoney(cost.savedUsd)} on ${formatCount(cost.rescuedTokens)} tokens read after 5 minutes to 1 hour; it breaks even at ${formatCount(cost.breakEvenTokens)}.`,
    Math.abs(unrecordedUsd) >= EQUAL_USD &&
      `It ${unrecordedUsd < 0 ? `pays ${unrecorded} more for` : `saves ${unrecorded} on`} unrecorded requests.`,
  ].filter((sentence) => sentence !== false);
}

/** What the provider's rule leaves to do. */
function ruledConclusion(ruled: readonly ProviderLifetimes[]): Conclusion {
  const saves = ruled.some(({ lifetimes }) =>
    lifetimes.some(({ savesUsd }) => savesUsd !== null && savesUsd >= EQUAL_USD),
  );
  const isPriced = ruled.some(({ averageUsd }) => averageUsd !== null);
  const advice = saves
    ? 'Only shorter pauses would save as much as a longer lifetime.'
    : isPriced
      ? 'Shorter pauses would save as little as a longer lifetime.'
      : 'What a longer lifetime would save is unknown without prices.';
  return {
    result: `These sessions have no lifetime to choose: the rules of ${wordList(
      ruled.map(({ label }) => label),
      'and',
    )} decide.`,
    advice,
  };
}

/** What the sessions cost as recorded; empty if some have none. */
function billedText(recorded: RecordedCosts | null, cost: LifetimeCostReport): string {
  if (recorded === null || recorded.each.some(({ costUsd }) => costUsd === null)) return '';
  return ` As recorded: ${formatAtLeast(recorded.costUsd, cost)}, without unrecorded requests.`;
}

/** Which lifetime is the cheaper one; where a provider leaves no choice, that there is none. */
export function lifetimeConclusion(
  { cost, sessions }: LifetimeReport,
  byProvider: Readonly<Record<string, ProviderLifetimes>>,
  chosen: RecordedCosts | null = null,
): Conclusion {
  const { total5mUsd, total1hUsd, calls, unpricedCalls } = cost;
  const ruled = Object.values(byProvider);
  if (calls === 0 && ruled.length > 0) return ruledConclusion(ruled);
  if (total5mUsd === null || total1hUsd === null)
    return {
      result: 'Which lifetime is cheaper is unknown: no model of these sessions has a price.',
      advice: 'The hit rates show how long entries should live; they need no price.',
    };
  const ofPriced =
    unpricedCalls === 0
      ? ''
      : ` on the ${formatCount(calls - unpricedCalls)} of ${formatCounted(calls, 'call')} whose models have a price`;
  const difference = Math.abs(total1hUsd - total5mUsd);
  if (difference < EQUAL_USD)
    return {
      result: `Both lifetimes cost the same: ${formatAtLeast(total5mUsd, cost)}${ofPriced}.`,
      advice: 'Either will do for sessions like these.',
    };
  const isWorthIt = isWorthSaving(difference, total5mUsd);
  const own = cost.perSession.length;
  const who = own === sessions ? 'All sessions' : `${formatCounted(own, 'session')} with a choice`;
  const [best, pauses] = total5mUsd < total1hUsd ? ['5 minutes', 'rare'] : ['1 hour', 'common'];
  return {
    result: `${who}: ${formatAtLeast(total5mUsd, cost)} with 5 minutes, ${formatAtLeast(total1hUsd, cost)} with 1 hour; ${best} saves ${formatMoney(difference)}${ofPriced}.${billedText(chosen, cost)}`,
    advice: !isWorthIt
      ? `${NOT_WORTH_ACTING}it is less than 1 % of the cost.`
      : `Choose ${best} as long as pauses between 5 minutes and 1 hour stay as ${pauses} as here.`,
  };
}
