/** How the runs of a study are cut: batches are what one worker does at a time, parts are what is kept. */
export interface Partition {
  readonly runs: number;
  readonly batchRuns: number;
  readonly batches: number;
  readonly batchesPerPart: number;
  readonly parts: number;
}

/** Runs of a batch: long enough that handing it out costs nothing, short enough to be spread evenly. */
const BATCH_RUNS = 1_000;

/** Fewest batches of a study, so that machines can share a small one. */
const LEAST_BATCHES = 32;

/** Fewest rows of a part, except the last one: columns of fewer are slow to read. */
const PART_ROWS = 5_000;

/** Cuts a study; the cut depends on its size alone, so that all machines agree on it. */
export function partitionOf(runs: number): Partition {
  const batchRuns = Math.max(1, Math.min(BATCH_RUNS, Math.ceil(runs / LEAST_BATCHES)));
  const batches = Math.ceil(runs / batchRuns);
  const batchesPerPart = Math.ceil(PART_ROWS / batchRuns);
  return { runs, batchRuns, batches, batchesPerPart, parts: Math.ceil(batches / batchesPerPart) };
}

/** A run of whole numbers, the end not included. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The runs of a batch. */
export function runsOfBatch({ batchRuns, runs }: Partition, batch: number): Span {
  return { from: batch * batchRuns, to: Math.min(runs, (batch + 1) * batchRuns) };
}

/** The part that a batch belongs to. */
export function partOfBatch({ batchesPerPart }: Partition, batch: number): number {
  return Math.floor(batch / batchesPerPart);
}

/** The batches of a part. */
export function batchesOfPart({ batchesPerPart, batches }: Partition, part: number): Span {
  return { from: part * batchesPerPart, to: Math.min(batches, (part + 1) * batchesPerPart) };
}

/** The runs of a part. */
export function runsOfPart(partition: Partition, part: number): Span {
  const { from, to } = batchesOfPart(partition, part);
  return { from: runsOfBatch(partition, from).from, to: runsOfBatch(partition, to - 1).to };
}

/** One machine's share of a study: `index` of `of`, counted from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/**
 * The batches of a shard. The most expensive goes first, each to the shard that has least to do, so that no two shards are further apart
 * than one batch; equal ones are dealt in turns, which spreads settings that are slow.
 */
export function batchesOfShard(costs: readonly number[], { index, of }: Shard): readonly number[] {
  const order = costs.map((_, batch) => batch).sort((a, b) => costs[b]! - costs[a]!);
  const loads = new Array<number>(of).fill(0);
  const own: number[] = [];
  for (const batch of order) {
    let least = 0;
    for (let shard = 1; shard < of; shard++) if (loads[shard]! < loads[least]!) least = shard;
    loads[least]! += costs[batch]!;
    if (least === index - 1) own.push(batch);
  }
  return own.sort((a, b) => a - b);
}
