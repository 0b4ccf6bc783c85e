import type { LogEntry } from '../../core/run/run-log.js';
import type { RunFacts } from '../../metrics/facts.js';
import type { LeftOut } from '../page-data/run-sample.js';
import type { PolicyInfo } from '../text/policy-info.js';
import type { NamedChart } from './chart-spec.js';
import { contextOverTime } from './context-over-time.js';
import { costByCause } from './cost-by-cause.js';
import { promptSplit } from './prompt-split.js';
import { savedByLayer } from './saved-by-layer.js';

/** What the pictures of a run are made from. */
export interface ChartedRun {
  readonly entries: readonly LogEntry[];
  readonly facts: RunFacts;
  readonly policyInfo: PolicyInfo | null;
  /** What the entries lack of a long run; nothing unless given. */
  readonly leftOut?: LeftOut | null;
}

/** The charts of one run; those that would be empty are left out. */
export function runCharts({ entries, facts, policyInfo, leftOut = null }: ChartedRun): readonly NamedChart[] {
  if (facts.requests.calls === 0) return [];
  const charts: NamedChart[] = [
    {
      name: 'context-over-time',
      spec: contextOverTime(entries, { thresholds: policyInfo?.thresholds ?? [], leftOut }),
    },
    { name: 'prompt-split', spec: promptSplit(entries, leftOut) },
    { name: 'cost-by-cause', spec: costByCause(entries, leftOut) },
  ];
  const fired = Object.values(facts.layers).some(({ triggers }) => triggers > 0);
  if (fired) charts.push({ name: 'saved-by-layer', spec: savedByLayer(facts, entries) });
  return charts;
}
