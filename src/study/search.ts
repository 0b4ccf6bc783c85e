import type { Random } from '../core/base/random.js';
import { type Expectation, holds } from '../metrics/expect.js';
import { type Completeness, completenessOf, type VariantRuns, variantMeans } from './completeness.js';
import type { MetricRecord } from './job.js';
import { type Axis, valueAt } from './vary.js';

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
  /** Share of the work the rung looks at. */
  readonly share: number;
  /** What is minimised; null without data, and for a setting that is not ranked. */
  readonly objective: number | null;
  /** It is ranked, and every constraint held in every run. */
  readonly feasible: boolean;
  /** Calls that were lost in all runs. */
  readonly callsLost: number;
}

/** Draws different settings: each axis is cut into as many equal parts as settings, and every part is used once. */
export function drawCandidates(axes: readonly Axis[], budget: number, random: Random): readonly Candidate[] {
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

/** How much more a rung looks at than the one before, and what part of the candidates goes on. */
const HALVING_FACTOR = 3;

/** The rungs of a search: shares of the work, the last one whole. */
export function rungsOf(method: 'random' | 'halving', candidates: number): readonly number[] {
  if (method === 'random') return [1];
  const rungs = [1];
  for (let left = candidates; left >= HALVING_FACTOR * 2 && rungs.length < 4; left /= HALVING_FACTOR)
    rungs.unshift(rungs[0]! / HALVING_FACTOR);
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

/** The candidates that go on to the next rung: the best third, at least one. */
export function survivors(trials: readonly Trial[]): readonly Candidate[] {
  const count = Math.max(1, Math.ceil(trials.length / HALVING_FACTOR));
  return rank(trials)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** Transcripts of a rung and the share of each that is replayed: fewer transcripts first, then the beginning of one. */
export function rungWork(
  transcripts: number,
  share: number,
): { readonly transcripts: number; readonly share: number } {
  const wanted = transcripts * share;
  return wanted >= 1 ? { transcripts: Math.round(wanted), share: 1 } : { transcripts: 1, share: wanted };
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
  readonly tried: readonly { readonly trial: Trial; readonly metrics: MetricRecord }[];
}

/**
 * Judges the settings of a rung. A setting that is not ranked is no result, whatever the goal; constraints must hold in every run.
 */
export function judge(settings: readonly CandidateRuns[], goal: Goal, share: number): JudgedRung {
  const completeness = completenessOf(settings);
  const tried = settings.map((setting, i) => {
    const { standing } = completeness.variants[i]!;
    const metrics = variantMeans(setting, completeness);
    const records = [...setting.byTranscript.values()].filter((record) => record !== null);
    const value = standing === 'ranked' ? (metrics[goal.metric] ?? null) : null;
    const feasible =
      standing === 'ranked' &&
      records.every((record) => goal.constraints.every((rule) => holds(rule, record[rule.metric] ?? null)));
    const trial: Trial = {
      candidate: setting.candidate,
      share,
      objective: value === null ? null : value * goal.sign,
      feasible,
      callsLost: lostIn(setting),
    };
    return { trial, metrics };
  });
  return { completeness, tried };
}

/** Calls that a setting lost in all its runs; a run that failed lost more than any other. */
function lostIn({ byTranscript }: VariantRuns): number {
  let lost = 0;
  for (const record of byTranscript.values())
    lost += record === null ? Number.POSITIVE_INFINITY : (record.callsLost ?? 0);
  return lost;
}
