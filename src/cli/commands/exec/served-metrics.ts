import type { MetricUnit } from '../../../core/base/format.js';
import { ratio } from '../../../core/base/stats.js';
import { promptTokens } from '../../../core/model/usage.js';
import { BREAK_CAUSES } from '../../../core/run/run-log.js';
import type { KnownMetrics } from '../../../metrics/expect.js';
import type { ServedTotals } from '../serve/ledger.js';

/** A number about the calls of a server; its name means what it means for a run. */
interface ServedMetric {
  readonly name: string;
  readonly unit: MetricUnit;
  value(totals: ServedTotals): number | null;
}

function breaksOf({ breaks }: ServedTotals): number {
  return Object.values(breaks).reduce((sum, count) => sum + count, 0) - announced(breaks);
}

/** Breaks behind a summary: they were meant. */
function announced(breaks: ServedTotals['breaks']): number {
  return breaks.compaction ?? 0;
}

const METRICS: readonly ServedMetric[] = [
  { name: 'requests', unit: 'count', value: ({ answered }) => answered },
  { name: 'requestsRefused', unit: 'count', value: ({ refused }) => refused },
  { name: 'conversations', unit: 'count', value: ({ conversations }) => conversations },
  { name: 'compactions', unit: 'count', value: ({ compactions }) => compactions },
  { name: 'costUsd', unit: 'usd', value: ({ costUsd }) => costUsd },
  { name: 'promptTokens', unit: 'tokens', value: ({ usage }) => promptTokens(usage) },
  { name: 'cacheReadTokens', unit: 'tokens', value: ({ usage }) => usage.cacheRead },
  {
    name: 'cacheWriteTokens',
    unit: 'tokens',
    value: ({ usage }) => usage.cacheWrite5m + usage.cacheWrite1h,
  },
  { name: 'uncachedTokens', unit: 'tokens', value: ({ usage }) => usage.input },
  { name: 'outputTokens', unit: 'tokens', value: ({ usage }) => usage.output },
  {
    name: 'cacheHitRate',
    unit: 'share',
    value: ({ usage }) => ratio(usage.cacheRead, promptTokens(usage)),
  },
  { name: 'cacheBreaks', unit: 'count', value: breaksOf },
  { name: 'missedTokens', unit: 'tokens', value: ({ missedTokens }) => missedTokens },
  ...BREAK_CAUSES.map(
    (cause): ServedMetric => ({
      name: `cacheBreaksByCause.${cause}`,
      unit: 'count',
      value: ({ breaks }) => breaks[cause] ?? 0,
    }),
  ),
];

function findServedMetric(name: string): ServedMetric | null {
  return METRICS.find((metric) => metric.name === name) ?? null;
}

/** The value of a metric; null where no call was answered. */
export function servedValue(name: string, totals: ServedTotals): number | null {
  return totals.answered === 0 ? null : (findServedMetric(name)?.value(totals) ?? null);
}

/** What `exec --expect` may name. */
export const SERVED_METRICS: KnownMetrics = {
  find: findServedMetric,
  names: () => METRICS.map(({ name }) => name),
  listedBy: 'docs/serve.md lists what can be expected',
};
