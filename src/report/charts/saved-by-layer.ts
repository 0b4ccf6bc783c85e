import { formatCount, formatMoney } from '../../core/base/format.js';
import { LAYERS, type LogEntry } from '../../core/run/run-log.js';
import type { RunFacts } from '../../metrics/facts.js';
import { type ChartSpec, chartSpec } from './chart-spec.js';
import { DISTINCT } from './palette.js';
import { runSubtitle, shortTokens } from './run-series.js';

const KINDS = ['out of the context at the end', 'cached tokens destroyed'] as const;

function titleOf(facts: RunFacts): string {
  let saved = 0;
  let lost = 0;
  for (const layer of Object.values(facts.layers)) {
    saved += layer.saved;
    lost += layer.cacheLost;
  }
  if (saved === 0 && lost === 0) return 'Tokens saved by layers: none';
  return `Layers keep ${shortTokens(saved)} tokens out at the end and destroy ${shortTokens(lost)} cached ones`;
}

/** Tokens each layer keeps out of the context at the end, beside the cached tokens it destroyed. */
export function savedByLayer(facts: RunFacts, entries: readonly LogEntry[]): ChartSpec {
  const fired = LAYERS.filter((layer) => facts.layers[layer].triggers > 0);
  const values = fired.flatMap((layer) => {
    const { saved, cacheLost, done, costNanoUsd } = facts.layers[layer];
    const note = `${formatCount(done)} ×, ${formatMoney(costNanoUsd / 1e9)}`;
    return [
      { layer: `${layer} (${note})`, kind: KINDS[0], tokens: saved },
      { layer: `${layer} (${note})`, kind: KINDS[1], tokens: cacheLost },
    ];
  });
  return chartSpec(
    {
      text: titleOf(facts),
      subtitle: `${runSubtitle(entries)} · beside each layer: times done, cost of its requests`,
    },
    {
      height: { step: 22 },
      data: { values },
      mark: { type: 'bar' },
      encoding: {
        y: { field: 'layer', type: 'nominal', title: null, sort: null, axis: { labelLimit: 260 } },
        yOffset: { field: 'kind', type: 'nominal', sort: null },
        x: { field: 'tokens', type: 'quantitative', title: 'tokens', axis: { format: '~s', grid: true } },
        color: {
          field: 'kind',
          type: 'nominal',
          scale: { domain: KINDS, range: [DISTINCT.green, DISTINCT.vermilion] },
        },
      },
    },
  );
}
