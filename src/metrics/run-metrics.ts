import { MS_PER_HOUR } from '../core/base/clock.js';
import { ratio, sum } from '../core/base/stats.js';
import { isUnpriced } from '../core/run/priced-calls.js';
import { completionOf, pricedCalls } from './completion.js';
import type { BreakFacts, RunFacts } from './facts.js';
import { type Metric, usd } from './metric.js';
import { heldNano, recordedUsd } from './recorded-metrics.js';
import type { RequestFacts } from './request-fold.js';

/** The notice of an input that was turned away (WIN-6). */
const BLOCKED_INPUT = 'blocked';

type Value = Metric['value'];

/** The unit of a metric, its better direction, and how it is read from the facts of a run. */
type MetricRow = readonly [unit: Metric['unit'], better: Metric['better'], value: Value];

/** A value over answered requests: a run without any has no data for it. */
function overRequests(value: Value): Value {
  return (facts) => (facts.requests.calls === 0 ? null : value(facts));
}

/** The same for money, of which there is none where no model has a price. */
function money(value: Value): Value {
  return overRequests((facts) => (isUnpriced(pricedCalls(facts)) ? null : value(facts)));
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

/** What each metric means, in the order reports show them. */
const HELP = {
  apiCalls: 'requests that were answered',
  layerRequests: 'requests that layers made and that were answered: summaries, notes, memory, pings',
  turns: 'turns of the main loop',
  promptTokens: 'tokens of all prompts: read + created + uncached',
  cacheReadTokens: 'prompt tokens read from the cache',
  cacheCreationTokens: 'prompt tokens written to the cache, both lifetimes',
  uncachedTokens: 'prompt tokens neither read from the cache nor written to it',
  outputTokens: 'tokens of all responses',
  cacheHitRate: 'prompt tokens read from the cache / all prompt tokens',
  cacheHitRateSubagents: 'the same over the requests of subagents',
  cacheHitRateLayers: 'the same over the requests of layers',
  costUsd: 'cost of all requests',
  costExpectedUsd: 'cost of all requests, with the average cost of unpredictable cache breaks (K14)',
  costLowUsd:
    'lower end of the 90 % interval of the cost; of a recording, that of the requests it holds; none where the client is the bare API',
  costHighUsd: 'upper end of the same interval',
  recordedInputUsd:
    'what the requests of a recording cost without their output, by its usage; none in predict mode',
  reproducedInputUsd: 'the same as replayed by its own client: how well a what-if reproduces the recording',
  backgroundCostUsd: 'cost of requests that no transcript shows: suggestions, and what layers asked',
  costUsdMain: 'cost of the main loop',
  costUsdSubagents: 'cost of the loops of subagents',
  costUsdLayers: 'cost of the requests that layers made: summaries, notes, memory',
  costUsdRewrites:
    'cost of content that an earlier request held and that was not read from the cache: paid for again',
  costPerTurnUsd: 'cost of all requests / completed turns: the answered calls of the main loop',
  recordedCostUsd: 'what the recording cost, by the usage in it',
  peakContextTokens: 'largest prompt + output of the main loop',
  meanPromptTokens: 'mean prompt of the main loop',
  contentRetention:
    'original tokens that the main loop’s requests still held / those it would have held untouched, mean over turns',
  cacheBreaks: 'drops of cache reads that no layer announced',
  cacheBreaksExpected: 'drops of cache reads that a layer announced',
  finishedShare: 'calls of the transcript that were answered / all of them; below 1 the run is unfinished',
  callsAnswered: 'calls of the transcript that were answered, without those that layers make',
  requestsRefused: 'requests the API refused',
  callsLost: 'recorded calls that could not take place because an earlier one failed',
  blockedInputs: 'inputs turned away because the context was full',
  compactions: 'compactions done: full, from session memory, reactive, and by the summarising baseline',
  fullCompactions: 'compactions done by a summary request',
  sessionMemoryCompactions: 'compactions done from session memory, without a request',
  reactiveCompactions: 'compactions done because the API refused a request',
  idleCompactions: 'compactions done while the user was away, before the cache entries ended',
  idleCompactionsUnused: 'of those, the ones behind which no request of the session came',
  costUsdIdleUnused: 'what these cost: nobody came back to the shorter conversation',
  compactionFailures: 'compactions that failed',
  chainedCompactions: 'compactions within a few turns of the previous one (thrash.chainTurns)',
  thrash: 'compactions within one turn of the previous one, not asked for by the user',
  regrowCalls:
    'mean calls from a compaction until the context of its thread is back at 80 % of its size before; none where none came back',
  compactionsPrevented:
    'times the context would have crossed the auto-compact threshold had no layer taken anything out since the last compaction, and never did',
  compactionsDeferred: 'times it would have crossed the threshold and did so only later',
  microcompactions: 'times old tool results were cleared',
  storedResults: 'tool results moved out of the context to storage',
  restoredFiles: 'files put back into the context after compactions',
  restoreFailures: 'files that could not be read again after a compaction',
  refusedCompactions: 'compactions that the user asked for and nobody made',
  repairedRequests: 'requests that had to be mended so that the API would take them',
  hookTokens: 'tokens that hooks of the user put into the context after compactions',
  breakerTrips: 'times the breaker stopped automatic compaction',
  breakerSkips: 'attempts the open breaker avoided',
  tokensSaved:
    'tokens that layers keep out of the conversations at their ends; what came back is not among them',
  tokensNotCarried:
    'tokens that layers kept out, summed over the requests of the loops: what the prompts did not carry and nobody paid for',
  cacheTokensDestroyed:
    'cached tokens behind the first position that layers changed, each counted once per request',
  overshootTokens: 'largest distance past a threshold when it fired',
  faultsNone:
    'times a call needed content that its context no longer held, if summaries told nothing of what they replace: the upper bound',
  faultsAll: 'the same if summaries told everything: the lower bound',
  faultsFitted: 'the same with the share that recordings fetch again after a compaction',
  refetchTokens:
    'tokens that fetching it again brings, under `faults.survival`, beyond what the recording itself reads again',
  refetchUsd:
    'what that costs at once: one more request each, and the result written; not what carrying it costs later',
  refetchTokensLeast:
    'least `refetchTokens` of any choice of what to keep in this window: a lower bound for every policy',
  refetchUsdLeast:
    'the same of `refetchUsd`: at the lowest price that held, with nothing but the prefix in front',
  lostItems: 'of the faults, those of text that nobody can fetch: what users and the agent said',
  faultsLeast:
    'fewest `faultsNone` of any choice of what to keep in this window: a lower bound for every policy, which knows what is needed later',
  avoidableFaultShare:
    'share of `faultsNone` that no policy need have in this window: the most that knowing what is needed later can save; none where nothing was missed',
  meanLatencyMs: 'mean latency of the main loop',
  simulatedHours: 'simulated time from the first entry of the log to the last',
  estimatorRatio: 'tokens by the rough estimate / true tokens of the conversations',
  warningShownTurns:
    'turns of the main loop during which the client warned that little context is left; none where no window is known; a policy that sets no distance is taken to warn 20,000 tokens before its limit, as Claude Code does',
  errorShownTurns: 'the same for the error colour of that warning',
  leastPercentLeft:
    'least share of the limit that the client showed as left when a request of the main loop was sent: of the auto-compact threshold where that is on, else of the effective window',
  forks: 'threads that started as a copy of their parent',
  forksLost: 'forks that never started because the call that starts them was lost',
  forkHitRate: 'tokens that the first requests of forks read from the cache / all their prompt tokens',
  forkTokensShared: 'tokens that forks read instead of paying for them again: what sharing the prefix saved',
  notesUpdates: 'extractions that brought session notes up to date',
  notesCondensed: 'of those, the ones told to condense a section or all of the notes',
  notesUrgent: 'of those, the ones told to do so urgently',
  notesOutputTokens: 'output of extractions: new and changed lines and the calls around them',
  notesTokens: 'tokens of the session notes as the latest extraction left them',
  memoriesWritten: 'durable memories written by extractions',
  memoriesRemoved:
    'memory files that dreams removed: merged into others or contradicted, never to make the index fit',
  memoriesMerged: 'memories that went into another on their subject',
  memoriesContradicted: 'memories that lost a line to a later one that contradicts it, in dreams',
  memoriesDated: 'memories in which dreams made relative dates absolute',
  memoriesKept: 'memories in the directory at the end',
  memoriesDuplicate: 'memories at the end that say what another one says',
  memoriesDisagreeing: 'memories at the end that a later one contradicts',
  memoriesPolluted: 'memories at the end that the exclusion rules forbid',
  memoriesOffIndex: 'memories at the end that have no line in the index',
  memoryIndexLines: 'lines of the memory index at the end',
  memoryIndexCuts: 'times the memory index did not fit into the system prompt',
  memoryWritesRefused: 'writes of extractions and dreams that led out of the memory directory',
  memoryFilesCorrupt: 'memory files that could not be read',
  dreams: 'dreams that finished',
  dreamFailures: 'dreams that failed',
  dreamsKilled: 'dreams that ended with their process, or because their user ended them',
  dreamLocksReclaimed: 'stale locks taken over: left behind by a process that died in its dream',
  agentsShutDown: 'agents that another one ended',
  callsNotMade: 'recorded calls of agents that another one had ended: neither answered nor lost',
  plansRejected: 'plans that were turned down and made again',
  approvalWaitMs: 'time that agents waited for the answers to their plans',
  agentMemoriesRead: 'agents that began with what earlier ones of their kind had left',
  messagesSent: 'messages between agents',
  messagesDelivered: 'of those, the ones that were delivered',
  messagesLate: 'of those, the ones that were delivered late',
  messagesLost: 'messages neither delivered nor waiting anywhere',
} as const;

const METRIC_VALUES: Readonly<Record<keyof typeof HELP, MetricRow>> = {
  apiCalls: ['count', 'lower', (f) => f.requests.calls],
  layerRequests: ['count', 'lower', (f) => sum(ofLayers(f).map(({ calls }) => calls))],
  turns: ['count', null, (f) => f.turns],
  promptTokens: ['tokens', 'lower', overRequests((f) => f.requests.promptTokens)],
  cacheReadTokens: ['tokens', null, overRequests((f) => f.requests.readTokens)],
  cacheCreationTokens: [
    'tokens',
    'lower',
    overRequests((f) => f.requests.write5mTokens + f.requests.write1hTokens),
  ],
  uncachedTokens: ['tokens', 'lower', overRequests((f) => f.requests.inputTokens)],
  outputTokens: ['tokens', null, overRequests((f) => f.requests.outputTokens)],
  cacheHitRate: ['share', 'higher', (f) => hitRate(f.requests)],
  cacheHitRateSubagents: ['share', 'higher', (f) => hitRate(f.byPurpose.subagent)],
  cacheHitRateLayers: [
    'share',
    'higher',
    (f) => {
      const own = ofLayers(f);
      return ratio(
        sum(own.map(({ readTokens }) => readTokens)),
        sum(own.map(({ promptTokens }) => promptTokens)),
      );
    },
  ],
  costUsd: ['usd', 'lower', money((f) => usd(f.cost.total))],
  costExpectedUsd: ['usd', 'lower', money((f) => usd(expectedNano(f)))],
  costLowUsd: ['usd', 'lower', money((f) => (f.costInterval === null ? null : usd(f.costInterval.low)))],
  costHighUsd: ['usd', 'lower', money((f) => (f.costInterval === null ? null : usd(f.costInterval.high)))],
  recordedInputUsd: ['usd', null, (f) => reproducedUsd(f, 'recordedNano')],
  reproducedInputUsd: ['usd', null, (f) => reproducedUsd(f, 'simulatedNano')],
  backgroundCostUsd: [
    'usd',
    'lower',
    money((f) => usd(f.cost.total - f.cost.byLayer.main - f.cost.byLayer.subagent)),
  ],
  costUsdMain: ['usd', 'lower', money((f) => usd(f.cost.byLayer.main))],
  costUsdSubagents: ['usd', 'lower', money((f) => usd(f.cost.byLayer.subagent))],
  costUsdLayers: [
    'usd',
    'lower',
    money((f) =>
      usd(f.cost.total - f.cost.byLayer.main - f.cost.byLayer.subagent - f.cost.byLayer.suggestion),
    ),
  ],
  costUsdRewrites: ['usd', 'lower', money((f) => usd(rewriteCost(f)))],
  costPerTurnUsd: ['usd', 'lower', money((f) => ratio(usd(f.cost.total), f.byPurpose.main.calls))],
  recordedCostUsd: [
    'usd',
    null,
    (f) => {
      const bill = f.run?.transcript.recorded;
      return bill === undefined ? null : recordedUsd(bill);
    },
  ],
  peakContextTokens: ['tokens', 'lower', (f) => f.peakContextTokens],
  meanPromptTokens: ['tokens', 'lower', (f) => ratio(f.byPurpose.main.promptTokens, f.byPurpose.main.calls)],
  contentRetention: ['share', 'higher', (f) => f.contentRetention],
  cacheBreaks: ['count', 'lower', overRequests((f) => countBreaks(f.breaks.unexpected))],
  cacheBreaksExpected: ['count', 'lower', overRequests((f) => countBreaks(f.breaks.expected))],
  finishedShare: [
    'share',
    'higher',
    (f) => {
      const { answered, calls } = completionOf(f);
      return ratio(answered, calls);
    },
  ],
  callsAnswered: ['count', 'higher', (f) => completionOf(f).answered],
  requestsRefused: ['count', 'lower', (f) => f.requestsRefused],
  callsLost: ['count', 'lower', (f) => f.callsLost],
  blockedInputs: ['count', 'lower', (f) => f.notices[BLOCKED_INPUT] ?? 0],
  compactions: ['count', 'lower', (f) => f.compactions.done],
  fullCompactions: ['count', 'lower', (f) => f.compactions.full],
  sessionMemoryCompactions: ['count', null, (f) => f.compactions.sessionMemory],
  reactiveCompactions: ['count', 'lower', (f) => f.compactions.reactive],
  idleCompactions: ['count', null, (f) => f.compactions.idle],
  idleCompactionsUnused: ['count', 'lower', (f) => f.compactions.idleUnused],
  costUsdIdleUnused: ['usd', 'lower', money((f) => usd(f.compactions.idleUnusedNanoUsd))],
  compactionFailures: ['count', 'lower', (f) => f.compactions.failed],
  chainedCompactions: ['count', 'lower', (f) => f.compactions.chained],
  thrash: ['count', 'lower', (f) => f.compactions.thrash],
  regrowCalls: ['count', null, ({ compactions: { regrowCalls, regrown } }) => ratio(regrowCalls, regrown)],
  compactionsPrevented: ['count', null, (f) => f.crossings.prevented],
  compactionsDeferred: ['count', null, (f) => f.crossings.deferred],
  microcompactions: ['count', null, (f) => f.layers.microcompact.done],
  storedResults: ['count', null, (f) => f.storedResults],
  restoredFiles: ['count', null, (f) => f.restoredFiles],
  restoreFailures: ['count', 'lower', (f) => f.failures['file-unreadable'] ?? 0],
  refusedCompactions: ['count', 'lower', (f) => f.notices['compact-refused'] ?? 0],
  repairedRequests: ['count', 'lower', (f) => f.notices.repaired ?? 0],
  hookTokens: ['tokens', null, (f) => f.hookTokens],
  breakerTrips: ['count', 'lower', (f) => f.breaker.trips],
  breakerSkips: ['count', null, (f) => f.breaker.skips],
  tokensSaved: ['tokens', 'higher', (f) => layerSum(f, 'saved')],
  tokensNotCarried: ['tokens', 'higher', (f) => layerSum(f, 'notCarried')],
  cacheTokensDestroyed: ['tokens', 'lower', (f) => layerSum(f, 'cacheLost')],
  faultsNone: ['count', 'lower', (f) => f.faults?.none ?? null],
  faultsAll: ['count', 'lower', (f) => f.faults?.all ?? null],
  faultsFitted: ['count', 'lower', (f) => f.faults?.fitted ?? null],
  refetchTokens: ['tokens', 'lower', (f) => f.faults?.refetchTokens ?? null],
  refetchUsd: ['usd', 'lower', money((f) => (f.faults === null ? null : usd(f.faults.refetchNano)))],
  refetchTokensLeast: [
    'tokens',
    null,
    ({ faults }) => leastOf(faults, faults?.leastRefetchTokens, faults?.refetchTokens),
  ],
  refetchUsdLeast: [
    'usd',
    null,
    money(({ faults }) => {
      const nano = leastOf(faults, faults?.leastRefetchNano, faults?.refetchNano);
      return nano === null ? null : usd(nano);
    }),
  ],
  lostItems: ['count', 'lower', (f) => f.faults?.lost ?? null],
  faultsLeast: ['count', null, ({ faults }) => leastOf(faults, faults?.least, faults?.none)],
  avoidableFaultShare: ['share', 'lower', ({ faults }) => avoidableShare(faults)],
  overshootTokens: ['tokens', 'lower', (f) => f.overshootTokens],
  meanLatencyMs: ['ms', 'lower', (f) => ratio(f.byPurpose.main.latencyMs, f.byPurpose.main.calls)],
  simulatedHours: ['hours', null, (f) => (f.durationMs === null ? null : f.durationMs / MS_PER_HOUR)],
  estimatorRatio: [
    'ratio',
    null,
    (f) => (f.estimator === null ? null : ratio(f.estimator.heuristic, f.estimator.true)),
  ],
  warningShownTurns: ['count', 'lower', ({ status }) => status?.warning.turns ?? null],
  errorShownTurns: ['count', 'lower', ({ status }) => status?.error.turns ?? null],
  leastPercentLeft: [
    'share',
    'higher',
    ({ status }) => (status === null ? null : status.leastPercentLeft / 100),
  ],
  forks: ['count', null, ({ longTerm }) => longTerm.forks.started],
  forksLost: ['count', 'lower', ({ longTerm }) => longTerm.forks.lost],
  forkHitRate: [
    'share',
    'higher',
    ({ longTerm: { forks } }) => ratio(forks.firstReadTokens, forks.firstPromptTokens),
  ],
  forkTokensShared: ['tokens', 'higher', (facts) => facts.longTerm.forks.firstReadTokens],
  notesUpdates: ['count', null, ({ longTerm }) => longTerm.notes.extractions],
  notesCondensed: ['count', null, ({ longTerm }) => longTerm.notes.condensed],
  notesUrgent: ['count', null, ({ longTerm }) => longTerm.notes.urgent],
  notesOutputTokens: ['tokens', 'lower', ({ longTerm: { notes } }) => notes.outputTokens],
  notesTokens: ['tokens', null, ({ longTerm: { notes } }) => notes.tokens],
  memoriesWritten: ['count', null, ({ longTerm }) => longTerm.memory.written],
  memoriesRemoved: ['count', null, ({ longTerm }) => longTerm.memory.removed],
  memoriesMerged: ['count', null, ({ longTerm }) => longTerm.memory.merged],
  memoriesContradicted: ['count', null, ({ longTerm }) => longTerm.memory.contradicted],
  memoriesDated: ['count', null, ({ longTerm }) => longTerm.memory.dated],
  memoriesKept: ['count', null, ({ longTerm }) => longTerm.memory.quality?.kept ?? null],
  memoriesDuplicate: ['count', 'lower', ({ longTerm }) => longTerm.memory.quality?.duplicate ?? null],
  memoriesDisagreeing: ['count', 'lower', ({ longTerm }) => longTerm.memory.quality?.contradicted ?? null],
  memoriesPolluted: ['count', 'lower', ({ longTerm }) => longTerm.memory.quality?.polluted ?? null],
  memoriesOffIndex: ['count', 'lower', ({ longTerm }) => longTerm.memory.quality?.offIndex ?? null],
  memoryIndexLines: ['count', 'lower', ({ longTerm }) => longTerm.memory.indexLines],
  memoryIndexCuts: ['count', 'lower', ({ longTerm }) => longTerm.memory.indexCuts],
  memoryWritesRefused: ['count', 'lower', ({ longTerm }) => longTerm.memory.refused],
  memoryFilesCorrupt: ['count', 'lower', ({ longTerm }) => longTerm.memory.corrupt],
  dreams: ['count', null, ({ longTerm }) => longTerm.dreams.completed],
  dreamFailures: ['count', 'lower', ({ longTerm }) => longTerm.dreams.failed],
  dreamsKilled: ['count', 'lower', ({ longTerm }) => longTerm.dreams.killed],
  dreamLocksReclaimed: ['count', null, ({ longTerm }) => longTerm.dreams.reclaimed],
  agentsShutDown: ['count', null, ({ longTerm }) => longTerm.agents.shutDown],
  callsNotMade: ['count', null, (facts) => facts.callsNotMade],
  plansRejected: ['count', null, ({ longTerm }) => longTerm.agents.plansRejected],
  approvalWaitMs: ['ms', 'lower', (facts) => facts.longTerm.agents.approvalWaitMs],
  agentMemoriesRead: ['count', null, ({ longTerm }) => longTerm.agents.memoriesRead],
  messagesSent: ['count', null, ({ longTerm }) => longTerm.messages.sent],
  messagesDelivered: ['count', 'higher', ({ longTerm }) => longTerm.messages.delivered],
  messagesLate: ['count', 'lower', ({ longTerm }) => longTerm.messages.late],
  messagesLost: ['count', 'lower', ({ longTerm }) => longTerm.messages.lost],
};

/** A bound: nothing where nothing was missed. A message that was cut counts as kept, so that a run may come to less than its bound. */
function leastOf(faults: RunFacts['faults'], bound: number | null = null, found = 0): number | null {
  if (faults?.none === 0) return 0;
  return bound === null ? null : Math.min(bound, found);
}

function avoidableShare(faults: RunFacts['faults']): number | null {
  const least = leastOf(faults, faults?.least, faults?.none);
  if (faults === null || least === null || faults.none === 0) return null;
  return (faults.none - least) / faults.none;
}

/** The metrics of a run, in the order reports show them. */
export const RUN_METRICS: readonly Metric[] = (Object.keys(HELP) as (keyof typeof HELP)[]).map((name) => {
  const [unit, better, value] = METRIC_VALUES[name];
  return { name, unit, better, help: HELP[name], value };
});

function reproducedUsd({ run }: RunFacts, side: 'recordedNano' | 'simulatedNano'): number | null {
  const found = run?.transcript.reproduced;
  return found === undefined ? null : usd(found[side]);
}

/** The cost of all requests, with what unpredictable breaks add on average. */
function expectedNano({ cost, costInterval, run }: RunFacts): number {
  if (costInterval === null) return cost.total;
  return costInterval.expected + cost.total - heldNano(cost, run?.transcript.recorded);
}
