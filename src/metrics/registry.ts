import { MS_PER_HOUR } from '../core/base/clock.js';
import { createRegistry } from '../core/base/registry.js';
import { ratio, sum } from '../core/base/stats.js';
import { isUnpriced } from '../core/run/recorded-bill.js';
import { type BreakFacts, completionOf, pricedCalls, type RunFacts } from './facts.js';
import { METRIC_FAMILIES } from './families.js';
import { type Metric, recordedUsd, usd } from './metric.js';
import { METRIC_ROWS } from './metrics.generated.js';
import type { RequestFacts } from './request-fold.js';

type Value = Metric['value'];

/** A value over answered requests: a run without any has no data for it. */
function overRequests(value: Value): Value {
  return (facts) => (facts.requests.calls === 0 ? null : value(facts));
}

/** The same where models have prices. */
function overPriced(value: Value): Value {
  return overRequests((facts) => (isUnpriced(pricedCalls(facts)) ? null : value(facts)));
}

/** Dollars of an amount in nano-dollars, where models have prices. */
function money(nanoOf: Value): Value {
  return overPriced((facts) => {
    const nano = nanoOf(facts);
    return nano === null ? null : usd(nano);
  });
}

function hitRate(requests: readonly RequestFacts[]): number | null {
  return ratio(
    sum(requests.map(({ readTokens }) => readTokens)),
    sum(requests.map(({ promptTokens }) => promptTokens)),
  );
}

/** Requests that neither the loops nor the user's client made. */
function ofLayers({ byPurpose }: RunFacts): readonly RequestFacts[] {
  return Object.entries(byPurpose).flatMap(([purpose, requests]) =>
    LOOPS.has(purpose) || purpose === 'suggestion' ? [] : [requests],
  );
}

const LOOPS: ReadonlySet<string> = new Set(['main', 'subagent']);

function countBreaks(breaks: Readonly<Record<string, BreakFacts>>): number {
  return sum(Object.values(breaks).map(({ count }) => count));
}

function layerSum(facts: RunFacts, field: 'saved' | 'notCarried' | 'cacheLost'): number {
  return sum(Object.values(facts.layers).map((layer) => layer[field]));
}

type MetricRow = (typeof METRIC_ROWS)[number];

/** Metrics that are more than a fact. */
const COMPUTED: Readonly<Record<Extract<MetricRow, { readonly fact: null }>['name'], Value>> = {
  layerRequests: (f) => sum(ofLayers(f).map(({ calls }) => calls)),
  cacheCreationTokens: overRequests((f) => f.requests.write5mTokens + f.requests.write1hTokens),
  cacheHitRate: (f) => hitRate([f.requests]),
  cacheHitRateSubagents: (f) => hitRate([f.byPurpose.subagent]),
  cacheHitRateLayers: (f) => hitRate(ofLayers(f)),
  costExpectedUsd: money((f) => f.costInterval?.expected ?? f.cost.total),
  costLowUsd: money((f) => f.costInterval?.low ?? null),
  costHighUsd: money((f) => f.costInterval?.high ?? null),
  recordedInputUsd: (f) => reproducedUsd(f, 'recordedNano'),
  reproducedInputUsd: (f) => reproducedUsd(f, 'simulatedNano'),
  backgroundCostUsd: money(({ cost: { total, byLayer } }) => total - byLayer.main - byLayer.subagent),
  costUsdLayers: money(
    ({ cost: { total, byLayer } }) => total - byLayer.main - byLayer.subagent - byLayer.suggestion,
  ),
  costUsdRewrites: money(
    ({ cost: { total, byCause } }) => total - byCause.carry! - byCause.new! - byCause.output!,
  ),
  costPerTurnUsd: overPriced((f) => ratio(usd(f.cost.total), f.byPurpose.main.calls)),
  recordedCostUsd: ({ run }) =>
    run?.transcript.recorded === undefined ? null : recordedUsd(run.transcript.recorded),
  meanPromptTokens: (f) => ratio(f.byPurpose.main.promptTokens, f.byPurpose.main.calls),
  cacheBreaks: overRequests((f) => countBreaks(f.breaks.unexpected)),
  cacheBreaksExpected: overRequests((f) => countBreaks(f.breaks.expected)),
  unpricedRequests: overPriced((f) => pricedCalls(f).unpricedCalls),
  finishedShare: (f) => ratio(completionOf(f).answered, completionOf(f).calls),
  callsAnswered: (f) => completionOf(f).answered,
  blockedInputs: (f) => f.notices.blocked ?? 0, // WIN-6
  regrowCalls: ({ compactions: { regrowCalls, regrown } }) => ratio(regrowCalls, regrown),
  restoreFailures: (f) => f.failures['file-unreadable'] ?? 0,
  refusedCompactions: (f) => f.notices['compact-refused'] ?? 0,
  repairedRequests: (f) => f.notices.repaired ?? 0,
  tokensSaved: (f) => layerSum(f, 'saved'),
  tokensNotCarried: (f) => layerSum(f, 'notCarried'),
  cacheTokensDestroyed: (f) => layerSum(f, 'cacheLost'),
  refetchUsd: money((f) => f.faults?.refetchNano ?? null),
  refetchTokensLeast: ({ faults }) => leastOf(faults, faults?.leastRefetchTokens, faults?.refetchTokens),
  refetchUsdLeast: money(({ faults }) => leastOf(faults, faults?.leastRefetchNano, faults?.refetchNano)),
  faultsLeast: ({ faults }) => leastOf(faults, faults?.least, faults?.none),
  avoidableFaultShare: ({ faults }) => avoidableShare(faults),
  meanLatencyMs: (f) => ratio(f.byPurpose.main.latencyMs, f.byPurpose.main.calls),
  simulatedHours: (f) => (f.durationMs === null ? null : f.durationMs / MS_PER_HOUR),
  estimatorRatio: (f) => (f.estimator === null ? null : ratio(f.estimator.heuristic, f.estimator.true)),
  leastPercentLeft: ({ status }) => (status === null ? null : status.leastPercentLeft / 100),
  forkHitRate: ({ longTerm: { forks } }) => ratio(forks.firstReadTokens, forks.firstPromptTokens),
};

