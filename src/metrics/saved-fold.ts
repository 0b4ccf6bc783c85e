import {
  type CrossingEntry,
  LAYERS,
  type Layer,
  type LayerEntry,
  type RequestEntry,
  type ReturnedEntry,
  type ThreadEntry,
} from '../core/run/run-log.js';
import { recordOf } from './tally.js';

/** What one layer kept out of the contexts, and what that prevented. */
export interface SavedFacts {
  /** Tokens it keeps out of the conversations at their ends; a token that came back is not among them. */
  readonly saved: number;
  /** Those tokens at each request of the loops, summed over the requests: what the prompts did not carry. */
  readonly notCarried: number;
  /** Compactions that it prevented, alone or with others, and those that it only put off. */
  readonly prevented: number;
  readonly putOff: number;
}

/** What layers kept out of the contexts of a run. */
export interface SavedTotals {
  readonly byLayer: Readonly<Record<Layer, SavedFacts>>;
  /** Times the untouched context crossed the threshold and the real one never did; each counts once. */
  readonly prevented: number;
  /** Times the real one did later. */
  readonly putOff: number;
}

/** Adds up what layers keep out, thread by thread; one call per request, which allocates nothing. */
export interface SavedFold {
  addThread(entry: ThreadEntry): void;
  addLayer(entry: LayerEntry): void;
  addReturned(entry: ReturnedEntry): void;
  addRequest(entry: RequestEntry): void;
  addCrossing(entry: CrossingEntry): void;
  finish(): SavedTotals;
}

/** Tokens out of one conversation, by layer. */
interface ThreadSums {
  readonly id: string;
  readonly out: Float64Array;
  /** What was out when it started as a copy of another; null when it started on its own. */
  readonly inherited: Float64Array | null;
  isTouched: boolean;
}

const INDEX: ReadonlyMap<string, number> = new Map(LAYERS.map((layer, i) => [layer, i]));
const MICROCOMPACT = INDEX.get('microcompact')!;

/** Creates an empty fold. */
export function createSavedFold(): SavedFold {
  const threads = new Map<string, ThreadSums>();
  const notCarried = new Float64Array(LAYERS.length);
  const avoidedBy = new Float64Array(LAYERS.length);
  const madeAfter = new Float64Array(LAYERS.length);
  let avoided = 0;
  let made = 0;
  let last: ThreadSums | null = null;

  const open = (id: string, takenOut: ThreadEntry['takenOut']): ThreadSums => {
    const out = Float64Array.from(LAYERS, (layer) => takenOut?.[layer] ?? 0);
    const inherited = takenOut === undefined ? null : out.slice();
    const sums: ThreadSums = { id, out, inherited, isTouched: inherited !== null };
    threads.set(id, sums);
    return sums;
  };

  const of = (id: string): ThreadSums => {
    if (last?.id !== id) last = threads.get(id) ?? open(id, undefined);
    return last;
  };

  const add = (id: string, layer: Layer, tokens: number): void => {
    if (tokens === 0) return;
    const sums = of(id);
    sums.out[INDEX.get(layer)!]! += tokens;
    sums.isTouched = true;
  };

  const savedBy = (index: number): number => {
    let saved = 0;
    for (const { out, inherited } of threads.values())
      saved += inherited === null ? out[index]! : Math.max(0, out[index]! - inherited[index]!);
    return saved;
  };

  return {
    addThread(entry) {
      if (!threads.has(entry.thread)) open(entry.thread, entry.takenOut);
    },
    addLayer: (entry) => add(entry.thread, entry.layer, entry.saved),
    addReturned: (entry) => add(entry.thread, entry.layer, -entry.tokens),
    addRequest(entry) {
      if (entry.purpose !== 'main' && entry.purpose !== 'subagent') return;
      const sums = of(entry.thread);
      if (!sums.isTouched) return;
      for (let i = 0; i < notCarried.length; i++) notCarried[i]! += sums.out[i]!;
      // Deleted content that is still billed as read was carried after all (MIC-3).
      notCarried[MICROCOMPACT]! -= entry.prompt + entry.output - entry.context;
    },
    addCrossing({ state, layers }) {
      if (state === 'made') made += 1;
      else avoided += 1;
      const sums = state === 'made' ? madeAfter : avoidedBy;
      for (const layer of layers) sums[INDEX.get(layer)!]! += 1;
    },
    finish: () => ({
      byLayer: recordOf(LAYERS, (layer) => {
        const index = INDEX.get(layer)!;
        return {
          saved: savedBy(index),
          notCarried: notCarried[index]!,
          prevented: avoidedBy[index]! - madeAfter[index]!,
          putOff: madeAfter[index]!,
        };
      }),
      prevented: avoided - made,
      putOff: made,
    }),
  };
}
