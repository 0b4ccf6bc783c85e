import { CcbenchError } from '../core/base/errors.js';
import type { Mutable } from '../core/base/mutable.js';
import { getOrMake } from '../core/base/once.js';
import type { BreakCause } from '../core/run/break-causes.js';
import type { BreakEntry } from '../core/run/log-entries.js';
import {
  type BreakdownEntry,
  type EndEntry,
  type LogEntry,
  PARTED,
  type RunEntry,
  type SkippedEntry,
  type SummingSink,
  type WarningEntry,
} from '../core/run/run-log.js';
import { hasUses } from '../core/uses/find-uses.js';
import { chanceInterval, whatIfInterval } from './cost-interval.js';
import type { BreakFacts, RunFacts } from './facts.js';
import { FaultFold, LayerFold, largerOvershoot } from './layer-fold.js';
import { LongTermFold, StatusFold } from './long-term-fold.js';
import { heldNano } from './metric.js';
import { RequestFold } from './request-fold.js';
import { addTo, sortedRecord, type Tally } from './tally.js';

/** The facts of a run in which the same happened as in another under other limits: what limits affect is added up again. @internal */
export class LimitFold {
  private readonly status = new StatusFold();
  private run: RunEntry | null = null;
  private overshootTokens: number | null = null;

  constructor(private readonly facts: RunFacts) {}

  write(entry: LogEntry): void {
    if (entry.type === 'status') this.status.addStatus(entry);
    else if (entry.type === 'run') this.run = entry;
    else if (entry.type === 'layer') this.overshootTokens = largerOvershoot(this.overshootTokens, entry);
  }

  seen(thread: string, tokens: number): void {
    this.status.addSeen(thread, tokens);
  }

  finish(): RunFacts {
    const { facts, run, overshootTokens } = this;
    const own: Mutable<RunFacts> = { ...facts };
    own.run = run;
    own.overshootTokens = overshootTokens;
    own.status = this.status.finish();
    return own;
  }
}

type BreakMap = Map<BreakCause, Mutable<BreakFacts>>;

function addBreak(map: BreakMap, { cause, lostTokens }: BreakEntry): void {
  const sums = getOrMake(map, cause, () => ({ count: 0, lostTokens: 0 }));
  sums.count += 1;
  sums.lostTokens += lostTokens;
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
    isSumming: true,
    write(entry) {
      if (limits !== null) limits.write(entry);
      else {
        entries ??= new EntryFold();
        entries.write(entry);
      }
    },
    resume(facts) {
      limits = new LimitFold(facts);
    },
    seen(thread, tokens) {
      limits?.seen(thread, tokens);
    },
    finish: () => (limits ?? entries ?? new EntryFold()).finish(),
  };
}

/** Adds up every entry. */
class EntryFold {
  readonly #requests = new RequestFold();
  readonly #layers = new LayerFold();
  readonly #longTerm = new LongTermFold();
  readonly #status = new StatusFold();
  readonly #faults = new FaultFold();
  readonly #unexpected: BreakMap = new Map();
  readonly #expected: BreakMap = new Map();
  readonly #refusals: Tally = new Map();
  readonly #notices: Tally = new Map();
  readonly #breakdowns: BreakdownEntry[] = [];
  readonly #skipped: SkippedEntry[] = [];
  readonly #warnings: WarningEntry[] = [];
  #run: RunEntry | null = null;
  #end: EndEntry | null = null;
  #requestsRefused = 0;
  #callsLost = 0;
  #callsNotMade = 0;
  #lostReason: string | null = null;
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Threads that the policy of a what-if has compacted, and what their requests cost on the input side from then on. */
  readonly #compacted = new Set<string>();
  readonly #parted = new Set<string>();
  #afterCompaction = 0;

