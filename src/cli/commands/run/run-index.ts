import { formatCount, formatMoney, formatShare, printable } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import { sum } from '../../../core/base/stats.js';
import { completionOf } from '../../../metrics/facts.js';
import { runSeries } from '../../../report/charts/run-series.js';
import { card } from '../../../report/document/document.js';
import { pageHtml, studyPage } from '../../../report/html/page-html.js';
import { chartedRequests } from '../../../report/page-data/left-out.js';
import type { ChartedRun, ComparisonRow, PageFact } from '../../../report/page-data/page-data.js';
import type { SampledLog } from '../../../report/page-data/run-sample.js';
import { compareTable } from '../../../report/text/compare-table.js';
import { type RunResult, sessionsOf } from './run-result.js';

/** Requests that a small chart is drawn from. */
const SMALL = 240;

/** A run in small: about as many of its requests as a small chart shows, with the breaks that its report counts (BRD-1) and no other rewrites. */
export function smallRun({ entries, leftOut }: SampledLog, { execution }: RunResult): ChartedRun {
  const threads = execution.facts.threads.map(({ id, parent, label }) => ({
    id,
    parent,
    label: printable(label),
  }));
  const breaks = new Set(entries.flatMap((entry) => (entry.type === 'break' ? entry.n : [])));
  const requests = runSeries(entries, leftOut).requests.map((request) =>
    breaks.has(request.n) ? request : { ...request, cause: null },
  );
  return chartedRequests(requests, threads, SMALL);
}

/** From the least to the most, once where they look the same. */
function spread(values: readonly (number | null)[], format: (value: number | null) => string): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return format(null);
  const ends = [Math.min(...known), Math.max(...known)].map(format);
  return [...new Set(ends)].join(' to ');
}

/** The main numbers: sums over sessions, but only what runs lie between if some are of the same session, which is not paid twice. */
function cardsOf(results: readonly RunResult[]): readonly PageFact[] {
  const facts = results.map(({ execution }) => execution.facts);
  const total = (name: string): number => sum(results.map(({ metrics }) => ownValue(metrics, name) ?? 0));
  const prompt = sum(facts.map(({ requests }) => requests.promptTokens));
  const hits = sum(
    results.map(
      ({ metrics, execution }) => (metrics.cacheHitRate ?? 0) * execution.facts.requests.promptTokens,
    ),
  );
  const cut = facts.filter((each) => !completionOf(each).finished).length;
  const count = card(
    'Runs',
    formatCount(results.length),
    cut === 0 ? 'all finished' : `${formatCount(cut)} unfinished`,
    cut === 0 ? 'plain' : 'bad',
  );
  const calls = facts.map(({ requests }) => requests.calls);
  if (sessionsOf(results) < results.length) {
    const own = (name: string): readonly (number | null)[] =>
      results.map(({ metrics }) => ownValue(metrics, name) ?? null);
    return [
      count,
      card('Cost', spread(own('costUsd'), formatMoney), 'of a run'),
      card('Cache-hit rate', spread(own('cacheHitRate'), formatShare), 'of a run'),
      card('Requests', spread(calls, formatCount), 'of a run'),
      card('Compactions', spread(own('compactions'), formatCount), 'of a run'),
    ];
  }
  return [
    count,
    card('Cost of all', formatMoney(total('costUsd')), 'together'),
    card(
      'Cache-hit rate',
      formatShare(prompt === 0 ? null : hits / prompt),
      `of ${formatCount(prompt)} prompt tokens`,
    ),
    card('Requests', formatCount(sum(calls)), 'together'),
    card('Compactions', formatCount(total('compactions')), 'together'),
  ];
}

function leadOf(results: readonly RunResult[]): string {
  const done = results.filter(({ execution }) => completionOf(execution.facts).finished);
  const sorted = [...done].sort((a, b) => (a.metrics.costUsd ?? 0) - (b.metrics.costUsd ?? 0));
  const [low] = sorted;
  const high = sorted.at(-1);
  if (low === undefined || high === undefined || low === high) return `${formatCount(results.length)} runs.`;
  return `${formatCount(results.length)} runs, from ${formatMoney(low.metrics.costUsd ?? null)} (${printable(low.planned.label)}) to ${formatMoney(high.metrics.costUsd ?? null)} (${printable(high.planned.label)}).`;
}

/** index.html of a scenario with several runs: totals, a table and small charts that lead to the page of each run. */
export function runIndexHtml(
  title: string,
  results: readonly RunResult[],
  small: readonly ChartedRun[],
): string {
  const reported = results.map(({ planned, execution }) => ({
    name: planned.label,
    entries: [],
    facts: execution.facts,
    digest: execution.digest,
    policyInfo: null,
  }));
  const table = compareTable(reported);
  const recorded = table.rows.length - results.length;
  const unmarked = (row: ComparisonRow): ComparisonRow => ({
    ...row,
    cells: row.cells.map(({ mark: _mark, ...cell }) => cell),
  });
  const pages = results.map(({ planned }) =>
    [...planned.folder.split(/[\\/]/).filter((part) => part !== ''), 'report.html']
      .map(encodeURIComponent)
      .join('/'),
  );
  const page = studyPage(
    {
      title: printable(title),
      lead: leadOf(results),
      cards: cardsOf(results),
      of: 'run',
      table: {
        ...table,
        caption: 'Runs',
        rows: table.rows.map((row, i) => ({
          ...(sessionsOf(results) > 1 ? unmarked(row) : row),
          ...(i < recorded ? {} : { page: pages[i - recorded]! }),
        })),
      },
      runs: [...Array.from({ length: recorded }, () => null), ...small],
    },
    'the summary.json of each run holds the same numbers.',
  );
  return pageHtml(page);
}
