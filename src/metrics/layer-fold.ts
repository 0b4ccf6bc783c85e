import type { Mutable } from '../core/base/mutable.js';
import { getOrMake } from '../core/base/once.js';
import { sum } from '../core/base/stats.js';
import {
  type BreakerEntry,
  type CrossingEntry,
  type FaultEntry,
  LAYERS,
  type Layer,
  type LayerEntry,
  type RequestEntry,
  type ReturnedEntry,
  type ThreadEntry,
} from '../core/run/log-entries.js';
import type { EndEntry } from '../core/run/run-log.js';
import { chanceUnder, SURVIVALS, type Survival } from '../core/run/run-plan.js';
import { addTo, detailAmount, recordOf, sortedRecord, type Tally } from './tally.js';

/** What calls needed and their context no longer held. Counts by chance are not whole. */
export interface FaultFacts extends Readonly<Record<Survival, number>> {
  /** What fetching again brings and costs at once, under the survival of the plan; nano-dollars. */
  readonly refetchTokens: number;
  readonly refetchNano: number;
  /** The same where summaries tell nothing. */
  readonly refetchMostNano: number;
  /** Text that nobody can fetch, under the survival of the plan. */
  readonly lost: number;
  /** The largest that nobody can fetch, and the most expensive of the others, ten of each at most: what shows the need is quoted. */
  readonly quoted: readonly FaultEntry[];
  /** The fewest that any choice of what to keep has in the same window; null if nothing was missed, and in older logs. */
  readonly least: number | null;
  /** The least that fetching again brings and costs in it, under the survival of the plan; likewise null. */
  readonly leastRefetchTokens: number | null;
  readonly leastRefetchNano: number | null;
}

/** Faults of a kind that are quoted. */
const MOST_QUOTED = 10;

/** Adds up the faults of a run. */
export class FaultFold {
  readonly #facts = {
    none: 0,
    all: 0,
    fitted: 0,
    refetchTokens: 0,
    refetchNano: 0,
    refetchMostNano: 0,
    lost: 0,
  };

  /** Faults by whether anybody can fetch what is missing, the largest first. */
  readonly #quoted: Readonly<Record<'lost' | 'fetched', FaultEntry[]>> = { lost: [], fetched: [] };

  add(entry: FaultEntry): void {
    const { kind, use, chance, weight, tokens, cost } = entry;
    const facts = this.#facts;
    const quoted = this.#quoted[kind === 'lost' ? 'lost' : 'fetched'];
    const at = quoted.findIndex(
      (other) => other.cost < cost || (other.cost === cost && other.tokens < tokens),
    );
    quoted.splice(at === -1 ? quoted.length : at, 0, entry);
    quoted.length = Math.min(quoted.length, MOST_QUOTED);
    for (const each of SURVIVALS) facts[each] += chanceUnder(each, chance);
    if (kind === 'lost') facts.lost += weight;
    // What the recording reads again is part of every run over it.
    else if (use !== 'reread') {
      facts.refetchTokens += weight * tokens;
      facts.refetchNano += weight * cost;
      facts.refetchMostNano += cost;
    }
  }

  finish(end: EndEntry | null): FaultFacts {
    return {
      ...this.#facts,
      quoted: [...this.#quoted.lost, ...this.#quoted.fetched],
      least: end?.leastFaults ?? null,
      leastRefetchTokens: end?.leastRefetchTokens ?? null,
      leastRefetchNano: end?.leastRefetchCost ?? null,
    };
  }
}

/** What one layer did over the run, and what it kept out of the contexts. */
export interface LayerFacts {
  /** Entries of the layer: done + failed + declined. */
  readonly triggers: number;
  readonly done: number;
  readonly failed: number;
  readonly declined: number;
  readonly cacheLost: number;
  readonly calls: number;
  readonly costNanoUsd: number;
  /** Tokens it keeps out of the conversations at their ends; a token that came back is not among them. */
  readonly saved: number;
  /** Those tokens at each request of the loops, summed over the requests: what the prompts did not carry. */
  readonly notCarried: number;
  /** Compactions that it prevented, alone or with others, and those that it only deferred. */
  readonly prevented: number;
  readonly deferred: number;
}

/** What one rule of a policy file did over the run. */
export type RuleFacts = Readonly<Record<LayerEntry['outcome'], number>>;

