import type { LifetimeReport } from '../../../analysis/lifetime/lifetime-report.js';
import { formatCount, formatCounted, formatShare } from '../../../core/base/format.js';
import { DISTINCT } from '../../../report/charts/palette.js';
import { card, pageTable } from '../../../report/document/document-page.js';
import { studyHtml } from '../../../report/html/study-html.js';
import type { PageFact } from '../../../report/page-data/page-data.js';
import type { StudyChart } from '../../../report/page-data/study-page-data.js';
import { formatAtLeast, unpricedText } from '../../../report/text/at-least.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { lifetimeName } from './provider-lifetimes-document.js';
import { SESSION_COLUMNS } from './ttl-document.js';

function curveChart({ curve }: LifetimeReport): StudyChart {
  return {
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

function costChart({ cost }: LifetimeReport): StudyChart {
  const sides = [
    ['5m', '5 minutes cheaper', DISTINCT.orange],
    ['1h', '1 hour cheaper', DISTINCT.blue],
    ['equal', 'the same', DISTINCT.grey],
  ] as const;
  return {
    title: 'Each session at both lifetimes; below the line 1 hour is cheaper',
    x: { title: 'with 5 minutes (US dollars)', unit: 'usd', scale: 'linear' },
    y: { title: 'with 1 hour (US dollars)', unit: 'usd', scale: 'linear' },
    guide: 'equal',
    series: sides
      .map(([side, name, color]) => ({
        name,
        color,
        drawn: 'dots' as const,
        points: cost.perSession.flatMap(({ cheaper, cost5mUsd, cost1hUsd }, row) =>
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

/** ttl.html: the curve of lifetimes, and every session at both. */
export function ttlHtml(report: LifetimeReport, { result, advice }: Conclusion): string {
  const { cost } = report;
  return studyHtml(
    {
      title: 'Lifetimes of the prompt cache',
      lead: result,
      advice,
      cards: cardsOf(report),
      of: 'session',
      charts: [curveChart(report), ...(cost.perSession.length === 0 ? [] : [costChart(report)])],
      table: pageTable(
        'Sessions with a choice of lifetimes',
        SESSION_COLUMNS,
        cost.perSession,
        [unpricedText(cost) ?? []].flat(),
      ),
    },
    'ccbench ttl prints the same numbers, and ccbench ttl --json all of them.',
  );
}
