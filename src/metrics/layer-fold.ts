import type { Mutable } from '../core/base/mutable.js';
import { type BreakerEntry, LAYERS, type Layer, type LayerEntry } from '../core/run/run-log.js';
import type { LayerFacts, RuleFacts, RunFacts } from './facts.js';
import type { SavedFacts } from './saved-fold.js';
import { addTo, detailAmount, recordOf, sortedRecord, type Tally } from './tally.js';

/** What the layers of a run add up to, besides what they kept out of the contexts. */
export type LayerTotals = Pick<
  RunFacts,
  | 'failures'
  | 'rules'
  | 'breaker'
  | 'compactions'
  | 'storedResults'
  | 'restoredFiles'
  | 'overshootTokens'
  | 'hookTokens'
> & { readonly layers: Readonly<Record<Layer, Acts>> };

/** What one layer did. */
type Acts = Omit<LayerFacts, keyof SavedFacts>;

/** Adds up layer and breaker entries. */
export interface LayerFold {
  addLayer(entry: LayerEntry): void;
  addBreaker(entry: BreakerEntry): void;
  finish(): LayerTotals;
}

/** Name under which failures without a name of their own are counted. */
const UNNAMED_FAILURE = 'unnamed';

function emptyLayer(): Mutable<Acts> {
  return { triggers: 0, done: 0, failed: 0, declined: 0, cacheLost: 0, calls: 0, costNanoUsd: 0 };
}

/** True for an entry that replaces history: keeping notes and dropping or clearing content is none. */
function isCompaction(entry: LayerEntry): boolean {
  return entry.action === 'compact';
}

/** Creates an empty fold over layer and breaker entries. */
export function createLayerFold(): LayerFold {
  const layers = recordOf(LAYERS, emptyLayer);
  const failures: Tally = new Map();
  const rules = new Map<string, Mutable<RuleFacts>>();
  const lastCompactionTurn: Tally = new Map();
  const breaker = { trips: 0, skips: 0, resets: 0 };
  const compactions = { done: 0, full: 0, sessionMemory: 0, reactive: 0, failed: 0, chained: 0, thrash: 0 };
  let storedResults = 0;
  let hookTokens = 0;
  let restoredFiles: number | null = null;
  let overshootTokens: number | null = null;

  const addCompaction = (entry: LayerEntry): void => {
    if (entry.outcome === 'failed') compactions.failed += 1;
    if (entry.outcome !== 'done') return;
    compactions.done += 1;
    if (entry.layer === 'full-compact') compactions.full += 1;
    if (entry.layer === 'session-memory') compactions.sessionMemory += 1;
    if (entry.layer === 'reactive' || entry.trigger === 'reactive') compactions.reactive += 1;
    if (entry.details.chained === true) compactions.chained += 1;
    const previous = lastCompactionTurn.get(entry.thread);
    const again = previous !== undefined && entry.turn - previous <= 1 && entry.trigger !== 'manual'; // BRK-3
    if (again || entry.details.thrash === true) compactions.thrash += 1;
    lastCompactionTurn.set(entry.thread, entry.turn);
  };

  const addRule = (name: string, { outcome }: LayerEntry): void => {
    let sums = rules.get(name);
    if (sums === undefined) {
      sums = { done: 0, failed: 0, declined: 0 };
      rules.set(name, sums);
    }
    sums[outcome] += 1;
  };

  return {
    addLayer(entry) {
      const sums = layers[entry.layer];
      sums.triggers += 1;
      sums[entry.outcome] += 1;
      sums.cacheLost += entry.cacheLost;
      sums.calls += entry.calls;
      sums.costNanoUsd += entry.cost;
      if (entry.outcome === 'failed') addTo(failures, entry.failure ?? UNNAMED_FAILURE, 1);
      if (isCompaction(entry)) addCompaction(entry);
      if (typeof entry.details.rule === 'string') addRule(entry.details.rule, entry);
      if (entry.layer === 'storage' && entry.action === 'store' && entry.outcome === 'done') {
        storedResults += detailAmount(entry.details, 'ids') ?? 0;
      }
      if (entry.layer === 'hooks') hookTokens += detailAmount(entry.details, 'contextTokens') ?? 0;
      const restored = detailAmount(entry.details, 'restoredFiles');
      if (restored !== null) restoredFiles = (restoredFiles ?? 0) + restored;
      const overshoot = detailAmount(entry.details, 'overshoot');
      if (overshoot !== null) overshootTokens = Math.max(overshootTokens ?? overshoot, overshoot);
    },
    addBreaker(entry) {
      if (entry.state === 'tripped') breaker.trips += 1;
      else if (entry.state === 'skipped') breaker.skips += 1;
      else breaker.resets += 1;
    },
    finish: () => ({
      layers,
      failures: sortedRecord(failures),
      rules: sortedRecord<RuleFacts>(rules),
      breaker,
      compactions,
      storedResults,
      restoredFiles,
      overshootTokens,
      hookTokens,
    }),
  };
}