/** What the layers of a run add up to. */
export interface LayerTotals {
  readonly layers: Readonly<Record<Layer, LayerFacts>>;
  /** By the name of the rule: those that acted. */
  readonly rules: Readonly<Record<string, RuleFacts>>;
  readonly failures: Readonly<Record<string, number>>;
  readonly breaker: { readonly trips: number; readonly skips: number; readonly resets: number };
  /** Compactions that were done, and how they relate to one another. */
  readonly compactions: {
    /** All of them: full, session-memory and reactive; each is one entry of the log. */
    readonly done: number;
    readonly full: number;
    readonly sessionMemory: number;
    readonly reactive: number;
    readonly failed: number;
    /** Part of a chain of compactions (BRK-4). */
    readonly chained: number;
    /** Not asked for by the user, and within one turn of the previous one (BRK-3). */
    readonly thrash: number;
    /** Those whose thread came back to most of its size before, and the calls that took, summed. */
    readonly regrown: number;
    readonly regrowCalls: number;
    /** Made while the user was away; those behind which no request of the thread came, and what these cost. */
    readonly idle: number;
    readonly idleUnused: number;
    readonly idleUnusedNanoUsd: number;
  };
  /** Times the untouched context crossed the threshold and the real one never did, or only later (LOP-3). */
  readonly crossings: { readonly prevented: number; readonly deferred: number };
  readonly storedResults: number;
  /** Files put back after compactions; null when no layer stated a number. */
  readonly restoredFiles: number | null;
  /** Largest distance past a trigger when it fired (WIN-8); null when no layer stated one. */
  readonly overshootTokens: number | null;
  /** Tokens that hooks printed into contexts after compactions (C22). */
  readonly hookTokens: number;
}

/** Name under which failures without a name of their own are counted. */
const UNNAMED_FAILURE = 'unnamed';

/** Tokens out of one conversation, by layer. */
interface ThreadSums {
  readonly id: string;
  readonly out: Float64Array;
  /** What was out when it started as a copy of another; null when it started on its own. */
  readonly inherited: Float64Array | null;
  isTouched: boolean;
}

const INDEX: ReadonlyMap<string, number> = new Map(LAYERS.map((layer, i) => [layer, i]));
/** Share of its size before a compaction at which a context has regrown: triggers fire a little sooner or later. */
const REGROWN_SHARE = 0.8;

const MICROCOMPACT = INDEX.get('microcompact')!;

function emptyLayer(): Mutable<LayerFacts> {
  return {
    triggers: 0,
    done: 0,
    failed: 0,
    declined: 0,
    cacheLost: 0,
    calls: 0,
    costNanoUsd: 0,
    saved: 0,
    notCarried: 0,
    prevented: 0,
    deferred: 0,
  };
}

