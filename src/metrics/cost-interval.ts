import type { EndEntry } from '../core/run/run-log.js';

/** What unpredictable cache breaks do to a cost (K14), and the error of the model. Nano-dollars. */
export interface CostInterval {
  /** The cost with what such breaks add on average. */
  readonly expected: number;
  /** The 90 % interval; what is expected lies in it. */
  readonly low: number;
  readonly high: number;
}

/** Cells of the distribution of what breaks add. */
const CELLS = 512;

/** Rarer breaks count for the mean alone. */
const LEAST_CHANCE = 0.001;

/** Standard deviations beyond the mean up to which the distribution is kept. */
const REACH = 8;

/** Share of what breaks add that the upper end covers; the lower end is a session without one. */
const UPPER_SHARE = 0.95;

/** Error of 90 % of the recorded sessions without such breaks: without a compaction, and with one (docs/fidelity.md). */
export const PLAIN_ERROR = 0.03;
const COMPACTED_ERROR = 0.08;

/** The error that 90 % of the recorded sessions stayed within, as a share. */
function modelError(compactions: 'none' | 'some'): number {
  return compactions === 'none' ? PLAIN_ERROR : COMPACTED_ERROR;
}

/**
 * Error of the cost behind a simulated compaction, as a share of it, that 90 % of the recorded compactions stayed within: the size
 * of a summary and of what is restored is not known before (docs/fidelity.md).
 */
const AFTER_COMPACTION_ERROR = 0.25;

/** The interval of a what-if: exact up to the first compaction that the policy makes itself. */
export function whatIfInterval(cost: number, afterCompaction: number): CostInterval {
  const off = Math.round(afterCompaction * AFTER_COMPACTION_ERROR);
  return { expected: cost, low: cost - off, high: cost + off };
}

/** How far a difference may be off that no compaction is simulated for: a share of it, for entries that live longer or shorter. */
export const PLAIN_DELTA_ERROR = 0.1;

/** What a cost is, with the ends of its interval where it has one. */
export interface CostEnds {
  readonly cost: number;
  readonly low: number;
  readonly high: number;
}

/** How far the difference of two costs of a session may be off, at 90 %. */
export function deltaError(now: CostEnds, before: CostEnds): number {
  const half = ({ low, high }: CostEnds): number => (high - low) / 2;
  return Math.max(half(now), half(before), Math.abs(now.cost - before.cost) * PLAIN_DELTA_ERROR);
}

/** A saving of at most this share of the cost is not worth acting on. */
const LEAST_SHARE = 0.01;

/** What is said where no difference is worth acting on; the reason follows. */
export const NOT_WORTH_ACTING = 'There is no difference worth acting on: ';

/** Whether a saving that is certain is a reason to change something: it is more than 1 % of the cost. */
export function isWorthSaving(saving: number, cost: number): boolean {
  return saving > cost * LEAST_SHARE;
}

/** Whether a difference is a reason to change something: its interval excludes zero, and it is more than 1 % of the cost. */
export function isWorthActing(
  { delta, low, high }: { readonly delta: number; readonly low: number; readonly high: number },
  cost: number,
): boolean {
  return (low > 0 || high < 0) && isWorthSaving(Math.abs(delta), cost);
}

/** The interval around a cost that is one draw of chance: all else as it is, what chance adds between its ends. */
export function chanceInterval(
  cost: number,
  { lost, expected, low, high }: NonNullable<EndEntry['chance']>,
  compactions: 'none' | 'some',
): CostInterval {
  const error = modelError(compactions);
  const found = cost - lost;
  return {
    expected: found + expected,
    low: Math.round((found + low) * (1 - error)),
    high: Math.round((found + high) * (1 + error)),
  };
}

/** Collects the risks of a run's requests; what it costs is what they say. */
export class RiskTally {
  private readonly chances: number[] = [];
  private readonly costs: number[] = [];
  private mean = 0;
  private isKnown = false;

  add({ chance, cost }: { readonly chance: number; readonly cost: number }): void {
    this.isKnown = true;
    this.mean += chance * cost;
    if (chance < LEAST_CHANCE || cost <= 0) return;
    this.chances.push(chance);
    this.costs.push(cost);
  }

  /** The interval around a cost; null if the client of the run knows of no such breaks. */
  interval(cost: number, compactions: 'none' | 'some'): CostInterval | null {
    if (!this.isKnown) return null;
    const error = modelError(compactions);
    const expected = Math.round(cost + this.mean);
    const high = Math.round((cost + this.quantile(UPPER_SHARE)) * (1 + error));
    return { expected, low: Math.round(cost * (1 - error)), high: Math.max(expected, high) };
  }

  /** A quantile of what breaks add: independent events, added up on a grid. */
  private quantile(share: number): number {
    let mean = 0;
    let variance = 0;
    let most = 0;
    for (let i = 0; i < this.chances.length; i++) {
      const chance = this.chances[i]!;
      const cost = this.costs[i]!;
      mean += chance * cost;
      variance += chance * (1 - chance) * cost * cost;
      most += cost;
    }
    const limit = Math.min(most, mean + REACH * Math.sqrt(variance));
    if (limit <= 0) return 0;
    const step = limit / (CELLS - 1);
    let cells = new Float64Array(CELLS);
    let after = new Float64Array(CELLS);
    cells[0] = 1;
    let used = 1;
    for (let i = 0; i < this.chances.length; i++) {
      used = addBreak(cells, used, after, this.chances[i]!, this.costs[i]! / step);
      [cells, after] = [after, cells];
    }
    let sum = 0;
    for (let i = 0; i < used; i++) {
      sum += cells[i]!;
      if (sum >= share) return i * step;
    }
    return limit;
  }
}

/**
 * The distribution after one more break at a distance in cells; what falls between two cells goes to both. Only the first cells
 * are used; returns how many are from then on.
 */
function addBreak(
  cells: Float64Array,
  used: number,
  after: Float64Array,
  chance: number,
  distance: number,
): number {
  const whole = Math.floor(distance);
  const part = distance - whole;
  const usedAfter = Math.min(CELLS, used + whole + 1);
  after.fill(0, 0, usedAfter);
  for (let i = 0; i < used; i++) {
    const before = cells[i]!;
    if (before === 0) continue;
    const near = Math.min(CELLS - 1, i + whole);
    const far = Math.min(CELLS - 1, near + 1);
    after[i] = after[i]! + before * (1 - chance);
    after[near] = after[near]! + before * chance * (1 - part);
    after[far] = after[far]! + before * chance * part;
  }
  return usedAfter;
}
