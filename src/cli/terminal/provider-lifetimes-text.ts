import { sureLifeMs } from '../../cache/cache-rules.js';
import type { LifetimeCost } from '../../cache/rule-costs.js';
import type { CacheLifetime } from '../../model/provider.js';
import { AS_RECORDED } from '../../report/as-recorded.js';
import { formatCounted, formatDuration, formatMoney, formatShare, printable } from '../../report/format.js';
import { type Column, tableLines, wrapText } from '../../report/table.js';
import type { Screen } from '../../report/terminal.js';
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
  const rows = [
    { cells: [AS_RECORDED, formatMoney(report.recordedUsd), ''] },
    { cells: [BY_RULE, formatMoney(report.averageUsd), ''] },
    ...report.lifetimes.map(({ ttlSeconds, costUsd, savesUsd }) => ({
      cells: [lifetimeName(ttlSeconds), formatMoney(costUsd), differenceOf(savesUsd)],
    })),
  ];
  return [
    `${report.label} · ${formatCounted(report.sessions, 'session')}`,
    ...tableLines(COSTS, rows, { indent: '  ', ...screen }),
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
  const money = ({ costUsd }: LifetimeCost): string => formatMoney(costUsd);
  const rows = perSession.map((session) => ({
    cells: [
      printable(session.id),
      formatMoney(session.recordedUsd),
      formatMoney(session.averageUsd),
      ...session.lifetimes.map(money),
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
