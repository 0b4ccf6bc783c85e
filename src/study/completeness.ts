import { getOrMake } from '../core/base/once.js';
import { ownValue } from '../core/base/own-value.js';
import { mean, ratio } from '../core/base/stats.js';
import { type Expectation, holds } from '../metrics/expect.js';
import type { Metric } from '../metrics/metric.js';
import { findMetric } from '../metrics/registry.js';
import type { MetricRecord } from './job.js';

/** Runs by the name of their transcript; null for one that failed. There may be thousands: they are best gone through once. */
export type RunsBySession = Pick<
  ReadonlyMap<string, MetricRecord | null>,
  'get' | 'keys' | 'values' | 'size' | typeof Symbol.iterator
>;

/** What a variant came to. */
export interface VariantRuns {
  readonly name: string;
  readonly byTranscript: RunsBySession;
}

/** A run in which calls were lost, or which failed: then neither number is known. */
export interface UnfinishedRun {
  readonly transcript: string;
  readonly callsAnswered: number | null;
  readonly callsLost: number | null;
}

/** `ranked`: it may win. `unranked`: it is shown beside them, but lost calls. `apart`: it has no finished run to compare. */
export type Standing = 'ranked' | 'unranked' | 'apart';

/** How far a variant came. */
export interface VariantCompleteness {
  readonly name: string;
  readonly standing: Standing;
  /** Transcripts it was run over, and how many of them it finished. */
  readonly run: number;
  readonly finished: number;
  /** How many of the compared transcripts its means are over. */
  readonly compared: number;
  readonly unfinished: readonly UnfinishedRun[];
}

/** What of a study can be compared. */
export interface Completeness {
  readonly transcripts: readonly string[];
  /** Those that some variant finished. */
  readonly finished: readonly string[];
  /** Those that every ranked variant finished: means and differences are taken over them. */
  readonly compared: readonly string[];
  readonly variants: readonly VariantCompleteness[];
}

/** A transcript that is not compared, with the variants that did not finish it; null stands for one that was not run over it. */
export interface LeftOut {
  readonly transcript: string;
  readonly under: readonly { readonly name: string; readonly run: UnfinishedRun | null }[];
}

/** The metrics that say how far a run came; for a variant they are taken over all its transcripts, finished or not. */
const COMPLETION_METRICS: readonly string[] = ['callsAnswered', 'callsLost'];

/** Every call of the transcript was answered. */
export function isFinished(record: MetricRecord | null | undefined): boolean {
  return record?.finishedShare === 1;
}

/** Whether a value is at least this and may be more: a cost that leaves out requests of models without a price. */
export function isLeast(metrics: MetricRecord | undefined, metric: string): boolean {
  return findMetric(metric)?.unit === 'usd' && (metrics?.unpricedRequests ?? 0) > 0;
}

/** Whether nobody knows that a cost is the least: it leaves out more requests without a price than another one. */
export function leavesOutMore(own: MetricRecord, all: readonly MetricRecord[], metric: string): boolean {
  const left = ({ unpricedRequests }: MetricRecord): number => unpricedRequests ?? 0;
  return isLeast(own, metric) && all.some((other) => left(other) < left(own));
}

/** Calls that a run settled: answered, or not made because another agent had ended theirs, which is no work left (C36). */
function answeredIn(record: MetricRecord | null): number {
  return record === null ? -1 : (record.callsAnswered ?? 0) + (record.callsNotMade ?? 0);
}

function unfinishedRun(transcript: string, record: MetricRecord | null): UnfinishedRun {
  const { callsAnswered = null, callsLost = null } = record ?? {};
  return { transcript, callsAnswered, callsLost };
}

function unfinishedOf({ byTranscript }: VariantRuns): readonly UnfinishedRun[] {
  const open: UnfinishedRun[] = [];
  for (const [transcript, record] of byTranscript)
    if (!isFinished(record)) open.push(unfinishedRun(transcript, record));
  return open;
}

/** The transcripts that some variant finished. */
function finishedBySome(variants: readonly VariantRuns[]): ReadonlySet<string> {
  const finished = new Set<string>();
  for (const { byTranscript } of variants) {
    for (const [transcript, record] of byTranscript) if (isFinished(record)) finished.add(transcript);
  }
  return finished;
}

