import { CcbenchError } from '../core/base/errors.js';
import {
  type BreakCause,
  type BreakdownEntry,
  type BreakEntry,
  type EndEntry,
  LAYERS,
  type LogEntry,
  type RunEntry,
  type SkippedEntry,
  type SummingSink,
  type WarningEntry,
} from '../core/run/run-log.js';
import { chanceInterval } from './cost-interval.js';
import type { BreakFacts, LayerFacts, RunFacts } from './facts.js';
import { createLayerFold } from './layer-fold.js';
import { createLongTermFold } from './long-term-fold.js';
import { createRequestFold } from './request-fold.js';
import { createSavedFold, type SavedFacts } from './saved-fold.js';
import { createStatusFold } from './status-fold.js';
import { addTo, detailAmount, recordOf, sortedRecord, type Tally } from './tally.js';

/** The facts of a run in which the same happened as in another under other limits: what limits have a say in is added up anew. */
export class LimitFold {
  private readonly status = createStatusFold();
  private run: RunEntry | null = null;
  private overshootTokens: number | null = null;

  constructor(private readonly facts: RunFacts) {}

  write(entry: LogEntry): void {
    if (entry.type === 'status') this.status.addStatus(entry);
    else if (entry.type === 'run') this.run = entry;
    else if (entry.type === 'layer') {
      const overshoot = detailAmount(entry.details, 'overshoot');
      if (overshoot !== null) this.overshootTokens = Math.max(this.overshootTokens ?? overshoot, overshoot);
    }
  }

  seen(thread: string, tokens: number): void {
    this.status.addSeen(thread, tokens);
  }

  finish(): RunFacts {
    const { facts, run, overshootTokens } = this;
    return { ...facts, run, overshootTokens, status: this.status.finish() };
  }
}

type BreakMap = Map<BreakCause, { count: number; lostTokens: number }>;

function addBreak(map: BreakMap, entry: BreakEntry): void {
  const sums = map.get(entry.cause);
  if (sums === undefined) map.set(entry.cause, { count: 1, lostTokens: entry.lostTokens });
  else {
    sums.count += 1;
    sums.lostTokens += entry.lostTokens;
  }
}

function estimatorOf(breakdowns: readonly BreakdownEntry[]): RunFacts['estimator'] {
  if (breakdowns.length === 0) return null;
  const sums = { heuristic: 0, true: 0 };
  for (const { estimator } of breakdowns) {
    sums.heuristic += estimator.heuristic;
    sums.true += estimator.true;
  }
  return sums;
}

/** What a layer did, with what it kept out of the contexts. */
function layerFacts(acts: Omit<LayerFacts, keyof SavedFacts>, kept: SavedFacts): LayerFacts {
  return {
    triggers: acts.triggers,
    done: acts.done,
    failed: acts.failed,
    declined: acts.declined,
    cacheLost: acts.cacheLost,
    calls: acts.calls,
    costNanoUsd: acts.costNanoUsd,
    saved: kept.saved,
    notCarried: kept.notCarried,
    prevented: kept.prevented,
    putOff: kept.putOff,
  };
}

/** Takes a run's entries in order, in one pass, and tells what they add up to. */
export interface MetricsFold extends SummingSink {
  /** The facts so far; throws when the costs do not add up (INV-5). */
  finish(): RunFacts;
  resume(facts: RunFacts): void;
}

/** Creates a fold over the log of one run. */
export function createMetricsFold(): MetricsFold {
  let entries: EntryFold | null = null;
  let limits: LimitFold | null = null;
  return {
    write(entry) {
      if (limits !== null) limits.write(entry);
      else {
        entries ??= createEntryFold();
        entries.write(entry);
      }
    },
    resume(facts) {
      limits = new LimitFold(facts);
    },
    seen(thread, tokens) {
      limits?.seen(thread, tokens);
    },
    finish: () => (limits ?? entries ?? createEntryFold()).finish(),
  };
}

/** Adds up every entry. */
type EntryFold = Pick<MetricsFold, 'write' | 'finish'>;