  write(entry: LogEntry) {
    if ('t' in entry) {
      if (entry.t < this.#firstMs) this.#firstMs = entry.t;
      if (entry.t > this.#lastMs) this.#lastMs = entry.t;
    }
    switch (entry.type) {
      case 'request':
        this.#longTerm.addRequest(entry);
        this.#layers.addRequest(entry);
        this.#status.addRequest(entry);
        if (this.#compacted.has(entry.thread)) this.#afterCompaction += entry.cost - entry.outputCost;
        return this.#requests.addRequest(entry);
      case 'thread':
        this.#longTerm.addThread(entry);
        this.#layers.addThread(entry);
        return this.#requests.addThread(entry);
      case 'layer':
        this.#longTerm.addLayer(entry);
        if (entry.action === 'compact' && entry.outcome === 'done' && this.#parted.has(entry.thread))
          this.#compacted.add(entry.thread);
        return this.#layers.addLayer(entry);
      case 'fault':
        return this.#faults.add(entry);
      case 'returned':
        return this.#layers.addReturned(entry);
      case 'crossing':
        return this.#layers.addCrossing(entry);
      case 'breaker':
        return this.#layers.addBreaker(entry);
      case 'status':
        return this.#status.addStatus(entry);
      case 'break':
        return addBreak(entry.expected ? this.#expected : this.#unexpected, entry);
      case 'refused':
        this.#requestsRefused += 1;
        return addTo(this.#refusals, entry.error, 1);
      case 'lost':
        this.#callsLost += entry.calls;
        this.#lostReason ??= entry.reason;
        return;
      case 'ended':
        this.#callsNotMade += entry.calls;
        return;
      case 'notice':
        if (entry.what === PARTED) this.#parted.add(entry.thread);
        this.#longTerm.addNotice(entry);
        return addTo(this.#notices, entry.what, 1);
      case 'breakdown':
        this.#breakdowns.push(entry);
        return;
      case 'skipped':
        this.#skipped.push(entry);
        return;
      case 'warning':
        this.#warnings.push(entry);
        return;
      case 'run':
        this.#run = entry;
        return;
      case 'end':
        this.#end = entry;
        return;
    }
  }

  /** The interval of the whole cost; requests that the recording does not hold cost what they cost. */
  #interval(cost: RunFacts['cost'], compactions: 'none' | 'some'): RunFacts['costInterval'] {
    const held = heldNano(cost, this.#run?.transcript.recorded);
    const found = this.#heldInterval(held, compactions);
    if (found === null) return null;
    const other = cost.total - held;
    return { expected: found.expected + other, low: found.low + other, high: found.high + other };
  }

  /** In a what-if chance is known, but for that of another provider's cache; what a policy's own compactions leave is not. */
  #heldInterval(cost: number, compactions: 'none' | 'some'): RunFacts['costInterval'] {
    const chance = this.#end?.chance;
    const drawn = chance === undefined ? null : chanceInterval(cost, chance, compactions);
    if (this.#run?.transcript.reproduced === undefined)
      return drawn ?? this.#requests.risks.interval(cost, compactions);
    const own = whatIfInterval(cost, this.#afterCompaction);
    if (drawn === null) return own;
    return { ...drawn, low: Math.min(drawn.low, own.low), high: Math.max(drawn.high, own.high) };
  }

  finish(): RunFacts {
    const requests = this.#requests.finish();
    const layers = this.#layers.finish();
    const end = this.#end;
    const cost = requests.cost.total;
    if (end !== null && end.cost !== cost) {
      throw new CcbenchError(
        'invariant',
        `the log ends with a cost of ${end.cost} nano-dollars, its requests add up to ${cost} (INV-5)`,
      );
    }
    const compactions = layers.compactions.done > 0 ? 'some' : 'none';
    // Every name is written out: those that follow a spread leave compiled code one by one.
    return {
      turns: end?.turns ?? requests.turns,
      models: requests.models,
      threads: requests.threads,
      requests: requests.requests,
      byPurpose: requests.byPurpose,
      cost: requests.cost,
      peakContextTokens: requests.peakContextTokens,
      contentRetention: requests.contentRetention,
      layers: layers.layers,
      rules: layers.rules,
      failures: layers.failures,
      breaker: layers.breaker,
      compactions: layers.compactions,
      crossings: layers.crossings,
      storedResults: layers.storedResults,
      restoredFiles: layers.restoredFiles,
      overshootTokens: layers.overshootTokens,
      hookTokens: layers.hookTokens,
      run: this.#run,
      complete: end !== null,
      durationMs: this.#lastMs < this.#firstMs ? null : this.#lastMs - this.#firstMs,
      costInterval: this.#interval(requests.cost, compactions),
      breaks: { unexpected: sortedRecord(this.#unexpected), expected: sortedRecord(this.#expected) },
      requestsRefused: this.#requestsRefused,
      refusals: sortedRecord(this.#refusals),
      callsLost: this.#callsLost,
      callsNotMade: this.#callsNotMade,
      lostReason: this.#lostReason,
      status: this.#status.finish(),
      notices: sortedRecord(this.#notices),
      faults: this.#run !== null && hasUses(this.#run.transcript) ? this.#faults.finish(end) : null,
      estimator: estimatorOf(this.#breakdowns),
      longTerm: this.#longTerm.finish(),
      breakdowns: this.#breakdowns,
      skipped: this.#skipped,
      warnings: this.#warnings,
    };
  }
}

/** The facts of a whole log. @internal */
export function foldLog(entries: Iterable<LogEntry>): RunFacts {
  const fold = createMetricsFold();
  for (const entry of entries) fold.write(entry);
  return fold.finish();
}
