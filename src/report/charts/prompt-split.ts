import { ratio } from '../../core/base/stats.js';
import type { LogEntry } from '../../core/run/run-log.js';
import type { LeftOut } from '../page-data/run-sample.js';
import { type ChartSpec, chartSpec } from './chart-spec.js';
import { keepExtremes } from './keep-extremes.js';
import { PROMPT_COLORS } from './palette.js';
import { runSeries, runSubtitle, shortShare, shortTokens } from './run-series.js';

/** The prompt of every request, split into what was read from the cache, written to it, and neither. */
export function promptSplit(entries: readonly LogEntry[], leftOut: LeftOut | null = null): ChartSpec {
  const { requests, promptTokens: total, readTokens } = runSeries(entries, leftOut);
  const share = ratio(readTokens, total);
  const kept = keepExtremes(requests, ({ prompt }) => prompt, 1_000);
  const values = kept.flatMap((entry) => [
    { n: entry.n, part: 'cache read', tokens: entry.read, order: 0 },
    { n: entry.n, part: 'cache written', tokens: entry.write5m + entry.write1h, order: 1 },
    { n: entry.n, part: 'uncached', tokens: entry.input, order: 2 },
  ]);
  const text =
    share === null
      ? 'Prompt tokens: no request was answered'
      : `Cache reads carry ${shortShare(share)} of ${shortTokens(total)} prompt tokens`;
  return chartSpec(
    { text, subtitle: runSubtitle(entries) },
    {
      data: { values },
      mark: { type: 'area', interpolate: 'step-after' },
      encoding: {
        x: { field: 'n', type: 'quantitative', title: 'request (number in the run)', scale: { nice: false } },
        y: {
          field: 'tokens',
          type: 'quantitative',
          title: 'prompt (tokens)',
          axis: { format: '~s' },
          stack: 'zero',
        },
        color: {
          field: 'part',
          type: 'nominal',
          scale: {
            domain: ['cache read', 'cache written', 'uncached'],
            range: [PROMPT_COLORS.read, PROMPT_COLORS.written, PROMPT_COLORS.uncached],
          },
        },
        order: { field: 'order', type: 'quantitative' },
      },
    },
  );
}