function createEntryFold(): EntryFold {
  const requests = createRequestFold();
  const layers = createLayerFold();
  const longTerm = createLongTermFold();
  const saved = createSavedFold();
  const status = createStatusFold();
  const unexpected: BreakMap = new Map();
  const expected: BreakMap = new Map();
  const refusals: Tally = new Map();
  const notices: Tally = new Map();
  const breakdowns: BreakdownEntry[] = [];
  const skipped: SkippedEntry[] = [];
  const warnings: WarningEntry[] = [];
  let run: RunEntry | null = null;
  let end: EndEntry | null = null;
  let requestsRefused = 0;
  let callsLost = 0;
  let callsNotMade = 0;
  let lostReason: string | null = null;
  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = Number.NEGATIVE_INFINITY;

  const seeTime = (timeMs: number): void => {
    if (timeMs < firstMs) firstMs = timeMs;
    if (timeMs > lastMs) lastMs = timeMs;
  };

  return {
    write(entry: LogEntry) {
      if ('t' in entry) seeTime(entry.t);
      switch (entry.type) {
        case 'request':
          longTerm.addRequest(entry);
          saved.addRequest(entry);
          status.addRequest(entry);
          return requests.addRequest(entry);
        case 'thread':
          longTerm.addThread(entry);
          saved.addThread(entry);
          return requests.addThread(entry);
        case 'layer':
          longTerm.addLayer(entry);
          saved.addLayer(entry);
          return layers.addLayer(entry);
        case 'returned':
          return saved.addReturned(entry);
        case 'crossing':
          return saved.addCrossing(entry);
        case 'status':
          return status.addStatus(entry);
        case 'breaker':
          return layers.addBreaker(entry);
        case 'break':
          return addBreak(entry.expected ? expected : unexpected, entry);
        case 'refused':
          requestsRefused += 1;
          return addTo(refusals, entry.error, 1);
        case 'lost':
          callsLost += entry.calls;
          lostReason ??= entry.reason;
          return;
        case 'ended':
          callsNotMade += entry.calls;
          return;
        case 'notice':
          longTerm.addNotice(entry);
          return addTo(notices, entry.what, 1);
        case 'breakdown':
          breakdowns.push(entry);
          return;
        case 'skipped':
          skipped.push(entry);
          return;
        case 'warning':
          warnings.push(entry);
          return;
        case 'run':
          run = entry;
          return;
        case 'end':
          end = entry;
          return;
      }
    },
    finish() {
      const { turns, risks, ...totals } = requests.finish();
      if (end !== null && end.cost !== totals.cost.total) {
        throw new CcbenchError(
          'invariant',
          `the log ends with a cost of ${end.cost} nano-dollars, its requests add up to ${totals.cost.total} (INV-5)`,
        );
      }
      const { layers: acts, ...others } = layers.finish();
      const intervalOf = (cost: number, chance: EndEntry['chance'], compactions: 'none' | 'some') =>
        chance === undefined ? risks.interval(cost, compactions) : chanceInterval(cost, chance, compactions);
      const { byLayer, prevented, putOff } = saved.finish();
      return {
        run,
        complete: end !== null,
        turns: end?.turns ?? turns,
        durationMs: lastMs < firstMs ? null : lastMs - firstMs,
        ...totals,
        breaks: {
          unexpected: sortedRecord<BreakFacts>(unexpected),
          expected: sortedRecord<BreakFacts>(expected),
        },
        requestsRefused,
        refusals: sortedRecord(refusals),
        callsLost,
        callsNotMade,
        lostReason,
        ...others,
        layers: recordOf(LAYERS, (layer) => layerFacts(acts[layer], byLayer[layer])),
        crossings: { prevented, putOff },
        status: status.finish(),
        costInterval: intervalOf(
          totals.cost.total,
          end?.chance,
          others.compactions.done > 0 ? 'some' : 'none',
        ),
        notices: sortedRecord(notices),
        estimator: estimatorOf(breakdowns),
        longTerm: longTerm.finish(),
        breakdowns,
        skipped,
        warnings,
      };
    },
  };
}

/** The facts of a whole log. @internal */
export function foldLog(entries: Iterable<LogEntry>): RunFacts {
  const fold = createMetricsFold();
  for (const entry of entries) fold.write(entry);
  return fold.finish();
}