/** The variants that finished every one of their transcripts that any variant finished. */
function foremostOf(variants: readonly VariantRuns[], finished: ReadonlySet<string>): readonly VariantRuns[] {
  return variants.filter(({ byTranscript }) => {
    let isPart = false;
    for (const [name, record] of byTranscript) {
      if (isFinished(record)) isPart = true;
      else if (finished.has(name)) return false;
    }
    return isPart;
  });
}

/** The foremost, unless they lost calls that one of them, or any other variant, answered: unfinished work never wins. */
function rankedOf(
  variants: readonly VariantRuns[],
  foremost: readonly VariantRuns[],
): ReadonlySet<VariantRuns> {
  const most = new Map<string, number>();
  for (const { byTranscript } of variants) {
    for (const [transcript, record] of byTranscript)
      most.set(transcript, Math.max(most.get(transcript) ?? -1, answeredIn(record)));
  }
  const isAlike = foremost.every(({ byTranscript }) => {
    for (const [transcript, record] of byTranscript)
      if (answeredIn(record) !== most.get(transcript)) return false;
    return true;
  });
  const [first, second] = foremost;
  const isAlone = first !== undefined && second === undefined && unfinishedOf(first).length > 0;
  return new Set(isAlike && !isAlone ? foremost : []);
}

/**
 * Finds what can be compared and ranked. A variant is ranked when it finished every transcript that any variant finished; one that
 * did not takes no transcript from the others. A transcript that none finished is left out, and ends the ranking where it broke off
 * at different calls. Where no variant is foremost, those are compared that every variant with a finished run finished.
 */
export function completenessOf(variants: readonly VariantRuns[]): Completeness {
  const transcripts = [...new Set(variants.flatMap(({ byTranscript }) => [...byTranscript.keys()]))];
  const finished = finishedBySome(variants);
  const foremost = foremostOf(variants, finished);
  const takesPart = ({ byTranscript }: VariantRuns): boolean => {
    for (const record of byTranscript.values()) if (isFinished(record)) return true;
    return false;
  };
  const deciding = foremost.length > 0 ? foremost : variants.filter(takesPart);
  const compared = transcripts.filter(
    (transcript) =>
      deciding.length > 0 && deciding.every(({ byTranscript }) => isFinished(byTranscript.get(transcript))),
  );
  const ranked = rankedOf(variants, foremost);
  const standingOf = (variant: VariantRuns): Standing => {
    if (compared.length === 0 || !takesPart(variant)) return 'apart';
    return ranked.has(variant) ? 'ranked' : 'unranked';
  };
  return {
    transcripts,
    finished: [...finished],
    compared,
    variants: variants.map((variant) => {
      const unfinished = unfinishedOf(variant);
      return {
        name: variant.name,
        standing: standingOf(variant),
        run: variant.byTranscript.size,
        finished: variant.byTranscript.size - unfinished.length,
        compared: finishedOf(variant, compared).length,
        unfinished,
      };
    }),
  };
}

/** The variants were run over different transcripts, and none is common to all. */
export function isApart({ variants, transcripts, compared }: Completeness): boolean {
  return compared.length === 0 && variants.some(({ run }) => run < transcripts.length);
}

/** The transcripts that are not compared, and because of whom; empty if the variants have none in common. */
export function leftOutOf(variants: readonly VariantRuns[], completeness: Completeness): readonly LeftOut[] {
  if (isApart(completeness)) return [];
  const compared = new Set(completeness.compared);
  return completeness.transcripts
    .filter((transcript) => !compared.has(transcript))
    .map((transcript) => ({
      transcript,
      under: variants.flatMap(({ name, byTranscript }): LeftOut['under'] => {
        const record = byTranscript.get(transcript);
        if (record === undefined) return [{ name, run: null }];
        return isFinished(record) ? [] : [{ name, run: unfinishedRun(transcript, record) }];
      }),
    }));
}

