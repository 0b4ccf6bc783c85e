import { ownValue } from '../core/base/own-value.js';
import { createRandom, type Random } from '../core/base/random.js';
import { meanInterval } from '../core/base/stats.js';
import type { Expectation } from '../metrics/expect.js';
import {
  bestRanked,
  brokenRules,
  type Completeness,
  completenessOf,
  type VariantCompleteness,
  type VariantRuns,
  variantMeans,
} from './completeness.js';
import type { MetricRecord } from './job.js';
import { type Axis, closedAxes, grid, possibleSettings, valueAt } from './vary.js';

/** A setting on its way through a search. */
export interface Candidate {
  /** Position in the order of drawing. */
  readonly index: number;
  /** One value for each axis. */
  readonly values: readonly string[];
}

/** What a candidate came to on a rung. */
export interface Trial {
  readonly candidate: Candidate;
  /** What is minimised; null without data, and for a setting that is not ranked. */
  readonly objective: number | null;
  /** It is ranked, and every constraint held in every run. */
  readonly feasible: boolean;
  /** Calls that were lost in all runs. */
  readonly callsLost: number;
  /** Its difference to the best of the rung, session by session, is within the noise. */
  readonly isNearBest: boolean;
}

/** Draws different settings: each axis is cut into as many equal parts as settings, and every part is used once. */
function drawCandidates(axes: readonly Axis[], budget: number, random: Random): readonly Candidate[] {
  const columns = axes.map((axis) => {
    const own = random.split(`axis ${axis.path}`);
    const parts = Array.from({ length: budget }, (_, i) => i);
    for (let i = budget - 1; i > 0; i--) {
      const j = own.integer(0, i);
      [parts[i], parts[j]] = [parts[j]!, parts[i]!];
    }
    return parts.map((part) => valueAt(axis, (part + own.next()) / budget));
  });
  const seen = new Set<string>();
  const candidates: Candidate[] = [];
  for (let i = 0; i < budget; i++) {
    const values = columns.map((column) => column[i]!);
    const key = values.join('\n');
    if (seen.has(key)) continue;
    seen.add(key);
    candidates.push({ index: candidates.length, values });
  }
  return candidates;
}

/** How a search goes about its settings. */
export interface SearchPlan {
  /** `grid` tries every setting there is on everything. */
  readonly method: 'grid' | 'random' | 'halving';
  /** Settings that there are; infinite where a range has no steps. */
  readonly possible: number;
  readonly candidates: readonly Candidate[];
}

/** The settings of a search: all of them where they fit the budget and nothing else is asked for, otherwise as many as are drawn. */
export function planSearch(
  axes: readonly Axis[],
  { method, budget, seed }: { method: 'auto' | 'random' | 'halving'; budget: number; seed: number },
): SearchPlan {
  const possible = possibleSettings(axes);
  if (method === 'auto' && possible <= budget) {
    const candidates = grid(closedAxes(axes)).map((values, index) => ({ index, values }));
    return { method: 'grid', possible, candidates };
  }
  return {
    method: method === 'auto' ? 'halving' : method,
    possible,
    candidates: drawCandidates(axes, budget, createRandom(seed)),
  };
}

/** How many more sessions a rung looks at than the one before, and what part of the candidates goes on. */
const HALVING_FACTOR = 3;

/** Fewest sessions that settings are discarded on: differences of a pair need some to have an interval. */
const LEAST_SESSIONS = 3;

/** Sessions of each rung: the last looks at all, those before at the longest of the `early` ones. None is cut: what a setting does shows late. */
export function rungsOf(
  { method, candidates }: SearchPlan,
  sessions: number,
  early: number,
): readonly number[] {
  const rungs = [sessions];
  if (method !== 'halving') return rungs;
  for (let left = candidates.length; left >= HALVING_FACTOR * 2; left /= HALVING_FACTOR) {
    const fewer = Math.min(early, Math.max(LEAST_SESSIONS, Math.round(rungs[0]! / HALVING_FACTOR)));
    if (fewer === 0 || fewer >= rungs[0]!) break;
    rungs.unshift(fewer);
  }
  return rungs;
}

