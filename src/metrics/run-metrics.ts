import { MS_PER_HOUR } from '../core/base/clock.js';
import { ratio, sum } from '../core/base/stats.js';
import { isUnpriced } from '../core/run/priced-calls.js';
import { completionOf } from './completion.js';
import type { BreakFacts, RequestFacts, RunFacts } from './facts.js';
import { type Metric, usd } from './metric.js';
import { pricedCalls } from './priced-calls.js';
import { recordedUsd } from './recorded-metrics.js';

/** The notice of an input that was turned away (WIN-6). */
const BLOCKED_INPUT = 'blocked';

type Better = Metric['better'];

function metric(
  name: string,
  unit: Metric['unit'],
  better: Better,
  help: string,
  value: Metric['value'],
): Metric {
  return { name, unit, better, help, value };
}

/** A metric over answered requests: a run without any has no data for it, nor for money where no model has a price. */
function requestMetric(
  name: string,
  unit: Metric['unit'],
  better: Better,
  help: string,
  value: (facts: RunFacts) => number | null,
): Metric {
  return metric(name, unit, better, help, (facts) => {
    if (facts.requests.calls === 0 || (unit === 'usd' && isUnpriced(pricedCalls(facts)))) return null;
    return value(facts);
  });
}

function hitRate(requests: RequestFacts): number | null {
  return ratio(requests.readTokens, requests.promptTokens);
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

function rewriteCost(facts: RunFacts): number {
  const { total, byCause } = facts.cost;
  return total - byCause.carry! - byCause.new! - byCause.output!;
}

function layerSum(facts: RunFacts, field: 'saved' | 'notCarried' | 'cacheLost'): number {
  return sum(Object.values(facts.layers).map((layer) => layer[field]));
}

/** The metrics of a run: requests, tokens, cost, context, layers. */
export const RUN_METRICS: readonly Metric[] = [
  metric('apiCalls', 'count', 'lower', 'requests that were answered', (f) => f.requests.calls),
  metric(
    'layerRequests',
    'count',
    'lower',
    'requests that layers made and that were answered: summaries, notes, memory, pings',
    (f) => sum(ofLayers(f).map(({ calls }) => calls)),
  ),
  metric('turns', 'count', null, 'turns of the main loop', (f) => f.turns),
  requestMetric(
    'promptTokens',
    'tokens',
    'lower',
    'tokens of all prompts: read + created + uncached',
    (f) => f.requests.promptTokens,
  ),
  requestMetric(
    'cacheReadTokens',
    'tokens',
    null,
    'prompt tokens read from the cache',
    (f) => f.requests.readTokens,
  ),
  requestMetric(
    'cacheCreationTokens',
    'tokens',
    'lower',
    'prompt tokens written to the cache, both lifetimes',
    (f) => f.requests.write5mTokens + f.requests.write1hTokens,
  ),
  requestMetric(
    'uncachedTokens',
    'tokens',
    'lower',
    'prompt tokens neither read from the cache nor written to it',
    (f) => f.requests.inputTokens,
  ),
  requestMetric('outputTokens', 'tokens', null, 'tokens of all responses', (f) => f.requests.outputTokens),
  metric('cacheHitRate', 'share', 'higher', 'prompt tokens read from the cache / all prompt tokens', (f) =>
    hitRate(f.requests),
  ),
  metric('cacheHitRateSubagents', 'share', 'higher', 'the same over the requests of subagents', (f) =>
    hitRate(f.byPurpose.subagent),
  ),
  metric('cacheHitRateLayers', 'share', 'higher', 'the same over the requests of layers', (f) => {
    const own = ofLayers(f);
    return ratio(
      sum(own.map(({ readTokens }) => readTokens)),
      sum(own.map(({ promptTokens }) => promptTokens)),
    );
  }),
  requestMetric('costUsd', 'usd', 'lower', 'cost of all requests', (f) => usd(f.cost.total)),
  requestMetric(
    'costExpectedUsd',
    'usd',
    'lower',
    'cost of all requests with what breaks that nothing foretells add on average (K14)',
    (f) => usd(f.costInterval?.expected ?? f.cost.total),
  ),
  requestMetric(
    'costLowUsd',
    'usd',
    'lower',
    'lower end of the interval that holds nine of ten sessions; none where the client is the bare API',
    (f) => (f.costInterval === null ? null : usd(f.costInterval.low)),
  ),
  requestMetric(
    'costHighUsd',
    'usd',
    'lower',
    'upper end of the interval that holds nine of ten sessions; none where the client is the bare API',
    (f) => (f.costInterval === null ? null : usd(f.costInterval.high)),
  ),
  requestMetric(
    'costUsdUnseen',
    'usd',
    'lower',
    'cost of requests that no transcript shows: suggestions, and what layers asked',
    (f) => usd(f.cost.total - f.cost.byLayer.main - f.cost.byLayer.subagent),
  ),
  requestMetric('costUsdMain', 'usd', 'lower', 'cost of the main loop', (f) => usd(f.cost.byLayer.main)),
  requestMetric('costUsdSubagents', 'usd', 'lower', 'cost of the loops of subagents', (f) =>
    usd(f.cost.byLayer.subagent),
  ),
  requestMetric(
    'costUsdLayers',
    'usd',
    'lower',
    'cost of the requests that layers made: summaries, notes, memory',
    (f) => usd(f.cost.total - f.cost.byLayer.main - f.cost.byLayer.subagent - f.cost.byLayer.suggestion),
  ),
  requestMetric(
    'costUsdRewrites',
    'usd',
    'lower',
    'cost of content that an earlier request held and that was not read from the cache: paid for again',
    (f) => usd(rewriteCost(f)),
  ),
  requestMetric(
    'costPerTurnUsd',
    'usd',
    'lower',
    'cost of all requests / completed turns: the answered calls of the main loop',
    (f) => ratio(usd(f.cost.total), f.byPurpose.main.calls),
  ),
  metric('recordedCostUsd', 'usd', null, 'what the recording cost, by the usage in it', (f) => {
    const bill = f.run?.transcript.recorded;
    return bill === undefined ? null : recordedUsd(bill);
  }),
  metric(
    'peakContextTokens',
    'tokens',
    'lower',
    'largest prompt + output of the main loop',
    (f) => f.peakContextTokens,
  ),
  metric('meanPromptTokens', 'tokens', 'lower', 'mean prompt of the main loop', (f) =>
    ratio(f.byPurpose.main.promptTokens, f.byPurpose.main.calls),
  ),
  metric(
    'keptContentShare',
    'share',
    'higher',
    'original tokens that the main loop’s requests still held / those it would have held untouched, mean over turns',
    (f) => f.keptContentShare,
  ),
  requestMetric('cacheBreaks', 'count', 'lower', 'drops of cache reads that no layer announced', (f) =>
    countBreaks(f.breaks.unexpected),
  ),
  requestMetric('cacheBreaksExpected', 'count', 'lower', 'drops of cache reads that a layer announced', (f) =>
    countBreaks(f.breaks.expected),
  ),
  metric(
    'finishedShare',
    'share',
    'higher',
    'calls of the transcript that were answered / all of them; below 1 the run is unfinished',
    (f) => {
      const { answered, calls } = completionOf(f);
      return ratio(answered, calls);
    },
  ),
  metric(
    'callsAnswered',
    'count',
    'higher',
    'calls of the transcript that were answered, without those that layers make',
    (f) => completionOf(f).answered,
  ),
  metric('requestsRefused', 'count', 'lower', 'requests the API would not take', (f) => f.requestsRefused),
  metric(
    'callsLost',
    'count',
    'lower',
    'recorded calls that could not take place because an earlier one failed',
    (f) => f.callsLost,
  ),
  metric(
    'blockedInputs',
    'count',
    'lower',
    'inputs turned away because the context was full',
    (f) => f.notices[BLOCKED_INPUT] ?? 0,
  ),
  metric(
    'compactions',
    'count',
    'lower',
    'compactions done: full, from session memory, reactive, and by the summarising baseline',
    (f) => f.compactions.done,
  ),
  metric(
    'fullCompactions',
    'count',
    'lower',
    'compactions done by a summary request',
    (f) => f.compactions.full,
  ),
  metric(
    'sessionMemoryCompactions',
    'count',
    null,
    'compactions done from session memory, without a request',
    (f) => f.compactions.sessionMemory,
  ),
  metric(
    'reactiveCompactions',
    'count',
    'lower',
    'compactions done because the API refused a request',
    (f) => f.compactions.reactive,
  ),
  metric('compactionFailures', 'count', 'lower', 'compactions that failed', (f) => f.compactions.failed),
  metric(
    'chainedCompactions',
    'count',
    'lower',
    'compactions within a few turns of the previous one (thrash.chainTurns)',
    (f) => f.compactions.chained,
  ),
  metric(
    'thrash',
    'count',
    'lower',
    'compactions within one turn of the previous one, not asked for by the user',
    (f) => f.compactions.thrash,
  ),
  metric(
    'compactionsPrevented',
    'count',
    null,
    'times the context would have crossed the auto-compact threshold had no layer taken anything out since the last compaction, and never did',
    (f) => f.crossings.prevented,
  ),
  metric(
    'compactionsPutOff',
    'count',
    null,
    'times it would have crossed the threshold and did so only later',
    (f) => f.crossings.putOff,
  ),
  metric(
    'microcompactions',
    'count',
    null,
    'times old tool results were cleared',
    (f) => f.layers.microcompact.done,
  ),
  metric(
    'storedResults',
    'count',
    null,
    'tool results moved out of the context to storage',
    (f) => f.storedResults,
  ),
  metric(
    'restoredFiles',
    'count',
    null,
    'files put back into the context after compactions',
    (f) => f.restoredFiles,
  ),
  metric(
    'restoreFailures',
    'count',
    'lower',
    'files that could not be read again after a compaction',
    (f) => f.failures['file-unreadable'] ?? 0,
  ),
  metric(
    'refusedCompactions',
    'count',
    'lower',
    'compactions that the user asked for and nobody made',
    (f) => f.notices['compact-refused'] ?? 0,
  ),
  metric(
    'repairedRequests',
    'count',
    'lower',
    'requests that had to be mended so that the API would take them',
    (f) => f.notices.repaired ?? 0,
  ),
  metric(
    'hookTokens',
    'tokens',
    null,
    'tokens that hooks of the user put into the context after compactions',
    (f) => f.hookTokens,
  ),
  metric(
    'breakerTrips',
    'count',
    'lower',
    'times the breaker stopped automatic compaction',
    (f) => f.breaker.trips,
  ),
  metric('breakerSkips', 'count', null, 'attempts the open breaker avoided', (f) => f.breaker.skips),
  metric(
    'tokensSaved',
    'tokens',
    'higher',
    'tokens that layers keep out of the conversations at their ends; what came back is not among them',
    (f) => layerSum(f, 'saved'),
  ),
  metric(
    'tokensNotCarried',
    'tokens',
    'higher',
    'tokens that layers kept out, summed over the requests of the loops: what the prompts did not carry and nobody paid for',
    (f) => layerSum(f, 'notCarried'),
  ),
  metric(
    'cacheTokensDestroyed',
    'tokens',
    'lower',
    'cached tokens behind the first position that layers changed, each counted once per request',
    (f) => layerSum(f, 'cacheLost'),
  ),
  metric(
    'overshootTokens',
    'tokens',
    'lower',
    'largest distance past a threshold when it fired',
    (f) => f.overshootTokens,
  ),
  metric('meanLatencyMs', 'ms', 'lower', 'mean latency of the main loop', (f) =>
    ratio(f.byPurpose.main.latencyMs, f.byPurpose.main.calls),
  ),
  metric(
    'simulatedHours',
    'hours',
    null,
    'simulated time from the first entry of the log to the last',
    (f) => (f.durationMs === null ? null : f.durationMs / MS_PER_HOUR),
  ),
  metric(
    'estimatorRatio',
    'ratio',
    null,
    'tokens by the rough estimate / true tokens of the conversations',
    (f) => (f.estimator === null ? null : ratio(f.estimator.heuristic, f.estimator.true)),
  ),
];
