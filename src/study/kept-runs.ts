import { getOrMake } from '../core/base/once.js';
import type { MetricRecord } from './job.js';

/** One finished run, addressed by the digest of its plan and transcript. */
export interface StoredResult {
  readonly key: string;
  readonly metrics: MetricRecord;
  readonly skipped: readonly string[];
}

/** Runs of one block: as many rows as its columns have. */
const BLOCK_RUNS = 512;

/** Runs with the same metrics: the first as it is, and a column for each metric in which another one differs. */
class Block {
  readonly #first: MetricRecord;
  readonly #names: readonly string[];
  readonly #values: readonly (number | null)[];
  /** By the place of the metric; none if all runs are like the first. */
  readonly #columns: (Float64Array | undefined)[] = [];
  readonly #named: (readonly [string, Float64Array])[] = [];
  #size = 0;

  constructor(first: MetricRecord) {
    this.#first = first;
    this.#names = Object.keys(first);
    this.#values = Object.values(first);
  }

  /** The place of a run that was added; null if it does not fit in. */
  add(metrics: MetricRecord): number | null {
    if (this.#size === BLOCK_RUNS || !this.#hasNamesOf(metrics)) return null;
    const at = this.#size++;
    const values = Object.values(metrics);
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      let column = this.#columns[i];
      if (column === undefined) {
        const first = this.#values[i]!;
        if (Object.is(value, first)) continue;
        column = new Float64Array(BLOCK_RUNS).fill(first ?? Number.NaN);
        this.#columns[i] = column;
        this.#named.push([this.#names[i]!, column]);
      }
      column[at] = value ?? Number.NaN;
    }
    return at;
  }

  get(at: number): MetricRecord {
    const own = this.#named.map(([name, column]): [string, number | null] => {
      const value = column[at]!;
      return [name, Number.isNaN(value) ? null : value];
    });
    return { ...this.#first, ...Object.fromEntries(own) };
  }

  #hasNamesOf(metrics: MetricRecord): boolean {
    let i = 0;
    for (const name in metrics) if (name !== this.#names[i++]) return false;
    return i === this.#names.length;
  }
}

/** Finished runs by their address. Their metrics are in columns; a record is made each time it is asked for. */
export class KeptRuns {
  readonly #blocks: Block[] = [];
  readonly #places = new Map<string, number>();
  /** What each run left out; equal lists are one. */
  readonly #skipped: (readonly string[])[] = [];
  readonly #lists = new Map<string, readonly string[]>();

  get size(): number {
    return this.#places.size;
  }

  keys(): Iterable<string> {
    return this.#places.keys();
  }

  set(key: string, { metrics, skipped }: StoredResult): void {
    let at = this.#blocks.at(-1)?.add(metrics) ?? null;
    if (at === null) {
      const block = new Block(metrics);
      this.#blocks.push(block);
      at = block.add(metrics)!;
    }
    const place = (this.#blocks.length - 1) * BLOCK_RUNS + at;
    this.#places.set(key, place);
    this.#skipped[place] = getOrMake(this.#lists, skipped.join('\n'), () => skipped);
  }

  get(key: string): StoredResult | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    const metrics = this.#blocks[Math.floor(place / BLOCK_RUNS)]!.get(place % BLOCK_RUNS);
    return { key, metrics, skipped: this.#skipped[place]! };
  }
}
