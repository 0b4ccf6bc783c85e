import type { SessionCost } from '../../../analysis/lifetime/lifetime-curve.js';
import type { LifetimeReport } from '../../../analysis/lifetime/lifetime-report.js';
import { formatCount, formatCounted, formatMoney, formatShare } from '../../../core/base/format.js';
import { DISTINCT } from '../../../report/charts/palette.js';
import { type ColumnsOf, card, number, pageTable, text } from '../../../report/document/document.js';
import { type StudyPage, studyPage } from '../../../report/html/page-html.js';
import type { PageFact, StudyChart } from '../../../report/page-data/page-data.js';
import { AS_RECORDED } from '../../../report/text/as-recorded.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { formatAtLeast, unpricedText } from '../../../report/text/words.js';
import { lifetimeName } from './provider-lifetimes-document.js';
import { SESSION_COLUMNS } from './ttl-document.js';

function curveChart({ curve }: LifetimeReport): StudyChart {
  return {
    name: 'hit-rate-by-lifetime',
    title: 'Share of prompt tokens read from the cache, by lifetime',
    x: {
      title: 'lifetime of an entry',
      unit: null,
      scale: 'linear',
      names: curve.map(({ ttlSeconds }) => lifetimeName(ttlSeconds)),
    },
    y: { title: 'hit rate', unit: 'share', scale: 'linear' },
    series: [
      {
        name: 'hit rate',
        color: DISTINCT.blue,
        drawn: 'line',
        points: curve.flatMap(({ hitRate }, x) => (hitRate === null ? [] : [{ x, y: hitRate, row: null }])),
      },
    ],
  };
}

function costChart(sessions: readonly PricedSession[]): StudyChart {
  const sides = [
    ['5m', '5 minutes cheaper', DISTINCT.orange],
    ['1h', '1 hour cheaper', DISTINCT.blue],
    ['equal', 'the same', DISTINCT.grey],
  ] as const;
  return {
    name: 'cost-by-lifetime',
    title: 'Each session at both lifetimes; below the line 1 hour is cheaper',
    x: { title: 'with 5 minutes (US dollars)', unit: 'usd', scale: 'linear' },
    y: { title: 'with 1 hour (US dollars)', unit: 'usd', scale: 'linear' },
    guide: 'equal',
    series: sides
      .map(([side, name, color]) => ({
        name,
        color,
        drawn: 'dots' as const,
        points: sessions.flatMap(({ cheaper, cost5mUsd, cost1hUsd }, row) =>
          cheaper === side ? [{ x: cost5mUsd, y: cost1hUsd, row }] : [],
        ),
      }))
      .filter(({ points }) => points.length > 0),
  };
}

function cardsOf({ cost, sessions, requests, promptTokens }: LifetimeReport): readonly PageFact[] {
  const size = card(
    'Sessions',
    formatCount(sessions),
    `${formatCounted(requests, 'request')}, ${formatCount(promptTokens)} prompt tokens`,
  );
  if (cost.perSession.length === 0) return [size];
  return [
    size,
    card(
      'With 5 minutes',
      formatAtLeast(cost.total5mUsd, cost),
      `cheaper for ${formatShare(cost.share5mCheaper)} of the sessions`,
    ),
    card(
      'With 1 hour',
      formatAtLeast(cost.total1hUsd, cost),
      `cheaper for ${formatShare(cost.share1hCheaper)} of the sessions`,
    ),
    card(
      'Rescued by 1 hour',
      formatCount(cost.rescuedTokens),
      `tokens; it breaks even at ${formatCount(cost.breakEvenTokens)}`,
    ),
  ];
}

/** What the page says of a session besides its costs. */
export interface SessionAbout {
  readonly project: string;
  readonly day: string | null;
  /** What it cost where it was recorded; null if unknown. */
  readonly recordedUsd: number | null;
}

type PricedSession = SessionCost & SessionAbout;

/** What the cheaper lifetime saves beside the other. */
function savedUsd({ cost5mUsd, cost1hUsd }: SessionCost): number {
  return Math.abs(cost5mUsd - cost1hUsd);
}

const [NAME, FIVE_MINUTES, ONE_HOUR, CHEAPER, ...REST] = SESSION_COLUMNS;
const COLUMNS: ColumnsOf<PricedSession> = [
  NAME,
  text('project', ({ project }) => project),
  text('day', ({ day }) => day ?? '–'),
  number(AS_RECORDED, ({ recordedUsd }) => recordedUsd, formatMoney),
  FIVE_MINUTES!,
  ONE_HOUR!,
  CHEAPER!,
  number('saves', savedUsd, formatMoney),
  ...REST,
];

/** ttl.html: the curve of lifetimes, and every session at both, the one with most to save first; `about` are the sessions with a choice. */
export function ttlPage(
  report: LifetimeReport,
  { result, advice }: Conclusion,
  words: string,
  about: readonly SessionAbout[],
): StudyPage {
  const { cost } = report;
  const sessions = cost.perSession
    .map((own, i) => ({ ...own, ...about[i]! }))
    .sort((a, b) => savedUsd(b) - savedUsd(a));
  return studyPage(
    {
      title: `Lifetimes of the prompt cache: ${words}`,
      lead: result,
      advice,
      cards: cardsOf(report),
      of: 'session',
      charts: [curveChart(report), ...(sessions.length === 0 ? [] : [costChart(sessions)])],
      table: pageTable('Sessions with a choice of lifetimes', COLUMNS, sessions, [
        'saves: what the cheaper lifetime costs less than the other',
        ...[unpricedText(cost) ?? []].flat(),
      ]),
    },
    'ccbench ttl prints the same numbers, and ccbench ttl --json all of them.',
  );
}
