import { sha256Hex } from '../core/base/digest.js';
import { ownValue } from '../core/base/own-value.js';
import { mean, meanInterval } from '../core/base/stats.js';
import { isFinished, type RunsBySession } from './completeness.js';

/** The sessions of a search in halves: what one of them would choose is tried on the other. */
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

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sessions by their length, in an order that neither names nor places decide. */
export function longestFirst(sessions: readonly SplitSession[]): readonly SplitSession[] {
  return [...sessions].sort((a, b) => b.calls - a.calls || byText(a.key, b.key));
}

/**
 * Splits sessions into halves alike in length: of each two that follow each other in length one goes into either half, by their content
 * and the seed, so that neither names nor order decide. Money lies in the few long sessions, and a half without them says nothing about
 * them. Null if there are too few.
 */
export function splitSessions(sessions: readonly SplitSession[], seed: number): Halves | null {
  const once = new Map<string, SplitSession>();
  for (const session of sessions) if (!once.has(session.label)) once.set(session.label, session);
  if (once.size < LEAST_SESSIONS) return null;
  const lot = ({ key }: SplitSession): string => sha256Hex(`${seed} ${key}`);
  const sorted = longestFirst([...once.values()]);
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

/** What a setting saves against the unchanged scenario, for one session on average. */
export interface Saving {
  readonly mean: number;
  /** Of what the unchanged scenario comes to; null if that is nothing. */
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
type Runs = Pick<RunsBySession, 'get'>;

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
    const [a, b] = [ownValue(was, metric) ?? null, ownValue(is, metric) ?? null];
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

/** What the best setting saves on the sessions that chose it. */
export interface InSample {
  /** What the optimum over all sessions saves on them: the most that can be hoped for. Null if they cannot be compared. */
  readonly inSample: Saving | null;
  /** Why the optimum does not qualify; null if it does. */
  readonly refusal: string | null;
}

/** What a search would have promised on one half of the sessions, and what came of it on the other. */
export interface OutOfSample extends Halves, InSample {
  /** What the searched half alone would choose; null if it would choose nothing. */
  readonly settings: Readonly<Record<string, string>> | null;
  /** Its interval is for the sessions that were held out. */
  readonly promised: Saving | null;
  readonly realised: Saving | null;
  /** Whether the realised saving lies in the promised interval; null if there is none. */
  readonly isWithin: boolean | null;
}

/** What a choice is held against. */
export interface Choices {
  readonly base: Runs;
  /** The optimum over all sessions. */
  readonly optimum: Runs;
  /** What the searched half chooses, with the constraints that it breaks on the other; null if it chooses nothing. */
  readonly chosen: {
    readonly runs: Runs;
    readonly settings: Readonly<Record<string, string>>;
    readonly broken: readonly string[];
  } | null;
  readonly metric: string;
  readonly sign: 1 | -1;
}

/** Sessions that the unchanged scenario finishes and a setting does not. */
function unfinishedOf(runs: Runs, base: Runs, sessions: readonly string[]): readonly string[] {
  return sessions.filter((label) => isFinished(base.get(label)) && !isFinished(runs.get(label)));
}

/** Holds the optimum against the unchanged scenario, on the sessions that chose it. */
export function inSampleOf(
  { base, optimum, metric, sign }: Omit<Choices, 'chosen'>,
  sessions: readonly string[],
): InSample {
  const inSample = savingOf({ base, tuned: optimum, metric, sign }, sessions, null);
  const open = unfinishedOf(optimum, base, sessions);
  const refusal =
    inSample !== null && inSample.mean <= 0
      ? 'no setting is better than the unchanged scenario'
      : open.length > 0
        ? `the best setting does not finish ${open.join(', ')}, which the unchanged scenario finishes`
        : null;
  return { inSample, refusal };
}

/** Holds what one half of the sessions promises against what comes of it on the other. */
export function outOfSample(halves: Halves, choices: Choices): OutOfSample {
  const { base, chosen, metric, sign } = choices;
  const { searched, heldOut } = halves;
  const saving = (tuned: Runs, sessions: readonly string[], ahead: number | null) =>
    savingOf({ base, tuned, metric, sign }, sessions, ahead);
  const { inSample, refusal } = inSampleOf(choices, [...searched, ...heldOut]);
  const realised = chosen === null ? null : saving(chosen.runs, heldOut, null);
  const promised =
    chosen === null ? null : saving(chosen.runs, searched, realised?.sessions ?? heldOut.length);
  const openAhead = chosen === null ? [] : unfinishedOf(chosen.runs, base, heldOut);
  const refusalAhead =
    openAhead.length > 0
      ? `what half of the sessions choose does not finish ${openAhead.join(', ')}, which the unchanged scenario finishes`
      : chosen !== null && chosen.broken.length > 0
        ? `what half of the sessions choose breaks ${chosen.broken.join(' and ')} on sessions that were held out`
        : null;
  const { low = null, high = null } = promised ?? {};
  const isWithin =
    realised === null || low === null || high === null ? null : realised.mean >= low && realised.mean <= high;
  return {
    ...halves,
    inSample,
    settings: chosen?.settings ?? null,
    promised,
    realised,
    isWithin,
    refusal: refusal ?? refusalAhead,
  };
}
