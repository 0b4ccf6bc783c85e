import type { PlannedPolicy } from './run-plan.js';

/** Where a limit lies among the numbers that are held against it: met by itself, or by what is larger only. */
export type LimitSide = 'reached' | 'passed';

/**
 * A number that a run holds others against and otherwise only tells. It remembers which of them fell below it and which did
 * not: with any other number between those the run would have gone the same way.
 */
export class Limit {
  private highestBelow = Number.NEGATIVE_INFINITY;
  private lowestMet = Number.POSITIVE_INFINITY;

  constructor(
    readonly value: number,
    private readonly side: LimitSide,
  ) {}

  /** Whether a number meets it. */
  isMetBy(number: number): boolean {
    const isMet = this.side === 'reached' ? number >= this.value : number > this.value;
    if (isMet) {
      if (number < this.lowestMet) this.lowestMet = number;
    } else if (number > this.highestBelow) this.highestBelow = number;
    return isMet;
  }

  /** Whether everything so far would have come out the same with another number in its place. */
  admits(other: number): boolean {
    return this.side === 'reached'
      ? this.highestBelow < other && other <= this.lowestMet
      : this.highestBelow <= other && other < this.lowestMet;
  }
}

/** What a limit is under a policy. */
type LimitUnder = (policy: PlannedPolicy) => number;

/** The limits of one run, each with what it would be under another policy. */
export class Limits {
  private readonly known = new Map<string, { readonly limit: Limit; readonly under: LimitUnder }>();

  constructor(private readonly policy: PlannedPolicy) {}

  /** The limit of a name; all who ask for it get the same one. */
  of(name: string, side: LimitSide, under: LimitUnder): Limit {
    let entry = this.known.get(name);
    if (entry === undefined) {
      entry = { limit: new Limit(under(this.policy), side), under };
      this.known.set(name, entry);
    }
    return entry.limit;
  }

  /**
   * The values of the limits under another policy by those they had, if the run would have gone the same way under it; null
   * where it would not, or where one value would become two. What a limit is under that policy is worked out once for all runs.
   */
  under(policy: PlannedPolicy, known: Map<string, number>): ReadonlyMap<number, number> | null {
    for (const [name, { limit, under }] of this.known) {
      let value = known.get(name);
      if (value === undefined) {
        value = under(policy);
        known.set(name, value);
      }
      if (!limit.admits(value)) return null;
    }
    const values = new Map<number, number>();
    for (const [name, { limit }] of this.known) {
      const value = known.get(name)!;
      if ((values.get(limit.value) ?? value) !== value) return null;
      values.set(limit.value, value);
    }
    return values;
  }
}
