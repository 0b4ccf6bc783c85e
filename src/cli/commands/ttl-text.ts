import type { SessionCost } from '../../analysis/lifetime/lifetime-costs.js';
import type { ConversationHitRates, LifetimeReport } from '../../analysis/lifetime/lifetime-report.js';
import { formatCount, formatCounted, formatMoney, formatShare, printable } from '../../core/base/format.js';
import { sum } from '../../core/base/stats.js';
import { AS_RECORDED } from '../../report/text/as-recorded.js';
import { formatAtLeast, unpricedText } from '../../report/text/at-least.js';
import { type Column, tableLines, wrapText } from '../../report/text/table.js';
import type { Screen } from '../../report/text/terminal.js';
import type { ProviderLifetimes } from '../runs/provider-lifetimes.js';
import type { RecordedCosts } from '../runs/recorded-costs.js';
import { lifetimeName, providerLifetimesLines } from '../terminal/provider-lifetimes-text.js';

const CURVE: readonly Column[] = [
  { header: 'lifetime', align: 'right', drop: null },
  { header: 'hit rate', align: 'right', drop: null },
  { header: 'hit tokens', align: 'right', drop: 1 },
];

const RECORDED_COLUMN: Column = { header: AS_RECORDED, align: 'right', drop: null };

const SESSIONS: readonly Column[] = [
  { header: 'session', align: 'left', drop: null },
  { header: '5 min', align: 'right', drop: null },
  { header: '1 h', align: 'right', drop: null },
  { header: 'cheaper', align: 'left', drop: 3 },
  { header: 'rescued', align: 'right', drop: 2 },
  { header: 'break-even', align: 'right', drop: 1 },
];

const COSTS: readonly Column[] = [
  { header: '', align: 'left', drop: null },
  { header: 'cost', align: 'right', drop: null },
];

/** What stands beside the report. */
export interface TtlFigures {
  readonly hitRates: ConversationHitRates;
  /** Of all sessions. */
  readonly recorded: RecordedCosts | null;
  /** Of those that have a choice of lifetimes. */
  readonly chosen: RecordedCosts | null;
  readonly byProvider: Readonly<Record<string, ProviderLifetimes>>;
  /** Sessions that do not tell what was read, whose costs go by time as the hit rates do. */
  readonly byTime: number;
}

/** How the curve and the costs are made. */
function waysSentence(sessions: number, byTime: number): string {
  const rule = 'by time alone: a prompt finds what an earlier one began with';
  if (byTime === sessions) return `hit rates and costs ${rule}`;
  const whose =
    byTime === 0
      ? ''
      : ` in ${formatCount(sessions - byTime)} of ${formatCounted(sessions, 'session')}, those that tell what was read`;
  return `hit rates ${rule}; costs also know what else breaks the cache${whose}`;
}

/** The report of `ccbench ttl` for the terminal. */
export function reportText(
  report: LifetimeReport,
  { hitRates, recorded, chosen, byProvider, byTime }: TtlFigures,
  perSession: 'each' | 'total',
  screen: Screen,
): string {
  const { curve, cost } = report;
  const ruled = Object.values(byProvider);
  const size = `${formatCounted(report.sessions, 'session')} · ${formatCounted(report.requests, 'request')} · ${formatCount(report.promptTokens)} prompt tokens`;
  const lines = [
    size,
    '',
    ...tableLines(
      CURVE,
      curve.map(({ ttlSeconds, hitRate, hitTokens }) => ({
        cells: [lifetimeName(ttlSeconds), formatShare(hitRate), formatCount(hitTokens)],
      })),
      { indent: '  ', ...screen },
    ),
    ...wrapText(waysSentence(report.sessions, byTime), screen.width, '  ', '    ').map(screen.style.dim),
    '',
  ];
  if (cost.perSession.length > 0) {
    if (perSession === 'each') lines.push(...sessionLines(cost.perSession, chosen, screen), '');
    if (chosen !== null) lines.push(...recordedLines(report, chosen, screen));
  }
  const unpriced = unpricedText(cost);
  if (unpriced !== null) lines.push(...wrapText(unpriced, screen.width, '  ', '    '));
  for (const text of recorded?.notes ?? [])
    lines.push(...wrapText(printable(text), screen.width, '  ', '    '));
  if (recorded !== null || unpriced !== null) lines.push('');
  const spread = report.sessions > 1 ? [spreadSentence(hitRates)] : [];
  const money = cost.perSession.length > 0 ? moneySentences(report) : [];
  for (const sentence of [...spread, ...money]) lines.push(...wrapText(sentence, screen.width, '', ''));
  for (const [i, part] of ruled.entries()) {
    if (i > 0 || spread.length + money.length > 0) lines.push('');
    lines.push(...providerLifetimesLines(part, perSession, screen));
  }
  if (lines.at(-1) === '') lines.pop();
  return `${lines.join('\n')}\n`;
}