/** The mean of each metric over the records that have a value for it; of all metrics where none are named. */
export function meansOf(records: Iterable<MetricRecord | null>, names?: readonly string[]): MetricRecord {
  const sums = new Map<string, { total: number; count: number }>();
  for (const record of records) {
    if (record === null) continue;
    for (const name of names ?? Object.keys(record)) {
      const sum = getOrMake(sums, name, () => ({ total: 0, count: 0 }));
      const value = ownValue(record, name) ?? null;
      if (value === null) continue;
      sum.total += value;
      sum.count++;
    }
  }
  return Object.fromEntries([...sums].map(([name, { total, count }]) => [name, ratio(total, count)]));
}

/** Those of some transcripts that a variant finished. */
export function finishedOf({ byTranscript }: VariantRuns, transcripts: readonly string[]): readonly string[] {
  return transcripts.filter((transcript) => isFinished(byTranscript.get(transcript)));
}

/** The records of a variant that its means are taken over: those compared that it finished, or all where there are none. */
function* recordsOf({ byTranscript }: VariantRuns, { compared }: Completeness): Generator<MetricRecord> {
  let hasFinished = false;
  for (const transcript of compared) {
    const record = byTranscript.get(transcript);
    if (record == null || !isFinished(record)) continue;
    hasFinished = true;
    yield record;
  }
  if (hasFinished) return;
  for (const record of byTranscript.values()) if (record !== null) yield record;
}

/** The means of a variant over the compared transcripts; how far it came is measured over all of them. */
export function variantMeans(variant: VariantRuns, completeness: Completeness): MetricRecord {
  const came = meansOf(variant.byTranscript.values(), COMPLETION_METRICS);
  const shares: number[] = [];
  for (const record of variant.byTranscript.values()) {
    const share = record === null ? 0 : (record.finishedShare ?? null);
    if (share !== null) shares.push(share);
  }
  return {
    ...meansOf(recordsOf(variant, completeness)),
    ...Object.fromEntries(COMPLETION_METRICS.map((name) => [name, ownValue(came, name) ?? null])),
    finishedShare: mean(shares),
  };
}

/** A condition that does not hold in some runs of a variant: the transcripts of those, and the values there. */
export interface BrokenRule {
  readonly rule: string;
  readonly runs: readonly { readonly transcript: string; readonly value: number | null }[];
}

/** The conditions that a variant does not meet in every run. It decides for `compare` and `tune` alike. */
export function brokenRules(
  { byTranscript }: Pick<VariantRuns, 'byTranscript'>,
  rules: readonly Expectation[],
): readonly BrokenRule[] {
  return rules.flatMap((rule) => {
    const runs: BrokenRule['runs'][number][] = [];
    for (const [transcript, record] of byTranscript) {
      const value = ownValue(record, rule.metric) ?? null;
      if (record !== null && !holds(rule, value)) runs.push({ transcript, value });
    }
    return runs.length === 0 ? [] : [{ rule: rule.text, runs }];
  });
}

/** Of how many compared transcripts each variant that finished them all has a value, for each of some metrics. */
export function valueCounts(
  variants: readonly VariantRuns[],
  completeness: Completeness,
  metrics: readonly string[],
): readonly (readonly number[])[] {
  const counts = metrics.map((): number[] => []);
  for (const [i, variant] of variants.entries()) {
    if (completeness.variants[i]!.compared !== completeness.compared.length) continue;
    for (const own of counts) own.push(0);
    for (const record of recordsOf(variant, completeness))
      for (const [at, metric] of metrics.entries())
        if ((ownValue(record, metric) ?? null) !== null) counts[at]![counts[at]!.length - 1]!++;
  }
  return counts;
}

/** Something with values and a place in a study. */
interface Measured {
  readonly metrics: MetricRecord;
  readonly completeness: VariantCompleteness;
}

/**
 * The ranked one with the best value of a metric: the first of equals, null if no direction is better or nothing is ranked. It decides
 * for `sweep` and `tune` alike.
 */
export function bestRanked<Item extends Measured>(
  items: readonly Item[],
  { name, better }: Pick<Metric, 'name' | 'better'>,
): Item | null {
  let best: Item | null = null;
  for (const item of items) {
    const value = ownValue(item.metrics, name) ?? null;
    if (better === null || value === null || item.completeness.standing !== 'ranked') continue;
    const record = ownValue(best?.metrics, name) ?? null;
    if (record === null || (better === 'lower' ? value < record : value > record)) best = item;
  }
  return best;
}
