import { sha256Hex } from '../core/base/digest.js';
import { mean, meanInterval } from '../core/base/stats.js';
import { isFinished } from './completeness.js';
import type { MetricRecord } from './job.js';

/** The sessions of a search: it looks at one half, and its answer is tried on the other. */
export interface Halves {
  readonly searched: readonly string[];
  readonly heldOut: readonly string[];
}

/** Fewest sessions that are split: an interval needs two on each side. */
const LEAST_SESSIONS = 4;

/** A session as far as its half is concerned. */
export interface SplitSession {
  readonly label: string;
  /** Its content, in short. */
  readonly key: string;
  /** About how long it is. */
  readonly calls: number;
}

/**
 * Splits sessions into halves alike in length: of each two that follow each other in length one goes into either half, by their content
 * and the seed, so that neither names nor order decide. Money lies in the few long sessions, and a half without them says nothing about
 * them. Null where there are too few.
 */
export function splitSessions(sessions: readonly SplitSession[], seed: number): Halves | null {
  const once = new Map<string, SplitSession>();
  for (const session of sessions) if (!once.has(session.label)) once.set(session.label, session);
  if (once.size < LEAST_SESSIONS) return null;
  const lot = ({ key }: SplitSession): string => sha256Hex(`${seed} ${key}`);
  const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = [...once.values()].sort((a, b) => b.calls - a.calls || byText(a.key, b.key));
  const chosen = new Set<string>();
  for (let i = 0; i < sorted.length; i += 2) {
    const [first] = sorted.slice(i, i + 2).sort((a, b) => byText(lot(a), lot(b)));
    chosen.add(first!.label);
  }
  const labels = [...once.keys()];
  return {
    searched: labels.filter((label) => chosen.has(label)),
    heldOut: labels.filter((label) => !chosen.has(label)),
  };
}

/** What a setting saves against the scenario as it is, for one session on average. */
export interface Saving {
  readonly mean: number;
  /** Of what the scenario as it is comes to; null where that is nothing. */
  readonly share: number | null;
  /** 95 % interval; null with fewer than two sessions. */
  readonly low: number | null;
  readonly high: number | null;
  /** Sessions that both finished. */
  readonly sessions: number;
}

/** Share of samples whose interval holds. */
const COVERAGE = 0.95;

/** Runs of one setting by session. */
type Runs = ReadonlyMap<string, MetricRecord | null>;

/** The saving over some sessions; with `ahead` the interval is for the mean over that many other sessions of the same kind. @internal */
export function savingOf(
  { base, tuned, metric, sign }: { base: Runs; tuned: Runs; metric: string; sign: 1 | -1 },
  sessions: readonly string[],
  ahead: number | null,
): Saving | null {
  const saved: number[] = [];
  const before: number[] = [];
  for (const label of sessions) {
    const [was, is] = [base.get(label), tuned.get(label)];
    if (!isFinished(was) || !isFinished(is)) continue;
    const [a, b] = [was?.[metric] ?? null, is?.[metric] ?? null];
    if (a === null || b === null) continue;
    saved.push(sign * (a - b));
    before.push(a);
  }
  const average = mean(saved);
  if (average === null) return null;
  const usual = mean(before)!;
  const interval = meanInterval(saved, COVERAGE);
  const widen = ahead === null ? 1 : Math.sqrt(1 + saved.length / ahead);
  const reach = interval === null ? null : ((interval.high - interval.low) / 2) * widen;
  return {
    mean: average,
    share: usual === 0 ? null : average / Math.abs(usual),
    low: reach === null ? null : average - reach,
    high: reach === null ? null : average + reach,
    sessions: saved.length,
  };
}

/** What a search promised on the sessions it looked at, and what came of it on the others. */
export interface OutOfSample extends Halves {
  /** Its interval is for the sessions that were held out. */
  readonly promised: Saving | null;
  readonly realised: Saving | null;
  /** Whether the realised saving lies in the promised interval; null where there is none. */
  readonly isWithin: boolean | null;
  /** Why the setting does not qualify; null where it does. */
  readonly refusal: string | null;
}

/** Holds a promise against what came of it. */
export function outOfSample(
  halves: Halves,
  runs: { base: Runs; tuned: Runs; metric: string; sign: 1 | -1 },
  broken: readonly string[],
): OutOfSample {
  const realised = savingOf(runs, halves.heldOut, null);
  const promised = savingOf(runs, halves.searched, realised?.sessions ?? halves.heldOut.length);
  const unfinished = halves.heldOut.filter(
    (label) => isFinished(runs.base.get(label)) && !isFinished(runs.tuned.get(label)),
  );
  const refusal =
    promised === null || promised.mean <= 0
      ? 'no setting is better than the scenario as it is on the sessions that were searched'
      : unfinished.length > 0
        ? `the best setting does not finish ${unfinished.join(', ')}, which the scenario as it is finishes`
        : broken.length > 0
          ? `the best setting breaks ${broken.join(' and ')} on sessions that were held out`
          : null;
  const { low = null, high = null } = promised ?? {};
  const isWithin =
    realised === null || low === null || high === null ? null : realised.mean >= low && realised.mean <= high;
  return { ...halves, promised, realised, isWithin, refusal };
}