/**
 * What the sessions cost as recorded, and at each lifetime alone. Where only some tell what they cost, those stand in a column of their
 * own, so that a row is of the same sessions as the next.
 */
function recordedLines({ cost }: LifetimeReport, recorded: RecordedCosts, screen: Screen): readonly string[] {
  const told = cost.perSession.filter((_, i) => recorded.each[i]!.costUsd !== null);
  const [part, all] = [told.length, cost.perSession.length];
  const money = (usd: number | null): string => formatAtLeast(usd, cost);
  const rows = [
    { cells: [AS_RECORDED, money(recorded.costUsd), ''] },
    { cells: ['5 minutes', money(sum(told.map(({ cost5mUsd }) => cost5mUsd))), money(cost.total5mUsd)] },
    { cells: ['1 hour', money(sum(told.map(({ cost1hUsd }) => cost1hUsd))), money(cost.total1hUsd)] },
  ];
  if (part === all) return tableLines(COSTS, rows, { indent: '  ', ...screen });
  const columns: readonly Column[] = [
    COSTS[0]!,
    { header: `${formatCount(part)} of ${formatCounted(all, 'session')}`, align: 'right', drop: null },
    { header: 'all', align: 'right', drop: null },
  ];
  return tableLines(columns, rows, { indent: '  ', ...screen });
}

function sessionLines(
  costs: readonly SessionCost[],
  recorded: RecordedCosts | null,
  screen: Screen,
): readonly string[] {
  const [name, ...rest] = SESSIONS as [Column, ...Column[]];
  const columns = recorded === null ? SESSIONS : [name, RECORDED_COLUMN, ...rest];
  const rows = costs.map((cost, i) => ({
    cells: [
      printable(cost.id),
      ...(recorded === null ? [] : [formatAtLeast(recorded.each[i]!.costUsd, cost)]),
      formatAtLeast(cost.cost5mUsd, cost),
      formatAtLeast(cost.cost1hUsd, cost),
      cost.cheaper,
      formatCount(cost.rescuedTokens),
      formatCount(cost.breakEvenTokens),
    ],
  }));
  return tableLines(columns, rows, { indent: '  ', ...screen });
}

/** How the sessions differ where nothing ever expires. */
function spreadSentence({ median, lowerQuartile, mean, min }: ConversationHitRates): string {
  return `Hit rate per session at an unlimited lifetime: median ${formatShare(median)}, lower quartile ${formatShare(lowerQuartile)}, mean ${formatShare(mean)}, lowest ${formatShare(min)}.`;
}

/** How 5 minutes and 1 hour part, in words. */
function moneySentences({ cost }: LifetimeReport): readonly string[] {
  return [
    `5 minutes is cheaper for ${formatShare(cost.share5mCheaper)} of the sessions, 1 hour for ${formatShare(cost.share1hCheaper)}, neither for ${formatShare(cost.shareEqual)}.`,
    `1 hour pays ${formatMoney(cost.premiumUsd)} more for writes and saves ${formatMoney(cost.savedUsd)} on ${formatCount(cost.rescuedTokens)} tokens read after 5 minutes to 1 hour; it breaks even at ${formatCount(cost.breakEvenTokens)}.`,
  ];
}