/** Adds up what layers do, and thread by thread what they keep out; one call per request, which allocates nothing. */
export class LayerFold {
  readonly #layers = recordOf(LAYERS, emptyLayer);
  readonly #failures: Tally = new Map();
  readonly #rules = new Map<string, Mutable<RuleFacts>>();
  readonly #lastCompactionTurn: Tally = new Map();
  /** What the latest compaction of a thread cost, where it came while the user was away and no request has followed. */
  readonly #unused = new Map<string, number>();
  /** Of the latest compaction of a thread: the size that counts as regrown, and the calls since. */
  readonly #regrowing = new Map<string, { readonly tokens: number; calls: number }>();
  readonly #breaker = { trips: 0, skips: 0, resets: 0 };
  readonly #compactions = recordOf(
    [
      'done',
      'full',
      'sessionMemory',
      'reactive',
      'failed',
      'chained',
      'thrash',
      'idle',
      'regrown',
      'regrowCalls',
    ],
    () => 0,
  );
  readonly #threads = new Map<string, ThreadSums>();
  readonly #notCarried = new Float64Array(LAYERS.length);
  #last: ThreadSums | null = null;
  #avoided = 0;
  #made = 0;
  #storedResults = 0;
  #hookTokens = 0;
  #restoredFiles: number | null = null;
  #overshootTokens: number | null = null;

  addThread({ thread, takenOut }: ThreadEntry): void {
    if (!this.#threads.has(thread)) this.#open(thread, takenOut);
  }

  addLayer(entry: LayerEntry): void {
    const { layer, outcome, action, details } = entry;
    const sums = this.#layers[layer];
    sums.triggers += 1;
    sums[outcome] += 1;
    sums.cacheLost += entry.cacheLost;
    sums.calls += entry.calls;
    sums.costNanoUsd += entry.cost;
    this.#takeOut(entry.thread, layer, entry.saved);
    if (outcome === 'failed') addTo(this.#failures, entry.failure ?? UNNAMED_FAILURE, 1);
    // Only this replaces history: keeping notes and dropping or clearing content does not.
    if (action === 'compact') this.#addCompaction(entry);
    if (typeof details.rule === 'string') this.#addRule(details.rule, entry);
    if (layer === 'storage' && action === 'store' && outcome === 'done')
      this.#storedResults += detailAmount(details, 'ids') ?? 0;
    if (layer === 'hooks') this.#hookTokens += detailAmount(details, 'contextTokens') ?? 0;
    const restored = detailAmount(details, 'restoredFiles');
    if (restored !== null) this.#restoredFiles = (this.#restoredFiles ?? 0) + restored;
    this.#overshootTokens = largerOvershoot(this.#overshootTokens, entry);
  }

  #addCompaction({ outcome, layer, trigger, details, thread, turn, cost, trueBefore }: LayerEntry): void {
    const sums = this.#compactions;
    if (outcome === 'failed') sums.failed += 1;
    if (outcome !== 'done') return;
    sums.done += 1;
    if (layer === 'full-compact') sums.full += 1;
    if (layer === 'session-memory') sums.sessionMemory += 1;
    if (layer === 'reactive' || trigger === 'reactive') sums.reactive += 1;
    if (trigger === 'idle') {
      sums.idle += 1;
      this.#unused.set(thread, cost);
    }
    if (details.chained === true) sums.chained += 1;
    const previous = this.#lastCompactionTurn.get(thread);
    const again = previous !== undefined && turn - previous <= 1 && trigger !== 'manual'; // BRK-3
    if (again || details.thrash === true) sums.thrash += 1;
    this.#lastCompactionTurn.set(thread, turn);
    this.#regrowing.set(thread, { tokens: trueBefore * REGROWN_SHARE, calls: 0 });
  }

  #addRule(name: string, { outcome }: LayerEntry): void {
    getOrMake(this.#rules, name, () => ({ done: 0, failed: 0, declined: 0 }))[outcome] += 1;
  }

  addReturned({ thread, layer, tokens }: ReturnedEntry): void {
    this.#takeOut(thread, layer, -tokens);
  }

  addRequest(entry: RequestEntry): void {
    if (entry.purpose !== 'main' && entry.purpose !== 'subagent') return;
    if (this.#unused.size > 0) this.#unused.delete(entry.thread);
    if (this.#regrowing.size > 0) this.#regrow(entry);
    const sums = this.#sumsOf(entry.thread);
    if (!sums.isTouched) return;
    for (let i = 0; i < this.#notCarried.length; i++) this.#notCarried[i]! += sums.out[i]!;
    // Deleted content that is still billed as read was carried after all (MIC-3).
    this.#notCarried[MICROCOMPACT]! -= entry.prompt + entry.output - entry.context;
  }

  #regrow({ thread, context }: RequestEntry): void {
    const since = this.#regrowing.get(thread);
    if (since === undefined) return;
    since.calls += 1;
    if (context < since.tokens) return;
    this.#compactions.regrown += 1;
    this.#compactions.regrowCalls += since.calls;
    this.#regrowing.delete(thread);
  }

  addCrossing({ state, layers }: CrossingEntry): void {
    if (state === 'made') this.#made += 1;
    else this.#avoided += 1;
    for (const layer of layers) {
      this.#layers[layer].deferred += state === 'made' ? 1 : 0;
      this.#layers[layer].prevented += state === 'made' ? -1 : 1;
    }
  }

  addBreaker({ state }: BreakerEntry): void {
    this.#breaker[state === 'tripped' ? 'trips' : state === 'skipped' ? 'skips' : 'resets'] += 1;
  }

  #open(id: string, takenOut: ThreadEntry['takenOut']): ThreadSums {
    const out = Float64Array.from(LAYERS, (layer) => takenOut?.[layer] ?? 0);
    const inherited = takenOut === undefined ? null : out.slice();
    const sums: ThreadSums = { id, out, inherited, isTouched: inherited !== null };
    this.#threads.set(id, sums);
    return sums;
  }

  #sumsOf(id: string): ThreadSums {
    if (this.#last?.id !== id) this.#last = this.#threads.get(id) ?? this.#open(id, undefined);
    return this.#last;
  }

  #takeOut(thread: string, layer: Layer, tokens: number): void {
    if (tokens === 0) return;
    const sums = this.#sumsOf(thread);
    sums.out[INDEX.get(layer)!]! += tokens;
    sums.isTouched = true;
  }

  #savedBy(index: number): number {
    let saved = 0;
    for (const { out, inherited } of this.#threads.values())
      saved += inherited === null ? out[index]! : Math.max(0, out[index]! - inherited[index]!);
    return saved;
  }

  finish(): LayerTotals {
    return {
      layers: recordOf(LAYERS, (layer) => {
        const index = INDEX.get(layer)!;
        const facts = { ...this.#layers[layer] };
        facts.saved = this.#savedBy(index);
        facts.notCarried = this.#notCarried[index]!;
        return facts;
      }),
      rules: sortedRecord<RuleFacts>(this.#rules),
      failures: sortedRecord(this.#failures),
      breaker: this.#breaker,
      compactions: {
        ...this.#compactions,
        idleUnused: this.#unused.size,
        idleUnusedNanoUsd: sum([...this.#unused.values()]),
      },
      crossings: { prevented: this.#avoided - this.#made, deferred: this.#made },
      storedResults: this.#storedResults,
      restoredFiles: this.#restoredFiles,
      overshootTokens: this.#overshootTokens,
      hookTokens: this.#hookTokens,
    };
  }
}

/** The larger of an overshoot and that of an entry, where it states one. */
export function largerOvershoot(before: number | null, { details }: LayerEntry): number | null {
  const overshoot = detailAmount(details, 'overshoot');
  return overshoot === null ? before : Math.max(before ?? overshoot, overshoot);
}