/** Best first: what holds its constraints, then the calls that were lost, the objective, the order of drawing. */
export function rank(trials: readonly Trial[]): readonly Trial[] {
  const value = ({ objective }: Trial): number => objective ?? Number.POSITIVE_INFINITY;
  return [...trials].sort(
    (a, b) =>
      Number(b.feasible) - Number(a.feasible) ||
      ascending(a.callsLost, b.callsLost) ||
      ascending(value(a), value(b)) ||
      a.candidate.index - b.candidate.index,
  );
}

/** Of two numbers, which may be infinite. */
function ascending(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

/** The candidates that go on to the next rung: the best third, and up to half those that differ from the best by no more than noise. */
export function survivors(trials: readonly Trial[]): readonly Candidate[] {
  const third = Math.max(1, Math.ceil(trials.length / HALVING_FACTOR));
  const half = Math.ceil(trials.length / 2);
  return rank(trials)
    .filter(({ isNearBest }, place) => place < third || (place < half && isNearBest))
    .map(({ candidate }) => candidate);
}

/** What a search wants. */
export interface Goal {
  readonly metric: string;
  /** 1 when smaller is wanted, −1 when larger is. */
  readonly sign: 1 | -1;
  readonly constraints: readonly Expectation[];
}

/** A setting with what its runs came to. */
export interface CandidateRuns extends VariantRuns {
  readonly candidate: Candidate;
}

/** What the settings of a rung came to. */
export interface JudgedRung {
  readonly completeness: Completeness;
  readonly tried: readonly Judged[];
}

/** A setting that was judged. */
interface Judged {
  readonly trial: Trial;
  readonly metrics: MetricRecord;
  readonly completeness: VariantCompleteness;
}

/** The one that a search would choose: the best of those that are ranked and hold their constraints. */
export function chosenOf<Item extends Judged>(tried: readonly Item[], { metric, sign }: Goal): Item | null {
  const usable = tried.filter(({ trial }) => trial.feasible);
  return bestRanked(usable, { name: metric, better: sign === 1 ? 'lower' : 'higher' });
}

/**
 * Judges the settings of a rung. A setting that is not ranked is no result, whatever the goal; constraints must hold in every run.
 */
export function judge(settings: readonly CandidateRuns[], goal: Goal): JudgedRung {
  const completeness = completenessOf(settings);
  const tried = settings.map((setting, i): Judged => {
    const own = completeness.variants[i]!;
    const metrics = variantMeans(setting, completeness);
    const value = own.standing === 'ranked' ? (ownValue(metrics, goal.metric) ?? null) : null;
    const feasible = own.standing === 'ranked' && brokenRules(setting, goal.constraints).length === 0;
    const trial: Trial = {
      candidate: setting.candidate,
      objective: value === null ? null : value * goal.sign,
      feasible,
      callsLost: lostIn(setting),
      isNearBest: false,
    };
    return { trial, metrics, completeness: own };
  });
  const best = chosenOf(tried, goal);
  if (best === null) return { completeness, tried };
  const first = settings[tried.indexOf(best)]!;
  return {
    completeness,
    tried: tried.map((each, i) => {
      const isNearBest =
        each.trial.feasible && isNear(settings[i]!, first, completeness.compared, goal.metric);
      return { ...each, trial: { ...each.trial, isNearBest } };
    }),
  };
}

/** Share of samples whose interval of the difference holds. */
const COVERAGE = 0.95;

/** Whether the paired difference of two settings is within the noise. */
function isNear(a: VariantRuns, b: VariantRuns, sessions: readonly string[], metric: string): boolean {
  const differences = sessions.flatMap((session) => {
    const [own, other] = [a, b].map(
      ({ byTranscript }) => ownValue(byTranscript.get(session), metric) ?? null,
    );
    return own == null || other == null ? [] : [own - other];
  });
  const interval = meanInterval(differences, COVERAGE);
  return interval !== null && interval.low <= 0 && interval.high >= 0;
}

/** Calls that a setting lost in all its runs; a run that failed lost more than any other. */
function lostIn({ byTranscript }: VariantRuns): number {
  let lost = 0;
  for (const record of byTranscript.values())
    lost += record === null ? Number.POSITIVE_INFINITY : (record.callsLost ?? 0);
  return lost;
}