/** A bound: nothing if nothing was missed. A message that was cut counts as kept, so that a run may come to less than its bound. */
function leastOf(faults: RunFacts['faults'], bound: number | null = null, found = 0): number | null {
  if (faults?.none === 0) return 0;
  return bound === null ? null : Math.min(bound, found);
}

function avoidableShare(faults: RunFacts['faults']): number | null {
  const least = leastOf(faults, faults?.least, faults?.none);
  if (faults === null || least === null || faults.none === 0) return null;
  return (faults.none - least) / faults.none;
}

function metricValue(row: MetricRow): Value {
  if (row.fact === null) return COMPUTED[row.name];
  if (row.over === 'money') return money(row.fact);
  return row.over === 'requests' ? overRequests(row.fact) : row.fact;
}

/** The metrics of a run, in the order reports show them. */
const RUN_METRICS: readonly Metric[] = METRIC_ROWS.map((row) => {
  const { name, unit, better, help } = row;
  return { name, unit, better, help, value: metricValue(row) };
});

function reproducedUsd({ run }: RunFacts, side: 'recordedNano' | 'simulatedNano'): number | null {
  const found = run?.transcript.reproduced;
  return found === undefined ? null : usd(found[side]);
}

/** The named metrics, in the order reports show them. */
export const METRICS = createRegistry(
  'metric',
  RUN_METRICS.map((entry) => [entry.name, entry] as const),
);

/** The values of all named metrics, in their order. */
export function metricValues(facts: RunFacts): Record<string, number | null> {
  return Object.fromEntries(METRICS.all().map((entry) => [entry.name, entry.value(facts)]));
}

/** A metric by its name or by a dotted path into a family (`layers.microcompact.saved`); null if there is none. */
export function findMetric(name: string): Metric | null {
  if (METRICS.has(name)) return METRICS.get(name);
  const dot = name.indexOf('.');
  const family = METRIC_FAMILIES.find((item) => item.name === name.slice(0, Math.max(dot, 0)));
  const key = name.slice(dot + 1);
  if (family === undefined || key === '' || (family.keys !== null && !family.keys.includes(key))) return null;
  const { better, help, value } = family;
  return { name, unit: family.unit(key), better, help, value: (facts) => value(facts, key) };
}

/** Every name that is known before a run, families with closed keys spelt out. */
export function metricNames(): readonly string[] {
  const dotted = METRIC_FAMILIES.flatMap((family) =>
    (family.keys ?? []).map((key) => `${family.name}.${key}`),
  );
  return [...METRICS.names, ...dotted];
}
