import {
  formatCount,
  formatCounted,
  formatDuration,
  formatMoney,
  formatShare,
  printable,
} from '../../core/base/format.js';
import type { CacheLifetime } from '../../core/run/provider.js';
import { sureLifeMs } from '../../provider/cache/cache-rules.js';
import { AS_RECORDED } from '../../report/text/as-recorded.js';
import { formatAtLeast, unpricedText } from '../../report/text/at-least.js';
import { type Column, tableLines, wrapText } from '../../report/text/table.js';
import type { Screen } from '../../report/text/terminal.js';
import type { ProviderLifetimes } from '../runs/provider-lifetimes.js';

const BY_RULE = 'by its rule';
/** Differences below this are rounding, not money. */
const EQUAL_USD = 1e-9;

const COSTS: readonly Column[] = [
  { header: '', align: 'left', drop: null },
  { header: 'cost', align: 'right', drop: null },
  { header: 'against its rule', align: 'right', drop: 1 },
];

/** A lifetime as the tables name it. */
export function lifetimeName(ttlSeconds: number | null): string {
  return ttlSeconds === null ? 'unlimited' : formatDuration(ttlSeconds * 1_000);
}

/** What the sessions of a provider without a choice of lifetimes cost, by lifetime. */
export function providerLifetimesLines(
  report: ProviderLifetimes,
  perSession: 'each' | 'total',
  screen: Screen,
): readonly string[] {
  const { sessions, untold } = report;
  const whose =
    untold === 0 ? '' : `, ${formatCount(sessions - untold)} of ${formatCounted(sessions, 'session')}`;
  const money = (usd: number | null): string => formatAtLeast(usd, report);
  const unpriced = unpricedText(report);
  const rows = [
    ...(untold === sessions ? [] : [{ cells: [`${AS_RECORDED}${whose}`, money(report.recordedUsd), ''] }]),
    { cells: [BY_RULE, money(report.averageUsd), ''] },
    ...report.lifetimes.map(({ ttlSeconds, costUsd, savesUsd }) => ({
      cells: [lifetimeName(ttlSeconds), money(costUsd), differenceOf(savesUsd)],
    })),
  ];
  return [
    `${report.label} · ${formatCounted(sessions, 'session')}`,
    ...tableLines(COSTS, rows, { indent: '  ', ...screen }),
    ...(unpriced === null ? [] : wrapText(unpriced, screen.width, '  ', '    ')),
    '',
    ...(perSession === 'each' ? [...sessionLines(report, screen), ''] : []),
    ...wrapText(`${ruleSentence(report)} ${savingSentence(report)}`, screen.width, '', ''),
  ];
}

function differenceOf(savesUsd: number | null): string {
  if (savesUsd === null) return formatMoney(null);
  if (Math.abs(savesUsd) < EQUAL_USD) return '±$0';
  return `${savesUsd > 0 ? '−' : '+'}${formatMoney(Math.abs(savesUsd))}`;
}

function sessionLines({ perSession, lifetimes }: ProviderLifetimes, screen: Screen): readonly string[] {
  const columns: readonly Column[] = [
    { header: 'session', align: 'left', drop: null },
    { header: AS_RECORDED, align: 'right', drop: null },
    { header: BY_RULE, align: 'right', drop: null },
    ...lifetimes.map(
      ({ ttlSeconds }, i): Column => ({ header: lifetimeName(ttlSeconds), align: 'right', drop: i + 1 }),
    ),
  ];
  const rows = perSession.map((session) => ({
    cells: [
      printable(session.id),
      ...[session.recordedUsd, session.averageUsd, ...session.lifetimes.map(({ costUsd }) => costUsd)].map(
        (usd) => formatAtLeast(usd, session),
      ),
    ],
  }));
  return tableLines(columns, rows, { indent: '  ', ...screen });
}

/** @internal */
export function ruleSentence({ lifetime }: { readonly lifetime: CacheLifetime }): string {
  const sureMs = sureLifeMs(lifetime);
  const faded = lifetime.tail
    .filter(({ share }) => share < 1)
    .map(
      ({ afterMs, share }) =>
        `${share === 0 ? 'none is' : `${formatShare(share)} are`} left after ${formatDuration(afterMs)}`,
    );
  const rest = faded.length === 0 ? '' : ` for certain; ${faded.join(', ')}`;
  return `By its rule an entry lives ${formatDuration(sureMs)} after its last use${rest}. There is no lifetime to choose.`;
}

/** What a longer lifetime would save, at the same prices. */
function savingSentence({ lifetimes }: ProviderLifetimes): string {
  const savings = lifetimes.flatMap(({ ttlSeconds, savesUsd }) =>
    savesUsd !== null && savesUsd >= EQUAL_USD ? [{ name: lifetimeName(ttlSeconds), savesUsd }] : [],
  );
  if (lifetimes.every(({ savesUsd }) => savesUsd === null)) return 'No model of these sessions has a price.';
  if (savings.length === 0) return 'A longer one would save nothing here.';
  const list = savings.map(({ name, savesUsd }) => `${name} ${formatMoney(savesUsd)}`).join(', ');
  return `At the same prices a longer one would save: ${list}.`;
}
